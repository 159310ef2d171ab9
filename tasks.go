package weft

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/scheduler"
)

// Workers is a launch of workers that share one queue of tasks, as in Atos (Chen et al.,
// ICPP 2022, section 4): each pops tasks and applies f1 to them, which may add tasks, until
// there are none. T is a task: a number, or a struct or array of numbers, of 4, 8, 12 or 16
// bytes. The zero value of a field is its default.
type Workers[T any] struct {
	// App names a type of the package that is a scheduler.Task[T], with f1 and f2: "Queens".
	// Arg is its value as an argument of Launch: a struct whose fields are those of App in
	// their order, with buffers for slices and pointers, or App itself if it has none of these.
	App string
	Arg any
	// First are the tasks with which the queue begins.
	First []T
	// Worker is what pops together: "thread", "warp" or "block", the default.
	Worker string
	// Kernel is "persistent", the default, for one launch, or "discrete" for a launch of the
	// tasks that are in the queue, as long as there are any.
	Kernel string
	Fetch  int // most tasks that a worker pops at a time (FETCH_SIZE); default: one per thread
	Block  int // threads per block (numThread); default 256
	// Blocks is the number of blocks (numBlock); default: as many as are resident. More of
	// a persistent kernel start when others have ended, and find no task.
	Blocks int
	// Slots is the number of tasks that can wait in the queue, rounded up to a power of 2;
	// default 65,536.
	Slots int
	Sleep int // nanoseconds that a worker waits after it found no task; default 0
}

// TaskReport is what RunTasks did.
type TaskReport struct {
	Tasks    uint64    // tasks that ran
	Stopped  bool      // Worker.Stop ended the run
	Launches []*Report // of the kernel: one for each round if it is discrete
}

// Seconds returns the time of the kernels; 0 on a device without a clock.
func (r *TaskReport) Seconds() (sum float64) {
	for _, l := range r.Launches {
		sum += l.Seconds
	}
	return sum
}

// QueueFull is the error of a run whose tasks did not fit the queue. What the tasks have
// written until then is in the buffers.
type QueueFull struct {
	App   string
	Slots int
}

// Error says what to change.
func (e *QueueFull) Error() string {
	return fmt.Sprintf("weft.RunTasks: the queue of %s is full: more than %d tasks wait; set Workers.Slots", e.App, e.Slots)
}

// RunTasks runs workers on a device until no task is left. pkg is the package with the App and,
// unless it is a number, T. It returns the report of the launches so far also with an error.
func RunTasks[T any](ctx context.Context, dev *Device, pkg *Package, w Workers[T]) (*TaskReport, error) {
	r := &tasks[T]{Workers: w, dev: dev, report: &TaskReport{}}
	if err := r.check(); err != nil {
		return r.report, fmt.Errorf("weft.RunTasks: %w", err)
	}
	err := r.compile(ctx, pkg)
	if err == nil {
		err = r.place()
	}
	if err == nil {
		err = r.run(ctx)
	}
	for _, free := range r.free {
		if e := free(); err == nil {
			err = e
		}
	}
	return r.report, err
}

// tasks is a run of Workers.
type tasks[T any] struct {
	Workers[T]
	layout scheduler.TaskLayout
	dev    *Device
	kernel *device.Kernel
	queue  taskRing[T]
	sums   Buffer[uint64]
	free   []func() error
	report *TaskReport
}

// taskRing is a scheduler.TaskQueue as an argument.
type taskRing[T any] struct {
	ring
	Tasks Buffer[T]
}

// ring is a scheduler.TaskRing as an argument.
type ring struct {
	Slots                             Buffer[uint64]
	Head, Tail, Finished, Done, Voids Buffer[uint32]
}

// The words of Workers.Kernel.
const (
	persistentTasks = "persistent"
	discreteTasks   = "discrete"
)

// check fills in the defaults and returns what is wrong with the rest.
func (r *tasks[T]) check() (err error) {
	r.Worker, r.Kernel = orWord(r.Worker, scheduler.BlockWorker), orWord(r.Kernel, persistentTasks)
	r.Block, r.Slots = orNumber(r.Block, 256), orNumber(r.Slots, 1<<16)
	size := int(reflect.TypeFor[T]().Size())
	switch {
	case r.App == "":
		return errors.New("Workers.App is empty; it names a type of the package that is a scheduler.Task")
	case size < 4 || size > 16 || size%4 > 0:
		return fmt.Errorf("a task of type %s has %d bytes; use 4, 8, 12 or 16", reflect.TypeFor[T](), size)
	case r.Worker != scheduler.ThreadWorker && r.Worker != scheduler.WarpWorker && r.Worker != scheduler.BlockWorker:
		return fmt.Errorf("worker is %q; use thread, warp or block", r.Worker)
	case r.Kernel != persistentTasks && r.Kernel != discreteTasks:
		return fmt.Errorf("kernel is %q; use persistent or discrete", r.Kernel)
	case r.Block%32 != 0 || r.Block < 0 || r.Block > 1024:
		return fmt.Errorf("a block of %d threads; use a multiple of 32 up to 1024", r.Block)
	case r.Fetch < 0 || r.Blocks < 0 || r.Sleep < 0:
		return fmt.Errorf("the fetch size, blocks and sleep are %d, %d and %d; none is less than 0", r.Fetch, r.Blocks, r.Sleep)
	case r.Slots < 0 || r.Slots > 1<<30:
		return fmt.Errorf("%d slots; use 1 to %d", r.Slots, 1<<30)
	}
	r.Slots = 1 << bits.Len(uint(r.Slots-1))
	if len(r.First) > r.Slots {
		return fmt.Errorf("%d first tasks do not fit a queue of %d slots; set Workers.Slots", len(r.First), r.Slots)
	}
	r.layout, err = scheduler.NewTaskLayout(r.Worker, r.Block, r.Fetch, r.Sleep, size, 0, true)
	return err
}

