package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

// conditional calls Sync for the threads below a number; it is a function of its own.
func conditional(t gpu.Thread, below uint32) {
	if t.Idx() < below {
		t.Sync()
	}
}

// early returns before a Sync.
func early(t gpu.Thread, below uint32) {
	if t.Idx() >= below {
		return
	}
	t.Sync()
}

// TestUndefined runs kernels that PTX leaves undefined.
func TestUndefined(t *testing.T) {
	for _, c := range []struct {
		name, want string
		kernel     func(t gpu.Thread)
	}{
		{"around", "Sync, around which thread 40 of the block has gone to the end of the kernel: all threads of a block must come to it", func(t gpu.Thread) {
			if t.Idx() < 40 {
				t.Sync()
			}
		}},
		{"around in a function", "Sync, around which thread 40 of the block has gone", func(t gpu.Thread) { conditional(t, 40) }},
		{"around, and another", "Sync, while thread 0 of the block waits at another one at gpu/undefined_test.go:", func(t gpu.Thread) {
			if t.Idx() < 40 {
				t.Sync()
			}
			t.Sync()
		}},
		{"around, by value", "SyncCount, around which thread 0 of the block has gone", func(t gpu.Thread) {
			if t.Idx() >= 40 && t.SyncCount(true) > 30 {
				panic("24 threads come")
			}
		}},
	} {
		err := gpu.Launch(1, 64, c.kernel)
		var f *gpu.Fault
		if assert.ErrorAs(t, err, &f, c.name) {
			assert.Contains(t, f.What, c.want, c.name)
		}
	}
	require.NoError(t, gpu.Launch(2, 64, func(t gpu.Thread) { early(t, 40) }))
}
