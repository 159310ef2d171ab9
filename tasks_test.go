package weft_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/profile"
	"github.com/weft-gpu/weft/testdata/fans"
)

// fan is a tree of tasks: task i adds tasks fan*i+1 to fan*i+fan, as far as they are below n.
type fan struct{ n, fan, units uint32 }

// check runs the tree with tasks of one type: each must run once, and its units of work must be done once.
func check[T any](t *testing.T, dev *weft.Device, f fan, app string, first []T, w weft.Workers[T]) {
	t.Helper()
	pkg, err := weft.Load("testdata/fans")
	require.NoError(t, err)
	runs, sums := uploadWords(t, dev, make([]uint32, f.n+1)), uploadWords(t, dev, make([]uint32, f.n+1))
	idles := uploadWords(t, dev, []uint32{0})
	w.App, w.First, w.Arg = app, first, [...]any{[...]any{f.n, f.fan, f.units, runs, sums, idles}}
	rep, err := weft.RunTasks(t.Context(), dev, pkg, w)
	what := fmt.Sprintf("%s of %+v on %s: %s, %s, fetch %d", app, f, dev.Name(), w.Worker, w.Kernel, w.Fetch)
	require.NoError(t, err, what)
	require.Equal(t, min(uint64(len(first)), 1)*uint64(f.n), rep.Tasks, what)
	ran, err := runs.Values()
	require.NoError(t, err)
	did, err := sums.Values()
	require.NoError(t, err)
	for i := range f.n {
		units := f.units * (i % 3)
		require.Equal(t, uint32(min(len(first), 1)), ran[i], "%s: task %d", what, i)
		require.Equal(t, uint32(min(len(first), 1))*units*(units+1)/2, did[i], "%s: units of task %d", what, i)
	}
	if w.Kernel == "persistent" {
		require.Len(t, rep.Launches, 1, what)
	}
	sum := 0.0
	for _, l := range rep.Launches {
		sum += l.Seconds
	}
	require.Equal(t, sum, rep.Seconds(), what)
	require.Equal(t, strings.HasPrefix(dev.Name(), "sim"), sum > 0, "%s: a simulated machine has a clock, func has none", what)
}

func uploadWords(t *testing.T, dev *weft.Device, data []uint32) weft.Buffer[uint32] {
	t.Helper()
	b, err := weft.Upload(dev, "data", data)
	require.NoError(t, err)
	return b
}

// shapes are trees of tasks: one task, a chain, tasks that add two, many, and more than the workers have room for in
// shared memory; with work that is shared in a worker and without.
var shapes = []fan{{1, 1, 0}, {40, 1, 0}, {70, 2, 7}, {160, 150, 0}, {150, 20, 3}}

// TestRunTasks runs workers of each size, with both kinds of kernel and several fetch sizes, on tasks of 4 to 16 bytes.
func TestRunTasks(t *testing.T) {
	for _, name := range []string{"func", "sim:tiny"} {
		dev := open(t, name, weft.Options{})
		at := 0
		for _, worker := range []string{"thread", "warp", "block"} {
			for _, kernel := range []string{"persistent", "discrete"} {
				for _, fetch := range []int{0, 1, 5} {
					if worker == "thread" && fetch > 1 {
						continue
					}
					for range 2 { // each of the four sizes of tasks comes with each of the five shapes
						at++
						anyTask(t, dev, shapes[at%5], at%4, worker, kernel, fetch, 64)
					}
				}
			}
		}
	}
}

// anyTask runs the tree with tasks of 4*(words+1) bytes.
func anyTask(t *testing.T, dev *weft.Device, f fan, words int, worker, kernel string, fetch, block int) {
	t.Helper()
	none := ^uint32(0)
	switch words {
	case 0:
		check(t, dev, f, "Words", []uint32{0}, weft.Workers[uint32]{Worker: worker, Kernel: kernel, Fetch: fetch, Block: block, Slots: 512})
	case 1:
		check(t, dev, f, "Pairs", []fans.Wide8{{ID: 0, Check: none}}, weft.Workers[fans.Wide8]{Worker: worker, Kernel: kernel, Fetch: fetch, Block: block, Slots: 512})
	case 2:
		check(t, dev, f, "Triples", []fans.Wide12{{ID: 0, Check: none, Three: none - 2}},
			weft.Workers[fans.Wide12]{Worker: worker, Kernel: kernel, Fetch: fetch, Block: block, Slots: 512})
	default:
		check(t, dev, f, "Quads", []fans.Wide16{{ID: 0, Check: none, Three: none - 2, Five: none - 4}},
			weft.Workers[fans.Wide16]{Worker: worker, Kernel: kernel, Fetch: fetch, Block: block, Slots: 512})
	}
}

