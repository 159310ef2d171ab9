package hw_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/difftest"
	"github.com/weft-gpu/weft/internal/difftest/corpus"
	"github.com/weft-gpu/weft/internal/difftest/generate"
)

// TestCorpus: random kernels write the same on the GPU as plain Go, with checks and
// without. Those that mix kinds of barriers are left out: a GPU ends them with an error
// of its own. The watchdog ends what does not end.
func TestCorpus(t *testing.T) {
	for _, opts := range []hw.Options{{Deadline: 20 * time.Second, Watchdog: true}, {Deadline: 20 * time.Second, Watchdog: true, Check: true}} {
		d := open(t, opts)
		if d == nil {
			return
		}
		c, err := difftest.Corpus(true)
		require.NoError(t, err)
		way := difftest.Way{Name: d.Name(), Compiler: c, Device: d}
		ran := 0
		for i, k := range corpus.Kernels {
			cs := difftest.CaseOf(k, uint64(i))
			if cs.Ends != generate.Well {
				continue
			}
			want := cs.Data()
			require.NoError(t, difftest.Native(k, want, gpu.AllowUnwritten()), k.Name)
			assert.NoError(t, difftest.Agree([]difftest.Way{way}, cs, want), k.Name)
			ran++
		}
		assert.Greater(t, ran, 150)
	}
}
