package difftest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/difftest/corpus"
)

// Every kernel ends, twice alike, whatever shared memory holds at first.
func TestNativeIsDeterministic(t *testing.T) {
	for i, k := range corpus.Kernels {
		a, b := NewData(uint64(i), k.Grid*k.Block), NewData(uint64(i), k.Grid*k.Block)
		require.Empty(t, Diff(a, b), "the inputs")
		require.NoError(t, Native(k, a), k.Name)
		require.NoError(t, Native(k, b, gpu.Poison(0x3C)), k.Name)
		assert.Empty(t, Diff(a, b), k.Name)
		assert.NotEmpty(t, Diff(a, NewData(uint64(i), k.Grid*k.Block)), "%s writes nothing", k.Name)
	}
}
