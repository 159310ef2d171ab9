//go:build !kernel

package atos

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// New returns the scheme.
func New() scheduler.Scheme {
	return scheduler.Scheme{
		Name:       "atos",
		Doc:        "task-parallel: threads, warps or blocks that share one queue, without barriers between iterations",
		Sources:    []gpu.Package{Sources},
		Groups:     true,
		TakesGroup: takesGroup,
		Remote:     remote(),
		Params:     params(),
		Quantities: quantities(),
		Takes:      takes,
		Kernels:    allKernels,
		Run: func(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
			return scheduler.RunDivided(ctx, j, run)
		},
	}
}

// takes accepts speculative algorithms, and all that can be pushed in any order. Whether the
// order of updates matters to an algorithm cannot be seen from its type, except that phases
// are an order.
func takes(a scheduler.Type, p scheduler.Values) error {
	if a.Speculates() {
		return errors.Join(a.Unphased(), checkFetch(a, p), checkScan(a, p), checkMerge(a, p), scheduler.CheckPartition(p))
	}
	if p.Word("kernel") == bspKernel {
		return &scheduler.ParamError{Scheme: "atos", Param: "kernel",
			Err: fmt.Errorf("%s is for speculative algorithms; schedulers balanced, thread, warp and block are bulk-synchronous and run %s", bspKernel, a.Name)}
	}
	return errors.Join(a.Pushes(), a.Unphased(), checkFetch(a, p), checkScan(a, p), checkMerge(a, p), scheduler.CheckPartition(p))
}

// scans reports whether the algorithm has a Scan kernel: what a vertex has to send must be
// its value, since it last sent something.
func scans(a scheduler.Type) bool { return a.OwnTake() && !a.Speculates() }

// checkScan returns an error if there is no such kernel and the parameters ask for it.
func checkScan(a scheduler.Type, p scheduler.Values) error {
	switch {
	case p.Int("check") <= 0:
		return nil
	case !scans(a):
		return &scheduler.ParamError{Scheme: "atos", Param: "check", Err: fmt.Errorf("%s does not collect in its value what it has to send, as PageRank does", a.Name)}
	case p.Word("kernel") != persistentKernel:
		return &scheduler.ParamError{Scheme: "atos", Param: "check", Err: errors.New("only the persistent kernel looks for vertices")}
	}
	return nil
}

// queuesEach reports whether a vertex may be a task several times at once: not if Take changes it, which two
// workers would then do at the same time, nor if it chooses its value.
func queuesEach(a scheduler.Type) bool { return !a.OwnTake() && !a.Speculates() }

// checkMerge returns an error if the parameters ask for what queuesEach forbids.
func checkMerge(a scheduler.Type, p scheduler.Values) error {
	switch {
	case p.Bool("merge") && p.Int("slots") > 0:
		return &scheduler.ParamError{Scheme: "atos", Param: "slots", Err: errors.New("with merge=true a queue has as many slots as it can need")}
	case p.Bool("merge") || queuesEach(a):
		return nil
	case a.Speculates():
		return &scheduler.ParamError{Scheme: "atos", Param: "merge", Err: fmt.Errorf("%s chooses the value of a vertex, which only one worker may do at a time", a.Name)}
	}
	return &scheduler.ParamError{Scheme: "atos", Param: "merge", Err: fmt.Errorf("what %s sends changes the vertex, which only one worker may do at a time", a.Name)}
}

// defaultCheck is how many vertices a worker looks at if the user does not say. If updates add
// the tasks, a vertex of very many arcs is visited for each small part of its residual, and what
// it then sends along an arc is lost to rounding in the sums of its neighbors.
const defaultCheck = 512

// checkSize returns the number of vertices at which a worker looks after each batch; 0 if
// updates add the tasks.
func checkSize(a scheduler.Type, p scheduler.Values) int {
	size := p.Int("check")
	if size < 0 {
		size = 0
		if scans(a) && p.Word("kernel") == persistentKernel {
			size = defaultCheck
		}
	}
	return size
}

// The values of the parameter kernel.
const (
	persistentKernel = "persistent"
	discreteKernel   = "discrete"
	bspKernel        = "bsp"
)

// bucketWorkers is the value of the parameter worker for workers of all sizes.
const bucketWorkers = "buckets"

