package hw_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/testing/difftest"
	"github.com/weft-gpu/weft/internal/testing/difftest/corpus"
	"github.com/weft-gpu/weft/internal/testing/difftest/generate"
)

// shown is how many failing kernels are reduced, which takes up to a minute each.
var shown = 3

// smaller returns the smallest kernel derived from the i-th kernel of the corpus that gives another result on the GPU
// than on func.
func smaller(t *testing.T, d *hw.Device, k corpus.Kernel, i uint64) string {
	if shown--; shown < 0 {
		return ""
	}
	fresh, err := generate.New("Fresh", i+1)
	require.NoError(t, err)
	differs := func(k generate.Kernel) bool {
		c, err := difftest.Fresh(true, k)
		if err != nil {
			return false
		}
		ways := []difftest.Way{{Name: "func", Compiler: c, Device: function.New(function.Options{Budget: 1 << 22}), Strict: true}, {Name: "hw", Compiler: c, Device: d}}
		cs := difftest.Case{Entry: "corpus.Fresh", Grid: k.Grid, Block: k.Block, Ends: k.Ends, Seed: i}
		err = difftest.Agree(ways, cs, nil)
		return err != nil && strings.Contains(err.Error(), " is ") && strings.HasPrefix(err.Error(), "hw: ")
	}
	if !differs(fresh) {
		return "it is the same as on func"
	}
	return generate.Reduce(fresh, differs).Source
}

// TestCorpus checks that random kernels give the same results on the GPU as in plain Go: with checks, with the
// watchdog alone, and with default options (the read-only build). Kernels that mix kinds of barriers are left out: a
// GPU ends them with its own error.
func TestCorpus(t *testing.T) {
	for _, opts := range []hw.Options{{Deadline: 20 * time.Second}, {Deadline: 20 * time.Second, Watchdog: true}, {Deadline: 20 * time.Second, Watchdog: true, Check: true}} {
		d := open(t, opts)
		if d == nil {
			return
		}
		if len(corpus.Kernels) == 0 { // their sources are generated
			code, err := generate.Rebuilt("..", "./hw", []string{"-test.v", "-test.run", "^TestCorpus$"})
			require.NoError(t, err)
			require.Zero(t, code, "TestCorpus with the generated kernels")
			return
		}
		c, err := difftest.Corpus(true)
		require.NoError(t, err)
		way := difftest.Way{Name: d.Name(), Compiler: c, Device: d}
		ran := 0
		for _, k := range corpus.Kernels {
			cs := difftest.CaseOf(k)
			if cs.Ends != generate.Well {
				continue
			}
			want := cs.Data()
			require.NoError(t, difftest.Native(k, want, gpu.AllowUnwritten()), k.Name)
			if err := difftest.Agree([]difftest.Way{way}, cs, want); err != nil {
				t.Errorf("%s: %v\n%s", k.Name, err, smaller(t, d, k, cs.Seed))
			}
			ran++
		}
		assert.Greater(t, ran, 30)
	}
}
