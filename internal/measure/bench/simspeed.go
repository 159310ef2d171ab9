package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/sim"
)

// SimSpeed is the cost of simulating one run. Times are those inside launches.
// Rates are per second of user time, which other processes disturb least.
type SimSpeed struct {
	Algorithm string `json:"algorithm"`
	Scheduler string `json:"scheduler"`
	// Chosen says why the scheduler was chosen, if the user asked for a choice.
	Chosen *choice.Choice `json:"chosen_by,omitempty"`
	// Kernel is the kernel of a run that is one launch of it, and has no algorithm;
	// Graph then says how large its data is.
	Kernel   string `json:"kernel,omitempty"`
	Device   string `json:"device,omitempty"` // if it is not that of the report
	Graph    string `json:"graph"`
	Vertices int    `json:"vertices"`
	Arcs     int    `json:"arcs"`
	// Limit is the number of warp instructions after which the run is ended.
	// Whole reports whether it ended by itself before.
	Limit        float64 `json:"limit"`
	Whole        bool    `json:"whole"`
	Launches     int     `json:"launches"`
	Instructions float64 `json:"warp_instructions"`
	Sectors      float64 `json:"memory_sectors"` // sectors that global and local accesses request from L1
	Cycles       uint64  `json:"cycles"`
	User         float64 `json:"user_seconds"`
	System       float64 `json:"system_seconds"`
	Wall         float64 `json:"wall_seconds"`
	InstRate     float64 `json:"warp_instructions_per_second"`
	SectorRate   float64 `json:"memory_sectors_per_second"`
	CycleRate    float64 `json:"cycles_per_second"`
	PerInst      float64 `json:"nanoseconds_per_warp_instruction"`
	// Threads is the maximum number of threads that the largest launch had
	// resident on the machine. PerThread is the simulator's memory for each of
	// them, without the simulated GPU's own buffers.
	Threads   int     `json:"threads"`
	PerThread float64 `json:"bytes_per_thread"`
	// Against is the same run on another number of threads of this computer; nil if it was not asked for, or cannot have them.
	Against *Against `json:"against,omitempty"`

	counters []device.Counter
}

// Against compares a run with the same on another number of threads of this computer. Of several repeats, the ratio is the median.
type Against struct {
	Threads int     `json:"threads"`
	Wall    float64 `json:"wall_seconds"`
	Faster  float64 `json:"faster"` // the wall time of the run by this one
	Equal   bool    `json:"equal"`  // cycles and all counters
}

// sectorCounters count sectors by kind of access.
var sectorCounters = []string{
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
	"l1tex__t_sectors_pipe_lsu_mem_local.sum",
}

// stopwatch is a simulated machine that measures the cost of simulating its
// launches, and ends the run after a number of warp instructions.
type stopwatch struct {
	devices.Simulated
	limit   float64
	stop    context.CancelCauseFunc // ends the running launch
	resides int                     // number of threads that the machine can hold
	done    float64                 // warp instructions of completed launches
	threads int                     // threads of the largest launch
	user    time.Duration
	system  time.Duration
	wall    time.Duration
}

// Launch runs the device's Launch and measures its cost.
func (s *stopwatch) Launch(ctx context.Context, l device.Launch) (r *device.Report, err error) {
	err = s.measure(ctx, s.holds(l), func(ctx context.Context) error {
		r, err = s.Simulated.Launch(ctx, l)
		if r != nil {
			n, _ := r.Counter(run.WarpInstructions)
			s.done += n
		}
		return err
	})
	return r, err
}

// holds returns how many threads of a launch can be resident.
func (s *stopwatch) holds(l device.Launch) int {
	return min(l.Shape().Blocks()*l.Shape().Threads(), s.resides)
}

// measure measures the cost of a call that has launches of so many resident threads.
func (s *stopwatch) measure(ctx context.Context, threads int, call func(context.Context) error) error {
	if s.done >= s.limit {
		return device.ErrEnough
	}
	ctx, s.stop = context.WithCancelCause(ctx)
	defer s.stop(nil)
	s.threads = max(s.threads, threads)
	user, system := cpuTime()
	start := time.Now()
	err := call(ctx)
	s.wall += time.Since(start)
	u, y := cpuTime()
	s.user, s.system = s.user+u-user, s.system+y-system
	if errors.Is(context.Cause(ctx), device.ErrEnough) {
		err = device.ErrEnough
	}
	return err
}

// groupwatch is a stopwatch for a group, whose schemes launch by Run alone. A run ends
// with the call in which its GPUs together have executed enough.
type groupwatch struct {
	device.Group
	watch *stopwatch
}