func params() []scheduler.Param {
	block := scheduler.BlockParam()
	block.Default = "256"
	return append([]scheduler.Param{
		{Name: "worker", Type: scheduler.WordParam, Words: []string{scheduler.ThreadWorker, scheduler.WarpWorker, scheduler.BlockWorker, bucketWorkers}, Default: scheduler.BlockWorker,
			Doc: "the threads that take and process tasks together; buckets: kernel=bsp with a launch for the vertices of a thread, of a warp and of a block each, by degree"},
		{Name: "kernel", Type: scheduler.WordParam, Words: []string{persistentKernel, discreteKernel, bspKernel}, Default: persistentKernel,
			Doc: "persistent: one launch; discrete: a launch for each portion of the queue; bsp: two launches per iteration of a speculative algorithm, as a baseline"},
		block,
		{Name: "fetch", Type: scheduler.IntParam, Unit: "task", Default: "0", Max: 1024,
			Doc: "most tasks that a worker takes at a time (FETCH_SIZE), at most one per thread; 0: one per thread"},
		{Name: "blocks", Type: scheduler.IntParam, Unit: "block", Default: "0", Max: scheduler.NoLimit,
			Doc: "blocks of the persistent kernel; 0: as many as are resident at the same time"},
		{Name: "sleep", Type: scheduler.IntParam, Unit: "ns", Default: "0", Max: 1e6,
			Doc: "time that a worker sleeps after it has found no task"},
		{Name: "portion", Type: scheduler.IntParam, Unit: "task", Default: "0", Max: scheduler.NoLimit,
			Doc: "tasks of a launch of the discrete kernel; 0: as many as the resident workers take at once"},
		{Name: "streams", Type: scheduler.IntParam, Unit: "stream", Default: "4", Min: 1, Max: 32,
			Doc: "streams over which the launches of the discrete kernel are spread, earlier launches first"},
		{Name: "check", Type: scheduler.IntParam, Unit: "vertex", Default: "-1", Min: -1, Max: 65536,
			Doc: fmt.Sprintf("vertices at which a worker looks after each batch, to find tasks (Check_Size of PageRank); 0: updates add the tasks; -1: %d for algorithms and kernels that can, else 0", defaultCheck)},
		{Name: "merge", Type: scheduler.BoolParam, Default: "true",
			Doc: "a vertex that waits in the queue is not added again, which saves overwork; false: each update that makes it active adds it, as in the paper"},
		{Name: "slots", Type: scheduler.IntParam, Unit: "task", Default: "0", Max: maxVertices,
			Doc: "merge=false: tasks that can wait in the queue, rounded up to a power of 2; 0: two for each vertex and one for each arc"},
		{Name: "history", Type: scheduler.IntParam, Unit: "ns", Default: "0", Max: 1e9,
			Doc: "length of the intervals for which the persistent kernel counts visits, up to 4095 of them; discrete: more than 0 also counts the choices of each round of a speculative algorithm; 0: no history"},
		{Name: "inbox", Type: scheduler.IntParam, Unit: "task", Default: "0", Max: 1 << 20,
			Doc: fmt.Sprintf("on several GPUs, tasks that wait in a box of an inbox before the sender waits, rounded up to a power of 2 of at least %d; 0: two for each vertex of a range, divided among the boxes, and at most %d", leastPlaces, mostPlaces)},
		scheduler.MaxIterationsParam(),
	}, scheduler.PartitionParams()...)
}

// checkFetch returns an error if a worker has fewer threads than tasks.
func checkFetch(a scheduler.Type, p scheduler.Values) error {
	if p.Word("worker") == bucketWorkers {
		switch {
		case p.Word("kernel") != bspKernel:
			return &scheduler.ParamError{Scheme: "atos", Param: "worker", Err: errors.New("buckets are for kernel=bsp; workers that share a queue have one size")}
		case p.Int("fetch") > 1:
			return &scheduler.ParamError{Scheme: "atos", Param: "fetch", Err: errors.New("a worker of a bucket has one vertex")}
		}
		return nil
	}
	_, err := newLayout(a, p)
	return err
}

// The quantities of a step.
const (
	visitCount = "visited"
	arcCount   = "arcs"
	least      = "least"
	overwork   = "overwork"
	next       = "next"
)

func quantities() []scheduler.Quantity {
	return []scheduler.Quantity{
		{Name: visitCount, Unit: "vertex", Doc: "vertices processed, each as often as it was; for a speculative algorithm, vertices that chose"},
		{Name: arcCount, Unit: "arc", Doc: "arcs processed, in the last step: of the whole run"},
		{Name: least, Unit: "vertex", Doc: "different vertices processed in the whole run: the least number of visits"},
		{Name: overwork, Unit: "1", Doc: "visits in the whole run divided by least (table 4 of the paper)"},
		{Name: next, Unit: "vertex", Doc: "kernel=bsp: vertices that lost a conflict, and choose again in the next iteration"},
	}
}