// TestTasksUnderSchedules runs workers on a machine whose blocks start at any time, whose warps issue in any order and
// whose messages overtake each other.
func TestTasksUnderSchedules(t *testing.T) {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	cfg.VarySchedules()
	for seed := range uint64(24) {
		d, err := sim.New(cfg, sim.Options{Seed: seed, Budget: 50_000_000})
		require.NoError(t, err)
		s := int(seed)
		dev := &weft.Device{Device: d} // not opened by Open: nothing was noted
		anyTask(t, dev, shapes[2+s%3], s%4, []string{"thread", "warp", "block"}[s/4%3], []string{"persistent", "discrete"}[s/12], 0, 32)
		require.EqualError(t, dev.WriteTrace(t.Output()), "weft.Device.WriteTrace: nothing was noted; open the device with weft.Open and Options.Trace")
		require.NoError(t, d.Close())
	}
}

// TestTasksRace looks for data races in the hand-over of tasks.
func TestTasksRace(t *testing.T) {
	for _, worker := range []string{"thread", "warp", "block"} {
		dev := open(t, "sim:tiny", weft.Options{Race: true})
		anyTask(t, dev, fan{150, 2, 7}, 3, worker, "persistent", 0, 64)
		for _, r := range dev.Races() {
			assert.NotEmpty(t, r.Racy, "%s", r)
		}
	}
}

// TestEmptyQueue runs without a task: the workers of a persistent kernel call f2 alone, and no discrete kernel is launched.
func TestEmptyQueue(t *testing.T) {
	dev := open(t, "func", weft.Options{})
	for _, kernel := range []string{"persistent", "discrete"} {
		check(t, dev, fan{20, 2, 1}, "Words", nil, weft.Workers[uint32]{Kernel: kernel, Block: 32})
	}
}

// TestIdle checks that a worker without a task calls f2: two blocks run a chain of tasks, of which one has nothing to do.
func TestIdle(t *testing.T) {
	dev := open(t, "sim:tiny", weft.Options{})
	pkg, err := weft.Load("testdata/fans")
	require.NoError(t, err)
	idles, data := uploadWords(t, dev, []uint32{0}), uploadWords(t, dev, make([]uint32, 40))
	_, err = weft.RunTasks(t.Context(), dev, pkg, weft.Workers[uint32]{App: "Words", Arg: [...]any{[...]any{uint32(40), uint32(1), uint32(0), data, data, idles}},
		First: []uint32{0}, Worker: "warp", Block: 32, Blocks: 2})
	require.NoError(t, err)
	n, err := idles.Values()
	require.NoError(t, err)
	require.Greater(t, n[0], uint32(32), "the lanes of the idle warp, more than once")
}

// TestQueueFull runs tasks that add two tasks each without an end: the run ends with an error, whatever the workers and
// the number of slots, and says how many there were.
func TestQueueFull(t *testing.T) {
	pkg, err := weft.Load("testdata/fans")
	require.NoError(t, err)
	for _, name := range []string{"func", "sim:tiny"} {
		dev := open(t, name, weft.Options{})
		for _, worker := range []string{"thread", "warp", "block"} {
			for _, kernel := range []string{"persistent", "discrete"} {
				for _, slots := range []int{1, 100} {
					_, err = weft.RunTasks(t.Context(), dev, pkg, weft.Workers[uint32]{App: "Ever", First: []uint32{0}, Arg: struct{}{}, Worker: worker, Kernel: kernel, Block: 64, Slots: slots})
					rounded := map[int]int{1: 1, 100: 128}[slots]
					require.EqualError(t, err, fmt.Sprintf("weft.RunTasks: the queue of Ever is full: more than %d tasks wait; set Workers.Slots", rounded), "%s %s %s", name, worker, kernel)
					var full *weft.QueueFull
					require.ErrorAs(t, err, &full)
				}
			}
		}
	}
}

