//go:build !kernel

package simdx

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// The kernels without fusion.
var (
	mappings        = [classes]string{"scheduler.ThreadPerVertex", "scheduler.WarpPerVertex", "scheduler.BlockPerVertex"}
	teams           = [classes]scheduler.Team{scheduler.OneThread, scheduler.OneWarp, scheduler.OneBlock}
	concatenateOne  = scheduler.EntryPoint{Name: "simdx.Concatenate", What: "second step of the online filter"}
	countOne        = scheduler.EntryPoint{Name: "simdx.Count", What: "first half of the ballot filter"}
	writeOne        = scheduler.EntryPoint{Name: "simdx.Write", What: "second half of the ballot filter"}
	expandOne       = scheduler.EntryPoint{Name: "simdx.Expand", What: "active edge list of the batch filter"}
	countEdgesOne   = scheduler.EntryPoint{Name: "simdx.CountEdges", What: "first half of the collection of the batch filter"}
	countStridedOne = scheduler.EntryPoint{Name: "simdx.CountStrided", What: "first half of the strided filter"}
	writeStridedOne = scheduler.EntryPoint{Name: "simdx.WriteStrided", What: "second half of the strided filter"}
	reserveOne      = scheduler.EntryPoint{Name: "simdx.ReserveByVotes", What: "Khorasani's filter"}
	writeAllOne     = scheduler.EntryPoint{Name: "simdx.WriteAll", What: "second half of the lists of all vertices"}
	writeEdgesOne   = scheduler.EntryPoint{Name: "simdx.WriteEdges", What: "second half of the collection of the batch filter"}
)

// listKernel returns the kernel for one list.
func listKernel(kernel, what string, class int, a scheduler.Type) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: fmt.Sprintf("simdx.%s[%s, %s, %s]", kernel, a.Name, mappings[class], a.Value), What: what}
}

// separateKernels returns the kernels without fusion that push or pull.
func separateKernels(a scheduler.Type, pushes, pulls, scatters bool) (list []scheduler.EntryPoint) {
	if pushes {
		for class := range classes {
			list = append(list, listKernel("Send", "push, one list", class, a))
		}
		for class := range classes {
			list = append(list, listKernel("SendAtomic", "push with the atomic filter, one list", class, a))
		}
		list = append(list, countStridedOne, writeStridedOne, reserveOne, concatenateOne, countOne, writeOne, expandOne)
		if a.Consumes() {
			list = append(list, entryPoint("Take", "what the vertices of the active edge list send", a), entryPoint("UpdateTaken", "updates of the active edge list", a))
		} else {
			list = append(list, entryPoint("Update", "updates of the active edge list", a))
		}
		list = append(list, countEdgesOne, writeEdgesOne)
	}
	if scatters {
		for class := range classes {
			list = append(list, listKernel("ScatterList", "push of all vertices, one list", class, a))
		}
		list = append(list, entryPoint("CountAll", "first half of the lists of all vertices", a), writeAllOne, entryPoint("ApplySums", "values from what was pushed", a))
	}
	if pulls {
		for class := range classes {
			list = append(list, listKernel("Gather", "pull, one list", class, a))
		}
		list = append(list, entryPoint("CountOpen", "first half of the lists of a pull", a), entryPoint("WriteOpen", "second half of the lists of a pull", a))
	}
	return list
}

// separate is a run without fusion.
type separate struct {
	*runner
	kernels map[string]*device.Kernel
	front   frontier
	g       scheduler.GraphArg // that a push traverses
	values  [setWords]uint32   // of the last set of counters that was read
}

// step is a launch.
type step struct {
	kernel    scheduler.EntryPoint
	iteration int // to which it belongs
	grid      int // 0: enough for work
	team      scheduler.Team
	work      int
	args      []any
	// answer is the step of the set of counters that the host needs; if wait is not set,
	// it needs none.
	answer  uint32
	wait    bool
	numbers []scheduler.Number
}

// launchOne launches a kernel and records it. The numbers are completed by what answered
// returns once the counters are known, if it is not nil.
func (s *separate) launchOne(ctx context.Context, st step, answered func() []scheduler.Number) error {
	k, ok := s.kernels[st.kernel.Name]
	if !ok {
		var err error
		if k, err = s.Kernels.Kernel(ctx, st.kernel.Name, nil); err != nil {
			return err
		}
		s.kernels[st.kernel.Name] = k
	}
	grid := st.grid
	if grid == 0 {
		n, err := s.Grid(k, s.Block, st.team, st.work)
		if err != nil {
			return err
		}
		grid = min(n, s.most)
	}
	d := device.Launch{Kernel: k, Grid: grid, Block: s.Block, Args: st.args}
	var rep *device.Report
	var err error
	if st.wait {
		first := int(st.answer % sets * setWords)
		rep, err = s.LaunchRead(ctx, d, device.Answer{Buffer: s.mem.Counts.Slice(first, first+setWords), To: s.values[:]})
	} else {
		rep, err = s.Launch(ctx, d)
	}
	if answered != nil && err == nil {
		st.numbers = append(st.numbers, answered()...)
	}
	s.Record(k, rep, scheduler.Step{Iteration: st.iteration, Numbers: st.numbers})
	return err
}

// frontierRead returns the frontier of the set of counters that was read.
func (s *separate) frontierRead() frontier {
	return frontier{s.values[small], s.values[medium], s.values[large], s.values[arcsCount]}
}

// number returns a number of a step.
func number(name string, x float64) scheduler.Number { return scheduler.Number{Name: name, Value: x} }