// kernel returns the entry point of a kernel for an algorithm and a worker size.
func kernel(name, what string, a scheduler.Type, worker scheduler.TaskLayout) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: fmt.Sprintf("atos.%s[%s, %s, %s]", name, a.Name, worker.Mapping(), a.Value),
		What: what + ", one " + worker.Worker + " per worker"}
}

// persistentEntry and discreteEntry return the kernels that process tasks.
func persistentEntry(a scheduler.Type, worker scheduler.TaskLayout, merge bool) scheduler.EntryPoint {
	if !merge {
		return kernel("Each", "all updates until none is left, each of them a task", a, worker)
	}
	if a.Speculates() {
		return kernel("Colour", "all choices and checks until no conflict is left", a, worker)
	}
	return kernel("Relax", "all updates until none is left", a, worker)
}

// with returns an entry point for one choice of merge.
func with(entry func(a scheduler.Type, worker scheduler.TaskLayout, merge bool) scheduler.EntryPoint, merge bool) func(a scheduler.Type, worker scheduler.TaskLayout) scheduler.EntryPoint {
	return func(a scheduler.Type, worker scheduler.TaskLayout) scheduler.EntryPoint {
		return entry(a, worker, merge)
	}
}

// scanEntry returns the persistent kernel that looks for tasks.
func scanEntry(a scheduler.Type, worker scheduler.TaskLayout) scheduler.EntryPoint {
	return kernel("Scan", "all updates until a look at all vertices finds nothing to send", a, worker)
}

// spreadEntry and initSpreadEntry return the kernels of a GPU of a group.
func spreadEntry(a scheduler.Type, worker scheduler.TaskLayout) scheduler.EntryPoint {
	return kernel("Spread", "all updates of a GPU of several until none is left on any", a, worker)
}

func initSpreadEntry(a scheduler.Type) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: fmt.Sprintf("atos.InitSpread[%s, %s]", a.Name, a.Value), What: "initial values and first tasks of a GPU of several"}
}

func discreteEntry(a scheduler.Type, worker scheduler.TaskLayout, merge bool) scheduler.EntryPoint {
	if !merge {
		return kernel("EachPortion", "the updates of a portion of the tasks, each of them a task", a, worker)
	}
	if a.Speculates() {
		return kernel("ColourPortion", "a portion of the choices and checks", a, worker)
	}
	return kernel("RelaxPortion", "the updates of a portion of the tasks", a, worker)
}

// chooseEntry and detectEntry return the kernels of the bulk-synchronous baseline.
func chooseEntry(a scheduler.Type, worker scheduler.TaskLayout) scheduler.EntryPoint {
	return kernel("Choose", "the choices of an iteration", a, worker)
}

func detectEntry(a scheduler.Type, worker scheduler.TaskLayout) scheduler.EntryPoint {
	return kernel("Detect", "the conflicts of an iteration", a, worker)
}

func initEntry(a scheduler.Type, merge bool) scheduler.EntryPoint {
	name := "Init"
	if !merge {
		name = "InitEach"
	}
	return scheduler.EntryPoint{Name: fmt.Sprintf("atos.%s[%s, %s]", name, a.Name, a.Value), What: "initial values and first tasks"}
}

// allKernels returns all kernels for an algorithm, the default one first.
func allKernels(a scheduler.Type) []scheduler.EntryPoint {
	forms := []func(a scheduler.Type, worker scheduler.TaskLayout) scheduler.EntryPoint{with(persistentEntry, true), with(discreteEntry, true)}
	last := []scheduler.EntryPoint{initEntry(a, true)}
	if queuesEach(a) {
		forms = append(forms, with(persistentEntry, false), with(discreteEntry, false))
		last = append(last, initEntry(a, false))
	}
	if scans(a) {
		forms = append(forms, scanEntry)
	}
	if a.Speculates() {
		forms = append(forms, chooseEntry, detectEntry)
		last = append(last, scheduler.SplitKernel(), scheduler.InitKernel(a))
	} else {
		forms = append(forms, spreadEntry)
		last = append(last, initSpreadEntry(a))
	}
	var list []scheduler.EntryPoint
	for _, worker := range []string{scheduler.BlockWorker, scheduler.WarpWorker, scheduler.ThreadWorker} {
		for _, form := range forms {
			list = append(list, form(a, scheduler.TaskLayout{Worker: worker}))
		}
	}
	return append(list, last...)
}
