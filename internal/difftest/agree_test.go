package difftest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compile"
	"github.com/weft-gpu/weft/internal/difftest/corpus"
	"github.com/weft-gpu/weft/internal/difftest/generate"
	"github.com/weft-gpu/weft/internal/exec"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// plain is func without optimisation, optimised func with it.
func plain(c *compile.Compiler) Way {
	return Way{"func, not optimised", c, exec.New(exec.Options{Budget: 1 << 26})}
}
func optimised(c *compile.Compiler) Way {
	return Way{"func", c, exec.New(exec.Options{Budget: 1 << 26})}
}

// simulated is a simulated GPU.
func simulated(t testing.TB, c *compile.Compiler, preset string) Way {
	cfg, err := config.Load(preset)
	require.NoError(t, err)
	dev, err := sim.New(cfg, sim.Options{})
	require.NoError(t, err)
	return Way{"sim:" + preset, c, dev}
}

// compilers are two compilers of the same package, the second one optimising.
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

// Plain Go, the functional device and the simulator write the same.
func TestCorpusAgrees(t *testing.T) {
	raw, opt := compilers(t)
	ways := []Way{plain(raw), optimised(opt), simulated(t, opt, "tiny")}
	for i, k := range corpus.Kernels {
		want := NewData(uint64(i), k.Grid*k.Block)
		require.NoError(t, Native(k, want), k.Name)
		assert.NoError(t, Agree(ways, "corpus."+k.Name, k.Grid, k.Block, uint64(i), want))
	}
}

// The entry points that the compiler finds are those of the table.
func TestCorpusIsComplete(t *testing.T) {
	_, opt := compilers(t)
	names, err := opt.Entries("corpus")
	require.NoError(t, err)
	assert.Len(t, names, len(corpus.Kernels))
	assert.GreaterOrEqual(t, len(names), 200)
}
