package levels

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

// TestStep runs the kernel as plain Go on a path of four vertices and a vertex that no arc
// reaches.
func TestStep(t *testing.T) {
	const none = ^uint32(0)
	row, col := []uint32{0, 1, 2, 3, 3, 3}, []uint32{1, 2, 3}
	level := []uint32{0, none, none, none, none}
	for depth, changed := uint32(0), uint32(1); changed != 0; depth++ {
		changed = 0
		err := gpu.Launch(2, 32, func(th gpu.Thread) { Step(th, row, col, level, depth, &changed) })
		require.NoError(t, err)
	}
	assert.Equal(t, []uint32{0, 1, 2, 3, none}, level)
}
