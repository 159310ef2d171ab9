package difftest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/testing/difftest/corpus"
	"github.com/weft-gpu/weft/internal/testing/difftest/generate"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// plain is the functional device with unoptimised kernels, optimised the one
// with optimised kernels.
func plain(c *compile.Compiler) Way {
	return Way{"func, not optimised", c, function.New(function.Options{Budget: 1 << 26}), true}
}
func optimised(c *compile.Compiler) Way {
	return Way{"func", c, function.New(function.Options{Budget: 1 << 26}), true}
}

// machines are the simulated GPUs: with one L2 and with two L2 halves of which
// the far one is slow, with a reconvergence stack and with independent thread
// scheduling, with long and with short queues.
var machines = [][]string{
	{"tiny", "hang.window=1000"},
	{"tiny", "hang.window=1000", "l2.partitions=2", "l2.far=600", "l2.latency=700", "fence.device=1"},
	{"k40", "sm.count=2", "lsu.queue=1"},
}

// simulated returns the way that runs kernels on a simulated GPU.
func simulated(t testing.TB, c *compile.Compiler, machine []string) Way {
	cfg, err := config.Load(machine[0])
	require.NoError(t, err)
	for _, set := range machine[1:] {
		path, value, _ := strings.Cut(set, "=")
		require.NoError(t, cfg.Set(path, value))
	}
	dev, err := sim.New(cfg, sim.Options{Budget: 20_000_000})
	require.NoError(t, err)
	return Way{Name: "sim:" + strings.Join(machine, " "), Compiler: c, Device: dev}
}

// compilers returns two compilers of the same package; the second one
// optimises.
func compilers(t testing.TB, kernels ...generate.Kernel) (raw, opt *compile.Compiler) {
	var both [2]*compile.Compiler
	for i := range both {
		var err error
		if kernels == nil {
			both[i], err = Corpus(i == 1)
		} else {
			both[i], err = Fresh(i == 1, kernels...)
		}
		require.NoError(t, err)
	}
	return both[0], both[1]
}

// Plain Go, the functional device and the simulator write the same results.
func TestCorpusAgrees(t *testing.T) {
	raw, opt := compilers(t)
	ways := []Way{plain(raw), optimised(opt)}
	build := NewReadOnlyBuild(function.New(function.Options{Budget: 1 << 26}))
	ways = append(ways, Way{"func, the read-only build", opt, build, true})
	for i, m := range machines {
		if i > 0 && testing.Short() {
			break // one machine for all
		}
		ways = append(ways, simulated(t, opt, m))
	}
	for _, k := range corpus.Kernels {
		c := CaseOf(k)
		want := c.Data()
		require.NoError(t, c.ended(Native(k, want, gpu.AllowUnwritten(), gpu.AllowUndefined()), false), k.Name)
		assert.NoError(t, Agree(ways, c, want))
	}
	if len(corpus.Kernels) >= len(generate.Seeds) { // command fresh may test one kernel
		assert.Greater(t, build.Other, 10, "kernels that the read-only build changes")
	}
}

// The entry points that the compiler finds are those of the table, and some of
// them end with an error or hang.
func TestCorpusIsComplete(t *testing.T) {
	_, opt := compilers(t)
	names, err := opt.Entries("corpus")
	require.NoError(t, err)
	assert.Len(t, names, len(corpus.Kernels))
	assert.GreaterOrEqual(t, len(names), 50)
	ends := map[generate.Ends]int{}
	for _, k := range corpus.Kernels {
		ends[generate.Ends(k.Ends)]++
	}
	assert.GreaterOrEqual(t, ends[generate.Hang], 5)
	assert.GreaterOrEqual(t, ends[generate.Unwritten], 5)
}
