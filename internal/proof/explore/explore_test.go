package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/launch"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/sim/policy"
)

// planted is a kernel of testdata/racy with its arguments, and how it fails.
type planted struct {
	kernel, fails string
	grid, cluster int
	args          []string
}

// racy are the kernels of racy.go.
var racy = []planted{
	{"Locks", "hang", 4, 1, []string{"lock=zeros:2", "private=iota:64", "count=zeros:8"}},
	{"Lost", Differs, 8, 1, []string{"private=iota:64", "count=zeros:16"}},
	{"Queue", Differs, 6, 1, []string{"tail=zeros:1", "queue=zeros:16", "private=iota:64", "out=zeros:16"}},
	{"Signal", "hang", 2, 1, []string{"flag=zeros:1", "waiting=zeros:1", "woken=zeros:1", "private=iota:64", "out=zeros:1"}},
}

// trialOf returns a Trial of a kernel of testdata/racy on sim:tiny.
func trialOf(t testing.TB, x *planted) Trial {
	at, err := catalog.Mount("testdata/racy")
	require.NoError(t, err)
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	q := launch.Request{Compiler: kernels, Kernel: at + "." + x.kernel, Grid: [3]int{x.grid, 1, 1}, Block: [3]int{1, 1, 1}, Cluster: x.cluster}
	q.Args, err = launch.ParseAssignments(option.Arg, x.args)
	require.NoError(t, err)
	j, err := launch.Prepare(t.Context(), q)
	require.NoError(t, err)
	return func(ctx context.Context, s Setting, record policy.Control, base *Outcome) (Outcome, error) {
		o := devices.Options{Seed: s.Seed, Control: record}
		for _, a := range s.Set {
			o.Set = append(o.Set, a.Path+"="+a.Value)
		}
		if s.Schedule != nil {
			o.Control = s.Schedule
		}
		spec, err := devices.New("sim:tiny", o)
		if err != nil {
			return Outcome{}, err
		}
		r, err := j.Run(ctx, launch.Options{Device: spec})
		if r == nil {
			return Outcome{}, err
		}
		out := OutcomeOf(err, r.Cycles)
		if base == nil {
			out.Result = r
		} else if err == nil {
			if err := r.SameAs(base.Result.(*launch.Result), launch.Options{}); err != nil {
				out = Outcome{Kind: Differs, Err: err, Cycles: r.Cycles}
			}
		}
		return out, nil
	}
}

// needed returns how many seeds it takes from a first one until the kernel fails as it should, at most the given number.
func needed(t testing.TB, trial Trial, fails string, first uint64, most int, plain bool) int {
	stop := errors.New("found")
	n := 0
	_, err := Run(t.Context(), Config{Seeds: most, First: first, Plain: plain, Worker: 1}, func(ctx context.Context, s Setting, c policy.Control, base *Outcome) (Outcome, error) {
		o, err := trial(ctx, s, c, base)
		if base == nil {
			assert.Equal(t, Ended, o.Kind, "the default schedule does not show it")
			return o, err
		}
		n++
		if o.Kind == fails {
			return o, stop
		}
		return Outcome{Kind: Ended}, err
	})
	if err != nil {
		require.ErrorIs(t, err, stop)
	}
	return n
}

// TestRareOrders checks that bugs which the default schedule does not show are found within a few seeds, and in fewer
// than with a schedule that is random everywhere.
func TestRareOrders(t *testing.T) {
	const repeats, most = 4, 30
	for i, x := range racy {
		trial := trialOf(t, &racy[i])
		sum := 0
		for k := range uint64(repeats) {
			sum += needed(t, trial, x.fails, 1+1000*k, most, false)
		}
		plain := needed(t, trial, x.fails, 1, most, true)
		t.Logf("%s: %.1f seeds, %d where all is random (at most %d)", x.kernel, float64(sum)/repeats, plain, most)
		assert.LessOrEqual(t, sum, 15*repeats, x.kernel)
		assert.Greater(t, plain, sum/repeats, x.kernel)
	}
}

// TestReplay checks that the reduced schedule has one change point and nothing random, that it repeats the failure cycle for
// cycle, and that the result does not depend on the number of workers.
func TestReplay(t *testing.T) {
	for i, x := range racy {
		trial := trialOf(t, &racy[i])
		var results []*Result
		for _, workers := range []int{1, 3} {
			r, err := Run(t.Context(), Config{Seeds: 40, First: 1, Worker: workers}, trial)
			require.NoError(t, err)
			require.NotNil(t, r.Failure, x.kernel)
			assert.Equal(t, x.fails, r.Failure.Kind)
			assert.Equal(t, Size{Pauses: 1}, sizeOf(&r.Failure.Setting), x.kernel)
			assert.Regexp(t, `testdata/racy/racy\.go:\d+:\d+$`, r.Failure.Pauses[0].At)
			again, err := trial(t.Context(), r.Failure.Setting, nil, &r.Base)
			require.NoError(t, err)
			assert.Equal(t, r.Failure.Kind, again.Kind)
			assert.Equal(t, r.Failure.Cycles, again.Cycles)
			results = append(results, r)
		}
		assert.Equal(t, results[0].Kinds, results[1].Kinds)
		assert.Equal(t, results[0].Cycles, results[1].Cycles)
		assert.Equal(t, results[0].Failure.Setting, results[1].Failure.Setting)
		assert.Equal(t, results[0].Failure.Drawn, results[1].Failure.Drawn)
	}
}

