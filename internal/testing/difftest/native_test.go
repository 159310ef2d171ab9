package difftest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/testing/difftest/corpus"
	"github.com/weft-gpu/weft/internal/testing/difftest/generate"
)

// Launch is not strict in these tests, since it looks for barriers in the source, and an
// overlay of command fresh hides that; device func is strict.

// Every kernel ends as intended, with the same results twice, whatever shared
// memory contains initially.
func TestNativeIsDeterministic(t *testing.T) {
	for _, k := range corpus.Kernels {
		c := CaseOf(k)
		a, b := c.Data(), c.Data()
		require.Empty(t, Diff(a, b), "the inputs")
		require.NoError(t, c.ended(Native(k, a, gpu.AllowUnwritten(), gpu.AllowUndefined()), false), k.Name)
		require.NoError(t, c.ended(Native(k, b, gpu.Poison(0x3C), gpu.AllowUndefined()), false), k.Name)
		if c.Ends == generate.Well {
			assert.Empty(t, Diff(a, b), k.Name)
			assert.NotEmpty(t, Diff(a, c.Data()), "%s writes nothing", k.Name)
		}
	}
}
