package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/memo"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/launch"
	"github.com/weft-gpu/weft/internal/service/run"
)

// Running is how to run tasks.
type Running struct {
	Jobs    int           // tasks at the same time; at least 1. Only one runs on real GPUs.
	Timeout time.Duration // ends a task that takes longer on this machine; 0 means no limit
	// Memory is how many bytes the tasks that run at the same time may need, by forecast; a task that
	// needs more runs alone. 0 means what is available.
	Memory  uint64
	Command string // the command line, for the origin of times on real GPUs
	// Progress, if not nil, is called from one goroutine at a time, when a task begins and when it
	// has ended.
	Progress func(Progress)
}

// Progress is how far a sweep is.
type Progress struct {
	Done, Tasks int
	Left        time.Duration // estimate; 0 if there is none yet
	// Began is the task that begins now, Ended the one that has just ended with the result Run; the other is nil.
	Began, Ended *Task
	Run          *store.Run
	Err          error // what ended it, unless it gave an answer
}

// Summary says what became of the tasks that were run.
type Summary struct {
	Ran      int // with results in the store
	ByStatus map[store.Status]int
	Reasons  map[Reason]int // of those that did not end well
	// Wall is the time of the sweep. Busy is the sum of the times of its tasks, and Launches the part
	// of it inside launches. Outside is all else that the jobs did: reading graphs, preparing, checking
	// answers and keeping results.
	Wall, Busy, Launches, Outside time.Duration
}

// Reason is why a task did not end well.
type Reason struct {
	Status  store.Status
	Message string // the first line
}

// keptShare divides the memory for tasks: the memos of all graphs that are in use together, and that of
// arguments, may each have one part of so many.
const keptShare = 8

// errTimeout is the cause of a task that took longer than Running.Timeout.
var errTimeout = errors.New("time limit")

// Sink takes results: a store, or files that are merged into one later.
type Sink interface {
	Number(ctx context.Context, keys []store.Key) error
	AddSpec(ctx context.Context, name, text string) (hash string, err error)
	AddMachine(ctx context.Context, hash string, parameters []byte) error
	Replace(ctx context.Context, r *store.Run) error
}