// TestClusters checks that a rare order of two blocks of a cluster is found, which meet in their shared memory alone, and that the points at
// which warps pause are the accesses to the words that both use.
func TestClusters(t *testing.T) {
	trial := trialOf(t, &planted{"Sleeps", "hang", 4, 2, []string{"private=iota:64", "out=zeros:1"}})
	r, err := Run(t.Context(), Config{Seeds: 60, First: 1, Worker: 1}, trial)
	require.NoError(t, err)
	require.NotNil(t, r.Failure)
	assert.Equal(t, "hang", r.Failure.Kind)
	assert.Equal(t, Size{Pauses: 1}, sizeOf(&r.Failure.Setting))
	assert.Regexp(t, `testdata/racy/cluster\.go:19:\d+$`, r.Failure.Pauses[0].At, "after it has looked, and before it says so")
	again, err := trial(t.Context(), r.Failure.Setting, nil, &r.Base)
	require.NoError(t, err)
	assert.Equal(t, r.Failure.Cycles, again.Cycles)
}

// TestRecordOfClusters checks whose shared memory a step is in: an own word of block 2 and the same word by the name that block 3 has for it are one, and
// those of other clusters are others.
func TestRecordOfClusters(t *testing.T) {
	r := newRecorder()
	_, _, err := r.Begin(policy.Launch{Blocks: 4, Warps: 1, Cluster: 2, Source: func(pc int) string { return fmt.Sprint("line ", pc) }})
	require.NoError(t, err)
	const word = ir.SharedWindow + 8
	for pc, s := range []struct {
		block int
		addr  uint64
	}{{2, word}, {3, ir.MapShared(word, 0)}, {0, word}, {1, word}, {3, word}, {1, ir.MapShared(word+8, 0)}, {0, ir.MapShared(word+8, 0)}} {
		r.Holds(&policy.Step{Block: s.block, Lanes: 1, PC: pc, Write: true, Addrs: &[32]uint64{s.addr}})
	}
	points, _ := r.points()
	var at []string
	for _, p := range points {
		at = append(at, p.At)
	}
	require.Equal(t, []string{"line 0", "line 1", "line 5", "line 6"}, at)
}

// fake returns a trial whose steps are recorded from a made-up launch of 4 blocks, and that ends as says says.
func fake(says func(Setting) Outcome) Trial {
	return func(_ context.Context, s Setting, record policy.Control, base *Outcome) (Outcome, error) {
		if base != nil {
			return says(s), nil
		}
		_, steps, err := record.Begin(policy.Launch{Blocks: 4, Warps: 1, Source: func(pc int) string { return fmt.Sprint("line ", pc) }})
		if err != nil {
			return Outcome{}, err
		}
		for b := range 4 {
			for n := range 10 {
				addr := uint64(1000*b + n) // its own, but for step 7
				if n == 7 {
					addr = 5000
				}
				steps.Holds(&policy.Step{Block: b, Number: n, PC: n, Lanes: 1, Write: n == 7, Addrs: &[32]uint64{addr}})
			}
		}
		return Outcome{Kind: Ended, Cycles: 10}, nil
	}
}

// TestReduce checks that a schedule is reduced to what a failure needs: here a pause, and messages delayed by at least
// 20 cycles.
func TestReduce(t *testing.T) {
	wrong := errors.New("wrong")
	pause := policy.Pause{Block: 2, Step: 7}
	r, err := Run(t.Context(), Config{Seeds: 1000, First: 5}, fake(func(s Setting) Outcome {
		for _, a := range s.Set {
			if a.Path == "jitter.message" && a.Value >= "20" && slices.Contains(pausesOf(&s), pause) {
				return Outcome{Kind: Wrong, Err: wrong, Cycles: 3}
			}
		}
		return Outcome{Kind: Ended, Cycles: s.Seed}
	}))
	require.NoError(t, err)
	require.NotNil(t, r.Failure)
	assert.Equal(t, 4, r.Points, "only the step on an address that all blocks write")
	assert.Equal(t, &policy.Schedule{Pauses: []policy.Pause{pause}}, r.Failure.Setting.Schedule)
	require.Len(t, r.Failure.Setting.Set, 1)
	assert.Equal(t, "jitter.message", r.Failure.Setting.Set[0].Path)
	assert.Equal(t, []Point{{pause, "line 7"}}, r.Failure.Pauses)
	assert.Equal(t, wrong, r.Err())
	assert.Equal(t, r.Tried-1, len(r.Cycles))
}