// batches runs n tasks that are there from the start, and returns how many batches of each size there were, and which
// worker ran each task.
func batches(t *testing.T, dev *weft.Device, n int, long uint32, w weft.Workers[uint32]) (sizes map[int]int, by []uint32) {
	t.Helper()
	pkg, err := weft.Load("testdata/fans")
	require.NoError(t, err)
	counts, workers := uploadWords(t, dev, make([]uint32, n+1)), uploadWords(t, dev, make([]uint32, n))
	for i := range uint32(n) {
		w.First = append(w.First, i)
	}
	w.App, w.Arg = "Batches", [...]any{counts, workers, long}
	_, err = weft.RunTasks(t.Context(), dev, pkg, w)
	require.NoError(t, err)
	sizes = map[int]int{}
	for size, times := range values(t, counts) {
		if times > 0 {
			sizes[size] = int(times)
		}
	}
	return sizes, values(t, workers)
}

// TestFetch checks that a worker takes as many tasks as it may: one worker has them all, and two take no more than that.
func TestFetch(t *testing.T) {
	for _, name := range []string{"func", "sim:tiny"} {
		dev := open(t, name, weft.Options{})
		for _, kernel := range []string{"persistent", "discrete"} {
			for fetch, want := range map[int]map[int]int{1: {1: 64}, 4: {4: 16}, 0: {64: 1}} {
				got, _ := batches(t, dev, 64, 0, weft.Workers[uint32]{Kernel: kernel, Fetch: fetch, Block: 64, Blocks: 1})
				require.Equal(t, want, got, "%s %s: fetch %d", name, kernel, fetch)
			}
			for fetch, most := range map[int]int{1: 1, 4: 4, 0: 32} {
				got, _ := batches(t, dev, 64, 0, weft.Workers[uint32]{Worker: "warp", Kernel: kernel, Fetch: fetch, Block: 64, Blocks: 1})
				require.Equal(t, most, slices.Max(slices.Collect(maps.Keys(got))), "%s %s: fetch %d: %v", name, kernel, fetch, got)
			}
		}
	}
}

// TestTasksAreShared checks that workers leave tasks to each other where there are fewer than they could take: none of
// four takes more than its share of those that it finds, and all get some.
func TestTasksAreShared(t *testing.T) {
	dev := open(t, "sim:tiny", weft.Options{})
	for n, most := range map[int]int{4: 1, 16: 4} {
		sizes, by := batches(t, dev, n, 20_000, weft.Workers[uint32]{Worker: "warp", Block: 64, Blocks: 2})
		require.Equal(t, most, slices.Max(slices.Collect(maps.Keys(sizes))), "%d tasks: %v", n, sizes)
		slices.Sort(by)
		require.Equal(t, []uint32{0, 1, 2, 3}, slices.Compact(by), "the workers that ran %d tasks", n)
	}
}

// TestWorkersFillTheDevice checks that a launch of workers has as many blocks as are resident at the same time, also
// where it is the shared memory of their tasks that limits them: one more block would not fit.
func TestWorkersFillTheDevice(t *testing.T) {
	dev := open(t, "sim:tiny", weft.Options{Set: []string{"sm.shared_bytes=20480", "sm.shared_block=20480"}})
	grids := map[int]int{}
	for _, fetch := range []int{1, 64} {
		d := &weft.Device{Device: recorder{dev.Device, func(l device.Launch) {
			occ, err := dev.Occupancy(l.Kernel, l.Block)
			require.NoError(t, err)
			grids[fetch] = l.Grid
			require.Equal(t, fetch > 1, l.Grid < occ.BlocksPerSM*occ.SMs, "whether shared memory is the limit")
			l.Cooperative, l.Grid = true, l.Grid+1
			_, err = dev.Device.Launch(t.Context(), l)
			require.ErrorContains(t, err, fmt.Sprintf("%d fit at once", l.Grid-1))
		}}}
		check(t, d, fan{20, 2, 1}, "Quads", []fans.Wide16{{Check: ^uint32(0), Three: ^uint32(0) - 2, Five: ^uint32(0) - 4}}, weft.Workers[fans.Wide16]{Fetch: fetch, Block: 64})
	}
	require.Greater(t, grids[1], grids[64])
	require.Greater(t, grids[64], 1)
}