// Run runs the commands and measures their cost.
func (g groupwatch) Run(ctx context.Context, cmds []device.Command) (times []device.Timing, err error) {
	on := make([]int, g.GPUs())
	for i := range cmds {
		if c := &cmds[i]; c.Launch != nil && c.GPU >= 0 && c.GPU < len(on) {
			on[c.GPU] = max(on[c.GPU], g.watch.holds(*c.Launch))
		}
	}
	threads := 0
	for _, n := range on {
		threads += n
	}
	err = g.watch.measure(ctx, threads, func(ctx context.Context) error {
		times, err = g.Group.Run(ctx, cmds)
		g.watch.done, _ = g.Total().Counter(run.WarpInstructions)
		return err
	})
	return times, err
}

// enough receives the number of warp instructions simulated so far in a running
// launch.
func (s *stopwatch) enough(instructions uint64) {
	if float64(instructions) >= s.limit {
		s.stop(device.ErrEnough)
	}
}

// simRun is one run to measure.
type simRun struct {
	algorithm, scheduler string
	graph                *graph.CSR
	kernel               string // if there is no algorithm
	on                   *devices.Spec
	limit                float64 // in warp instructions
}

// measure measures the run on a machine. If the context ends, it returns the
// context's error.
func (r simRun) measure(ctx context.Context, tell func(sim.Progress)) (SimSpeed, error) {
	out := SimSpeed{Algorithm: r.algorithm, Scheduler: r.scheduler, Kernel: r.kernel, Limit: r.limit}
	if r.graph != nil {
		out.Graph, out.Vertices, out.Arcs = r.graph.Name, r.graph.Vertices(), r.graph.Arcs()
	} else {
		out.Graph = fmt.Sprintf("%d rows", productRows)
	}
	before := liveHeap()
	s := &stopwatch{limit: r.limit, resides: resident(r.on)}
	dev, err := r.on.Open(ctx, devices.Watch{Progress: func(p sim.Progress) {
		s.enough(p.Instructions)
		if tell != nil {
			tell(p)
		}
	}})
	if err != nil {
		return out, err
	}
	defer dev.Close()
	used := 0.0 // bytes of the simulated GPUs' own buffers
	on, grouped := device.AsGroup(dev)
	if grouped {
		dev = groupwatch{Group: on, watch: s}
	} else {
		s.Simulated = dev.(devices.Simulated)
		dev = s
	}
	rep, err := r.execute(ctx, dev, &out)
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case err != nil && !errors.Is(err, device.ErrEnough):
		return out, fmt.Errorf("%s: %w", r.what(), err)
	}
	out.Whole = err == nil
	if !grouped {
		used = float64(s.MemoryUsed())
	} else {
		for i := range on.GPUs() {
			used += float64(on.GPU(i).(interface{ MemoryUsed() uint64 }).MemoryUsed())
		}
	}
	out.PerThread = (float64(liveHeap()-before) - used) / float64(max(s.threads, 1))
	runtime.KeepAlive(dev)
	out.fill(rep, s)
	return out, nil
}

// execute executes the run on an open device. The answer is not kept: it does
// not count as memory of the simulator.
func (r simRun) execute(ctx context.Context, dev device.Device, out *SimSpeed) (*device.Report, error) {
	if r.kernel != "" {
		err := multiply(ctx, dev)
		return dev.Total(), err
	}
	source, _ := r.graph.MaxDegreeVertex()
	res, err := catalog.Run(ctx, dev, catalog.Request{Algorithm: r.algorithm, Scheduler: r.scheduler, Graph: r.graph, Source: source})
	if res == nil {
		return nil, err
	}
	out.Scheduler, out.Chosen = res.Scheduler, res.Chosen
	return res.Report, err
}

// fill computes the rates.
func (r *SimSpeed) fill(rep *device.Report, s *stopwatch) {
	r.Launches, r.Cycles, r.Threads = rep.Launches, rep.Cycles, s.threads
	r.counters = rep.Counters
	r.Instructions, _ = rep.Counter(run.WarpInstructions)
	for _, name := range sectorCounters {
		n, _ := rep.Counter(name)
		r.Sectors += n
	}
	r.User, r.System, r.Wall = s.user.Seconds(), s.system.Seconds(), s.wall.Seconds()
	if r.User > 0 && r.Instructions > 0 {
		r.InstRate, r.SectorRate, r.CycleRate = r.Instructions/r.User, r.Sectors/r.User, float64(r.Cycles)/r.User
		r.PerInst = r.User / r.Instructions * 1e9
	}
}

// resident returns how many threads can be resident on a machine.
func resident(spec *devices.Spec) int {
	count, _ := spec.Number("sm.count")
	warps, _ := spec.Number("sm.warps")
	threads, _ := spec.Number("sm.threads")
	return int(count * min(warps*simt.Lanes, threads))
}

// liveHeap returns the size of the heap in use, without garbage.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC() // the second collection frees what pools and finalizers held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