// Run runs tasks and adds their results to the store. It returns after all, or when ctx is done;
// tasks that are running then end early and are not recorded. A task that fails is recorded and
// is no error.
func (p *Plan) Run(ctx context.Context, st Sink, tasks []*Task, o Running) (*Summary, error) {
	began := time.Now()
	spec, err := st.AddSpec(ctx, p.Spec.Name, p.Spec.Text)
	if err == nil {
		err = st.Number(ctx, keysOf(tasks)) // before tasks are sorted by graph
	}
	if err != nil {
		return &Summary{}, cmp.Or(context.Cause(ctx), err)
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	room := newRoom(o.Memory)
	keep := room.limit / keptShare / uint64(max(o.Jobs, 1))
	r := &runner{plan: p, store: st, spec: spec, o: o, shelf: newShelf(tasks, keep), gpu: gpu{command: o.Command}, jobs: memo.New(keep), eta: newForecast(tasks), cancel: cancel,
		machines: map[string]bool{}, summary: &Summary{ByStatus: map[store.Status]int{}, Reasons: map[Reason]int{}}, room: room}
	// Tasks of one graph follow each other, so that few graphs are in memory at the same time.
	tasks = slices.Clone(tasks)
	first := map[string]int{}
	for i, t := range tasks {
		if _, ok := first[graphKey(&t.settings.graph)]; !ok {
			first[graphKey(&t.settings.graph)] = i
		}
	}
	slices.SortStableFunc(tasks, func(a, b *Task) int {
		return first[graphKey(&a.settings.graph)] - first[graphKey(&b.settings.graph)]
	})
	r.total = len(tasks)
	for _, t := range tasks {
		t.device.Share(o.Jobs)
	}
	queue := make(chan *Task)
	var workers sync.WaitGroup
	for range max(o.Jobs, 1) {
		workers.Go(func() {
			for t := range queue {
				r.task(inner, t)
			}
		})
	}
	for _, t := range tasks {
		select {
		case queue <- t:
			continue
		case <-inner.Done():
		}
		break
	}
	close(queue)
	workers.Wait()
	if err := r.gpu.close(); err != nil {
		cancel(fmt.Errorf("closing the GPU: %w", err))
	}
	r.summary.Wall = time.Since(began)
	if cause := context.Cause(inner); cause != nil {
		return r.summary, cause
	}
	return r.summary, nil
}

// keysOf returns the keys of tasks.
func keysOf(tasks []*Task) (keys []store.Key) {
	for _, t := range tasks {
		keys = append(keys, t.Key)
	}
	return keys
}

// runner runs the tasks of a sweep.
type runner struct {
	plan   *Plan
	store  Sink
	spec   string // hash
	o      Running
	shelf  *shelf
	jobs   *memo.Memo // arguments of kernels
	room   *room
	alone  sync.Mutex   // held by the task on a real GPU
	quiet  sync.RWMutex // held alone by a task that measures this machine
	gpu    gpu          // guarded by alone
	cancel context.CancelCauseFunc
	total  int

	mu       sync.Mutex // guards what follows, and calls of Progress
	eta      *forecast
	done     int
	machines map[string]bool
	summary  *Summary
}

// task runs a task and records it.
func (r *runner) task(ctx context.Context, t *Task) {
	defer r.shelf.done(t)
	if t.device.Can().Has(device.Silicon) || t.against != nil && t.against.Can().Has(device.Silicon) {
		r.alone.Lock() // times on a GPU mean nothing if others use it
		defer r.alone.Unlock()
	}
	if t.settings.cpu {
		r.quiet.Lock() // so do times of the processor
		defer r.quiet.Unlock()
	} else {
		r.quiet.RLock()
		defer r.quiet.RUnlock()
	}
	need := t.memory()
	if !r.room.enter(ctx, need) {
		return
	}
	defer r.room.leave(need)
	if ctx.Err() != nil {
		return
	}
	r.report(func(p *Progress) { p.Began = t })
	began := time.Now()
	var inside time.Duration
	defer func() { r.outside(time.Since(began) - inside) }()
	res, err := r.execute(ctx, t)
	wall := time.Since(began)
	if ctx.Err() != nil || signals.Ended(err) {
		return // the sweep was interrupted
	}
	ended := err
	row, err := t.record(res, ended, wall)
	if err == nil {
		seconds, _ := row.Metric(launchWall)
		inside = time.Duration(seconds * float64(time.Second))
		err = r.keep(ctx, t, row)
	}
	if err != nil {
		r.cancel(fmt.Errorf("recording %s: %w", t.Name(), err))
		return
	}
	r.report(func(p *Progress) {
		r.done++
		r.eta.ended(t, wall)
		r.summary.Ran++
		r.summary.ByStatus[row.Status]++
		if row.Status != store.OK {
			first, _, _ := strings.Cut(row.Error, "\n")
			r.summary.Reasons[Reason{row.Status, first}]++
		}
		r.summary.Busy += wall
		r.summary.Launches += inside
		p.Ended, p.Run, p.Err = t, row, ended
	})
}

// outside adds to the time outside launches.
func (r *runner) outside(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.summary.Outside += d
}

// keep adds the row of a task to the store.
func (r *runner) keep(ctx context.Context, t *Task, row *store.Run) error {
	row.Spec = r.spec
	if t.machine != "" {
		r.mu.Lock()
		known := r.machines[t.machine]
		r.machines[t.machine] = true
		r.mu.Unlock()
		if !known {
			if err := r.store.AddMachine(ctx, t.machine, machineText(t)); err != nil {
				return err
			}
		}
	}
	return r.store.Replace(ctx, row)
}

// report calls Progress after change, which runs while others wait.
func (r *runner) report(change func(p *Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var p Progress
	change(&p)
	if r.o.Progress == nil {
		return
	}
	p.Done, p.Tasks, p.Left = r.done, r.total, r.eta.left(max(r.o.Jobs, 1))
	r.o.Progress(p)
}

// execute runs a task. A panic is an error of the task.
func (r *runner) execute(ctx context.Context, t *Task) (o outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("weft crashed: %v\n%s", p, debug.Stack())
		}
	}()
	if t.refused != nil {
		return o, t.refused
	}
	var g *shelved
	if t.settings.kernel == nil {
		if g, err = r.shelf.take(ctx, t); err != nil {
			return o, err
		}
		o.graph = g.hash
		if err := rightSize(g.graph, t.settings.named); err != nil {
			return o, err
		}
	}
	if r.o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.o.Timeout, errTimeout)
		defer cancel()
	}
	s, watch := t.settings, t.tracing()
	o.trace = watch.Trace
	if s.kernel != nil {
		o.launch, err = r.launch(ctx, t, watch)
	} else {
		q := run.Request{Catalog: r.plan.catalog, Algorithm: s.algorithm, Scheduler: s.scheduler, Params: s.params, Graph: g.graph, Notes: g.notes,
			Source: s.source, Device: t.device, Watch: watch, NoVerify: !s.verify, CPU: s.cpu}
		if within := memo.With(ctx, g.memo); t.device.Can().Has(device.Silicon) {
			if o.run, err = r.gpu.run(within, t, q); err == nil {
				o.origin, err = r.gpu.origin(within, t.graphName(), g.graph)
			}
		} else {
			o.run, err = run.Run(within, q)
		}
	}
	if err != nil && errors.Is(context.Cause(ctx), errTimeout) {
		err = fmt.Errorf("ended after %v: %w", r.o.Timeout, errTimeout)
	}
	return o, err
}

// launch runs a task that launches a kernel.
func (r *runner) launch(ctx context.Context, t *Task, watch devices.Watch) (*launch.Result, error) {
	p := planner{catalog: r.plan.catalog}
	j, err := p.prepare(memo.With(ctx, r.jobs), t.settings)
	if err != nil {
		return nil, err
	}
	return j.Run(ctx, launch.Options{Device: t.device, Watch: watch, Against: t.against, Tolerance: t.settings.kernel.tolerance})
}