// TestOneAtomicForSeveralTasks counts the atomics on the ends of the queue. A worker reserves positions for all tasks that
// it adds with one, and tickets for all that it takes, so that there are far fewer than tasks.
func TestOneAtomicForSeveralTasks(t *testing.T) {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	ends := func(run func(dev *weft.Device)) (tail, head uint64) {
		p := profile.New(0)
		d, err := sim.New(cfg, sim.Options{Profile: p})
		require.NoError(t, err)
		run(&weft.Device{Device: d})
		require.NoError(t, d.Close())
		for _, b := range p.Buffers() {
			switch b.Name {
			case "queue.Tail":
				tail = b.Ops
			case "queue.Head":
				head = b.Ops
			}
		}
		return tail, head
	}
	for _, worker := range []string{"warp", "block"} {
		tail, head := ends(func(dev *weft.Device) {
			check(t, dev, fan{161, 80, 0}, "Words", []uint32{0}, weft.Workers[uint32]{Worker: worker, Block: 64, Blocks: 1})
		})
		require.Positive(t, tail)
		require.LessOrEqual(t, tail, uint64(4), "161 tasks in %ss", worker)
		require.Positive(t, head)
		require.LessOrEqual(t, head, uint64(32), "161 tasks in %ss", worker)
	}
	g, _, err := graph.Open(t.Context(), "grid:width=32,keep=1,seed=1", graph.LoadOptions{})
	require.NoError(t, err)
	visits := 0.0
	tail, head := ends(func(dev *weft.Device) {
		res, err := weft.Run(t.Context(), dev, weft.Request{Algorithm: "cc", Scheduler: "atos", Graph: g})
		require.NoError(t, err)
		visits, _ = res.Steps[len(res.Steps)-1].Number("visited")
	})
	require.GreaterOrEqual(t, visits, 1024.0, "all vertices are tasks at first")
	require.Less(t, tail, uint64(512), "scheme atos, for %v visits", visits)
	require.Less(t, head, uint64(512), "scheme atos, for %v visits", visits)
}

// TestStop ends a run whose tasks never end by themselves.
func TestStop(t *testing.T) {
	pkg, err := weft.Load("testdata/fans")
	require.NoError(t, err)
	dev := open(t, "func", weft.Options{})
	for _, kernel := range []string{"persistent", "discrete"} {
		rep, err := weft.RunTasks(t.Context(), dev, pkg, weft.Workers[uint32]{App: "Stops", First: []uint32{0}, Arg: [...]any{uint32(5)}, Kernel: kernel, Block: 32})
		require.NoError(t, err)
		require.True(t, rep.Stopped)
		require.Equal(t, uint64(6), rep.Tasks)
	}
}

// TestTasksPTX compiles the kernels of workers for a real GPU.
func TestTasksPTX(t *testing.T) {
	pkg, err := weft.Load("testdata/fans")
	require.NoError(t, err)
	ptx := ""
	d := &weft.Device{Device: recorder{open(t, "func", weft.Options{}).Device, func(l device.Launch) {
		ptx, err = weft.PTX(l.Kernel, "sm_90")
	}}}
	_, e := weft.RunTasks(t.Context(), d, pkg, weft.Workers[uint32]{App: "Stops", First: []uint32{0}, Arg: [...]any{uint32(5)}, Worker: "warp", Block: 32})
	require.NoError(t, e)
	require.NoError(t, err)
	require.Contains(t, ptx, "st.release.gpu.global.u64")
	require.Contains(t, ptx, "ld.acquire.gpu.global.u64")
}

// recorder sees each launch.
type recorder struct {
	device.Device
	saw func(l device.Launch)
}

func (r recorder) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	r.saw(l)
	return r.Device.Launch(ctx, l)
}