// separately launches a kernel for each list and step until no vertex is active.
func (r *runner) separately(ctx context.Context) error {
	s := &separate{runner: r, kernels: map[string]*device.Kernel{}, g: r.out}
	if r.scatter && !r.pull {
		return s.scatterOn(ctx)
	}
	for pulling := r.pullFirst(); ; pulling = !pulling {
		var again bool
		var err error
		if pulling {
			again, err = s.pullOn(ctx)
		} else {
			again, err = s.pushFrom(ctx)
		}
		if err != nil || !again {
			return err
		}
	}
}

// pushFrom pushes from the frontier in the queue or, after a pull, from the marked vertices.
func (s *separate) pushFrom(ctx context.Context) (turn bool, err error) {
	if s.run.First == 0 {
		if err := s.turn(ctx, false); err != nil {
			return false, err
		}
	}
	if err := s.collect(ctx, 0, nil); err != nil {
		return false, err
	}
	s.run.First = 0
	return s.pushPhases(ctx)
}

// tooMany returns an error if the iteration exceeds the limit.
func (s *separate) tooMany(active int) error { return s.TooMany(s.iteration(), active) }

// pushPhases pushes as long as it pays, in all phases if the algorithm has any; turn is set if
// pulling is better.
func (s *separate) pushPhases(ctx context.Context) (turn bool, err error) {
	for {
		if turn, err = s.pushOn(ctx); turn || err != nil {
			return turn, err
		}
		active, err := s.phases.Advance(ctx, s.FrontierLoop, s.mem.Queue)
		if active == 0 || err != nil {
			return false, err
		}
		s.PhaseBegins(s.iteration())
		s.g, s.run.Phase, s.run.First = s.phases.Current(), s.phases.Now(), uint32(active)
		if err := s.collect(ctx, 0, nil); err != nil {
			return false, err
		}
		s.run.First = 0
	}
}

// pushOn pushes as long as it pays; turn is set if pulling is better.
func (s *separate) pushOn(ctx context.Context) (turn bool, err error) {
	for s.front.entries() > 0 {
		switch {
		case s.run.Both && s.front.Arcs > s.run.PullAbove:
			if err := s.tooMany(int(s.front.entries())); err != nil {
				return false, err
			}
			return true, nil
		case s.tooMany(int(s.front.entries())) != nil:
			return false, s.tooMany(int(s.front.entries()))
		case s.filter == Batch:
			err = s.pushBatch(ctx)
		default:
			err = s.pushLists(ctx)
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// pushLists is an iteration: a launch for each list that is not empty, and the filters.
func (s *separate) pushLists(ctx context.Context) error {
	before := s.front
	if err := s.sendLists(ctx); err != nil || s.filter == Atomic {
		return err
	}
	s.run.Step++
	switch s.filter {
	case Ballot:
		s.run.Iteration++
		return s.collect(ctx, 1, &before)
	case Strided, Khorasani:
		s.run.Iteration++
		return s.scanOther(ctx, before)
	}
	next := s.run
	next.Iteration++
	err := s.launchOne(ctx, step{kernel: concatenateOne, iteration: s.iteration(), grid: s.most, args: []any{s.g.Row, s.mem, next}, answer: s.run.Step, wait: true}, func() []scheduler.Number {
		s.front = s.frontierRead()
		overflowed := 0.0
		if s.values[overflowCount] != 0 {
			overflowed = 1
		}
		return []scheduler.Number{number("next", float64(s.front.entries())*(1-overflowed)), number(arcs, float64(before.Arcs)), number(iterations, 1), number(overflows, overflowed)}
	})
	if err != nil {
		return err
	}
	if s.values[overflowCount] != 0 {
		if s.filter == Online {
			return s.overflowed(s.run.Iteration)
		}
		s.run.Iteration++
		return s.collect(ctx, 0, nil)
	}
	s.run.Iteration++
	return nil
}

// collect makes the lists of the frontier of the present step and iteration by the ballot
// filter. If done is 1, it also ends an iteration with the frontier before.
func (s *separate) collect(ctx context.Context, done int, before *frontier) error {
	n := s.Vertices()
	if s.run.First > 0 {
		n = int(s.run.First)
	}
	run := s.run
	return s.twoHalves(ctx, countOne, writeOne, s.iteration()-1, n, []any{s.g.Row, s.mem, run}, func() []scheduler.Number {
		s.front = s.frontierRead()
		list := []scheduler.Number{number("next", float64(s.front.entries()))}
		if run.Iteration > 1 {
			list = append(list, number(ballots, 1))
		}
		if before != nil {
			list = append(list, number(arcs, float64(before.Arcs)), number(iterations, float64(done)))
		}
		return list
	})
}

// iteration returns the number of the present iteration.
func (s *separate) iteration() int { return int(s.run.Iteration) }

// gridOf returns the grid for a scan of n elements.
func (s *separate) gridOf(n int) int { return min(max((n+s.Block-1)/s.Block, 1), s.most) }

// twoHalves launches the two kernels of a collection over n elements.
func (s *separate) twoHalves(ctx context.Context, first, second scheduler.EntryPoint, iteration, n int, args []any, answered func() []scheduler.Number) error {
	grid := s.gridOf(n)
	if err := s.launchOne(ctx, step{kernel: first, iteration: iteration, grid: grid, args: args}, nil); err != nil {
		return err
	}
	return s.launchOne(ctx, step{kernel: second, iteration: iteration, grid: grid, args: args, answer: s.run.Step, wait: true}, answered)
}
