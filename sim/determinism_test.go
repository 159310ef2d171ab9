package sim

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/config"
)

// TestSameCyclesAlways runs BFS several times, on one and on two processors:
// everything that is reported must be the same.
func TestSameCyclesAlways(t *testing.T) {
	g := openGraph(t, "rmat:scale=10,degree=8,seed=3")
	for _, preset := range []string{"tiny", "h200"} {
		for _, name := range WarpSchedulers() {
			var first *device.Report
			for _, procs := range []int{1, 2, 1} {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				d := open(t, preset, "issue.scheduler", name)
				for _, s := range schemes {
					bfs(t, d, g, s)
				}
				got := d.Total()
				if first == nil {
					first = got
					require.Positive(t, first.Cycles)
				}
				assert.Equal(t, first, got, "%s %s", preset, name)
			}
		}
	}
}

// TestParametersMatter: a slower machine takes more cycles, and the policies
// differ.
func TestParametersMatter(t *testing.T) {
	g := openGraph(t, "rmat:scale=9,degree=8,seed=3")
	cycles := func(set ...string) uint64 {
		d := open(t, "tiny", set...)
		bfs(t, d, g, "warp")
		return d.Total().Cycles
	}
	base := cycles()
	for _, set := range [][]string{
		{"l2.latency", "400"}, {"dram.latency", "900"}, {"xbar.request", "300"}, {"xbar.recv_flit", "20"},
		{"latency.alu", "60"}, {"issue.branch", "100"}, {"l1.global", "false"}, {"sm.count", "1"}, {"sm.blocks", "1"},
	} {
		assert.Greater(t, cycles(set...), base, set)
	}
	for _, name := range []string{"lrr", "oldest", "random"} {
		assert.NotEqual(t, base, cycles("issue.scheduler", name), name)
	}
	assert.NotEqual(t, base, cycles("launch.order", "depth"))
	assert.Less(t, cycles("sm.count", "8"), base)
}

// oldest is a warp scheduler as a user would write one.
type oldest struct{ picked int }

func (o *oldest) Pick(ready uint64, age *[64]uint64) int {
	g := greedyThenOldest{last: -1}
	o.picked++
	return g.Pick(ready, age)
}

func (*oldest) Issued(int) {}

func TestRegisteredScheduler(t *testing.T) {
	made := []*oldest{}
	RegisterWarpScheduler("test-oldest", func(uint64) WarpScheduler {
		made = append(made, &oldest{})
		return made[len(made)-1]
	})
	defer delete(warpSchedulers, "test-oldest")
	d := open(t, "tiny", "issue.scheduler", "test-oldest")
	require.Len(t, made, 8, "one a sub-core")
	bfs(t, d, openGraph(t, "grid:width=8,keep=1"), "thread")
	assert.Positive(t, made[0].picked)

	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	cfg.Issue.Scheduler = "fair"
	_, err = New(cfg, Options{})
	assert.ErrorContains(t, err, "issue.scheduler")
}

func TestPolicies(t *testing.T) {
	age := [64]uint64{0: 9, 3: 4, 5: 7}
	g := &greedyThenOldest{last: -1}
	assert.Equal(t, 3, g.Pick(0b101001, &age), "the oldest")
	g.Issued(5)
	assert.Equal(t, 5, g.Pick(0b101001, &age), "greedy")
	assert.Equal(t, 3, g.Pick(0b001001, &age))
	r := &looseRoundRobin{}
	order := []int{}
	for range 4 {
		i := r.Pick(0b101001, &age)
		r.Issued(i)
		order = append(order, i)
	}
	assert.Equal(t, []int{0, 3, 5, 0}, order)
	r.Issued(63)
	assert.Equal(t, 0, r.Pick(0b101001, &age))

	o := oldestFirst{}
	o.Issued(5)
	assert.Equal(t, 3, o.Pick(0b101001, &age))
	assert.Equal(t, 0, o.Pick(1, &age))

	drawn := func(seed uint64) (seq []int, count [64]int) {
		x := &anyOf{state: seed}
		for range 3000 {
			i := x.Pick(0b101001, &age)
			x.Issued(i)
			count[i]++
			seq = append(seq, i)
		}
		return seq, count
	}
	seq, count := drawn(1)
	for _, i := range []int{0, 3, 5} {
		assert.InDelta(t, 1000, count[i], 100, "each warp has the same chance")
	}
	again, _ := drawn(1)
	assert.Equal(t, seq, again)
	other, _ := drawn(2)
	assert.NotEqual(t, seq, other)
}