func TestBadWorkers(t *testing.T) {
	pkg, err := weft.Load("testdata/fans")
	require.NoError(t, err)
	dev := open(t, "func", weft.Options{})
	for want, w := range map[string]weft.Workers[uint32]{
		`worker is "grid"; use thread, warp or block`:                                     {Worker: "grid"},
		`kernel is "fused"; use persistent or discrete`:                                   {Kernel: "fused"},
		`a block of 100 threads; use a multiple of 32 up to 1024`:                         {Block: 100},
		`the fetch size, blocks and sleep are -1, 0 and 0; none is less than 0`:           {Fetch: -1},
		`-1 slots; use 1 to 1073741824`:                                                   {Slots: -1},
		`3 first tasks do not fit a queue of 2 slots; set Workers.Slots`:                  {First: []uint32{1, 2, 3}, Slots: 2},
		`33 tasks for a worker of 32 threads (worker=warp); a thread takes one at a time`: {Worker: "warp", Fetch: 33},
	} {
		w.App, w.Arg = "Ever", struct{}{}
		_, err := weft.RunTasks(t.Context(), dev, pkg, w)
		assert.EqualError(t, err, "weft.RunTasks: "+want)
	}
	_, err = weft.RunTasks(t.Context(), dev, pkg, weft.Workers[[5]uint32]{App: "Ever", Arg: struct{}{}})
	require.EqualError(t, err, "weft.RunTasks: a task of type [5]uint32 has 20 bytes; use 4, 8, 12 or 16")
	_, err = weft.RunTasks(t.Context(), dev, pkg, weft.Workers[uint16]{App: "Ever", Arg: struct{}{}})
	require.EqualError(t, err, "weft.RunTasks: a task of type uint16 has 2 bytes; use 4, 8, 12 or 16")
	_, err = weft.RunTasks(t.Context(), dev, pkg, weft.Workers[uint32]{Arg: struct{}{}})
	require.EqualError(t, err, "weft.RunTasks: Workers.App is empty; it names a type of the package that is a scheduler.Task")
}

// TestBadApps asks for applications that are not there, that take other tasks, and with arguments that do not fit.
func TestBadApps(t *testing.T) {
	const kernel = "kernel scheduler.RunTasks[testdata/fans."
	pkg, err := weft.Load("testdata/fans")
	require.NoError(t, err)
	dev := open(t, "func", weft.Options{})
	_, err = weft.RunTasks(t.Context(), dev, pkg, weft.Workers[uint32]{App: "Nothing", Arg: struct{}{}})
	require.EqualError(t, err, kernel+"Nothing, scheduler.BlockPerVertex, uint32]: no type Nothing in testdata/fans")
	_, err = weft.RunTasks(t.Context(), dev, pkg, weft.Workers[uint32]{App: "Nothing", Arg: struct{}{}, Kernel: "discrete", Worker: "warp"})
	require.EqualError(t, err, "kernel scheduler.RunTaskPortion[testdata/fans.Nothing, scheduler.WarpPerVertex, uint32]: no type Nothing in testdata/fans")
	_, err = weft.RunTasks(t.Context(), dev, pkg, weft.Workers[uint32]{App: "Wide8", Arg: struct{}{}})
	require.EqualError(t, err, kernel+"Wide8, scheduler.BlockPerVertex, uint32]: fans.Wide8 does not satisfy scheduler.Task[uint32] (missing method Idle)")
	_, err = weft.RunTasks(t.Context(), dev, pkg, weft.Workers[fans.Wide8]{App: "Words", Arg: struct{}{}})
	require.EqualError(t, err, kernel+"Words, scheduler.BlockPerVertex, testdata/fans.Wide8]: fans.Words does not satisfy scheduler.Task[fans.Wide8] (wrong type for method Idle)\n"+
		"\t\thave Idle(gpu.Thread, scheduler.Worker[uint32])\n\t\twant Idle(gpu.Thread, scheduler.Worker[fans.Wide8])")
	type local struct{ ID uint32 }
	_, err = weft.RunTasks(t.Context(), dev, pkg, weft.Workers[local]{App: "Words", Arg: struct{}{}})
	require.EqualError(t, err, kernel+"Words, scheduler.BlockPerVertex, testdata/fans.local]: no type local in testdata/fans")
	_, err = weft.RunTasks(t.Context(), dev, pkg, weft.Workers[uint32]{App: "Words", Arg: struct{}{}, First: []uint32{1}})
	require.EqualError(t, err, "launch of scheduler.RunTasks[testdata/fans.Words, scheduler.BlockPerVertex, uint32]: argument 1 (app fans.Words): it has no value for app.Shared.N")
}