// TestKeepGoing checks that all seeds run, that the first failure counts, and that a plain difference counts last.
func TestKeepGoing(t *testing.T) {
	wrong, differs := errors.New("wrong"), errors.New("differs")
	says := func(s Setting) Outcome {
		switch {
		case s.Seed%10 == 0:
			return Outcome{Kind: Wrong, Err: wrong}
		case s.Seed%2 == 0:
			return Outcome{Kind: Differs, Err: differs}
		}
		return Outcome{Kind: Ended}
	}
	for _, c := range []struct {
		keep  bool
		seeds int
		tried int
		seed  uint64
		err   error
	}{{false, 40, 10, 10, wrong}, {true, 40, 40, 10, wrong}, {false, 8, 8, 2, differs}, {false, 1, 1, 0, nil}} {
		r, err := Run(t.Context(), Config{Seeds: c.seeds, First: 1, Keep: c.keep, Worker: 3}, fake(says))
		require.NoError(t, err)
		assert.Equal(t, c.tried, r.Tried)
		assert.Equal(t, c.err, r.Err())
		if c.err != nil {
			assert.Equal(t, c.seed, r.Failure.Drawn.Seed)
		}
	}
}

// TestDefaultFails checks that nothing is tried if the default schedule fails.
func TestDefaultFails(t *testing.T) {
	hang := &device.HangError{Kind: device.Livelock}
	r, err := Run(t.Context(), Config{Seeds: 10}, func(context.Context, Setting, policy.Control, *Outcome) (Outcome, error) {
		return OutcomeOf(hang, 7), nil
	})
	require.NoError(t, err)
	assert.Zero(t, r.Tried)
	assert.Equal(t, "livelock", r.Failure.Kind)
	assert.Equal(t, hang, r.Err())
}

// TestInterrupted checks that an exploration ends with its context, and says what it has found so far.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var n atomic.Int32
	r, err := Run(ctx, Config{Seeds: 1000, Worker: 2}, fake(func(Setting) Outcome {
		if n.Add(1) == 20 {
			cancel()
		}
		return Outcome{Kind: Ended}
	}))
	require.ErrorIs(t, err, context.Canceled)
	assert.GreaterOrEqual(t, r.Tried, 18)
	assert.Less(t, r.Tried, 1000)
}

// TestEndedBudget checks that schedules which a budget ended are told as undecided, and not as found to be good.
func TestEndedBudget(t *testing.T) {
	ended := errors.New("budget")
	trial := func(undecided func(seed uint64) bool) Trial {
		return func(_ context.Context, s Setting, _ policy.Control, base *Outcome) (Outcome, error) {
			if base == nil && undecided(0) || base != nil && undecided(s.Seed) {
				return OutcomeOf(errors.Join(ended, &device.UndecidedError{Kernel: "k", Budget: "1 cycle"}), 1), nil
			}
			return OutcomeOf(nil, 7), nil
		}
	}
	for name, c := range map[string]struct {
		undecided func(seed uint64) bool
		kinds     map[string]int
		ended     int
	}{
		"all":         {func(uint64) bool { return true }, map[string]int{Undecided: 6}, 0},
		"the default": {func(seed uint64) bool { return seed == 0 }, map[string]int{Ended: 6}, 6},
		"one":         {func(seed uint64) bool { return seed == 4 }, map[string]int{Ended: 5, Undecided: 1}, 5},
	} {
		r, err := Run(t.Context(), Config{Seeds: 6, First: 1, Fixed: true, Worker: 1}, trial(c.undecided))
		require.NoError(t, err, name)
		assert.Nil(t, r.Failure, name)
		assert.Equal(t, c.kinds, r.Kinds, name)
		assert.Len(t, r.Cycles, c.ended, name)
		var u *device.UndecidedError
		assert.ErrorAs(t, r.Err(), &u, name)
	}
}

// TestDraw checks that the user's parameters stay, and what the progress models leave to draw.
func TestDraw(t *testing.T) {
	d := newDrawer(&Config{Set: []string{"jitter.sm=5, launch.order=depth"}, Fixed: true}, newRecorder())
	seen := map[string]bool{}
	for seed := range uint64(100) {
		s := d.draw(seed)
		assert.Nil(t, s.Schedule)
		for _, a := range s.Set {
			seen[a.Path] = true
		}
	}
	assert.Equal(t, map[string]bool{"jitter.block": true, "jitter.message": true, "issue.scheduler": true}, seen)
}
