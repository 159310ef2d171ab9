package sim

import (
	"math/bits"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/policy"
)

// TestHeavySameCyclesAlways runs BFS several times, on one and on two processors: every reported value must be the
// same.
func TestHeavySameCyclesAlways(t *testing.T) {
	g := openGraph(t, "rmat:scale=10,degree=8,seed=3")
	for _, preset := range []string{"tiny", "h200"} {
		for _, name := range policy.WarpSchedulers() {
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

// TestParametersMatter checks that a slower machine takes more cycles, and that the policies differ.
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

// oldest is a warp scheduler as a user would write it.
type oldest struct{ picked int }

func (o *oldest) Pick(ready uint64, age *[64]uint64) int {
	o.picked++
	best := bits.TrailingZeros64(ready)
	for m := ready; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros64(m); age[i] < age[best] {
			best = i
		}
	}
	return best
}

func (*oldest) Issued(int) {}

// made are the schedulers created for machines.
var made []*oldest

func init() {
	policy.RegisterWarpScheduler("test-oldest", func(uint64) policy.WarpScheduler {
		made = append(made, &oldest{})
		return made[len(made)-1]
	})
}

func TestRegisteredScheduler(t *testing.T) {
	made = nil
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