func orWord(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return word
}

func orNumber(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// compile compiles the instance of the kernel.
func (r *tasks[T]) compile(ctx context.Context, pkg *Package) error {
	c, err := catalog.Kernels()
	if err != nil {
		return err
	}
	task := reflect.TypeFor[T]()
	name := task.String()
	if task.PkgPath() != "" {
		name = pkg.path + "." + task.Name()
	}
	kernel := "RunTasks"
	if r.Kernel == discreteTasks {
		kernel = "RunTaskPortion"
	}
	r.kernel, err = c.Kernel(ctx, fmt.Sprintf("scheduler.%s[%s.%s, %s, %s]", kernel, pkg.path, strings.TrimPrefix(r.App, pkg.name+"."), r.layout.Mapping(), name), nil)
	return err
}

// place allocates the queue and writes the first tasks to it.
func (r *tasks[T]) place() error {
	slots := make([]uint64, r.Slots)
	tasks := make([]T, r.Slots)
	for i := range slots {
		slots[i] = scheduler.NoTask
		if i < len(r.First) {
			slots[i] = scheduler.FirstTask(i)
		}
	}
	copy(tasks, r.First)
	done := uint32(0)
	if len(r.First) == 0 {
		done = scheduler.TasksDone
	}
	q := &r.queue
	return firstError(
		keep(r, &q.Slots, "queue.Slots", slots), keep(r, &q.Tasks, "queue.Tasks", tasks),
		keep(r, &q.Head, "queue.Head", []uint32{0}), keep(r, &q.Tail, "queue.Tail", []uint32{uint32(len(r.First))}),
		keep(r, &q.Finished, "queue.Finished", []uint32{0}), keep(r, &q.Done, "queue.Done", []uint32{done}),
		keep(r, &q.Voids, "queue.Voids", make([]uint32, r.Slots)), keep(r, &r.sums, "queue.sums", make([]uint64, scheduler.TaskSums)))
}

// keep uploads a buffer of the run.
func keep[T, E any](r *tasks[T], to *Buffer[E], name string, data []E) (err error) {
	if *to, err = Upload(r.dev, name, data); err == nil {
		r.free = append(r.free, to.Free)
	}
	return err
}

// firstError returns the first error that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// run launches the kernel, and reads what it did.
func (r *tasks[T]) run(ctx context.Context) error {
	limit, err := r.layout.Blocks(r.dev.Device, r.kernel)
	if err != nil {
		return err
	}
	if r.Blocks > 0 {
		limit = r.Blocks
	}
	if r.Kernel == persistentTasks {
		_, err = r.launch(ctx, limit)
	} else {
		err = r.rounds(ctx, limit)
	}
	sums, done := make([]uint64, scheduler.TaskSums), []uint32{0}
	if err == nil {
		err = firstError(r.sums.Read(sums), r.queue.Done.Read(done))
	}
	r.report.Tasks, r.report.Stopped = sums[scheduler.TaskVisits], done[0] == scheduler.TasksStopped
	if done[0] == scheduler.TasksFull {
		return &QueueFull{r.App, r.Slots}
	}
	return err
}

// rounds launches the discrete kernel for the tasks that are in the queue until there are
// none, or the run is to end.
func (r *tasks[T]) rounds(ctx context.Context, limit int) error {
	head, tail, done := uint32(0), []uint32{uint32(len(r.First))}, []uint32{0}
	for head != tail[0] && done[0] == 0 {
		n := tail[0] - head
		blocks := min((int(n)+r.layout.PerBlock()-1)/r.layout.PerBlock(), limit)
		if _, err := r.launch(ctx, blocks, head, n); err != nil {
			return err
		}
		head = tail[0]
		if err := firstError(r.queue.Tail.Read(tail), r.queue.Done.Read(done)); err != nil {
			return err
		}
	}
	return nil
}

// launch launches the kernel with further arguments.
func (r *tasks[T]) launch(ctx context.Context, blocks int, more ...any) (*Report, error) {
	args := append([]any{r.Arg, r.queue, r.layout.Shape, r.sums}, more...)
	rep, err := r.dev.Launch(ctx, Launch{Kernel: r.kernel, Grid: blocks, Block: r.Block, DynamicShared: r.layout.Shared, Args: args})
	if rep != nil {
		r.report.Launches = append(r.report.Launches, rep)
	}
	return rep, err
}
