package race_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/function"
)

const crowdSource = `package racy

import "github.com/weft-gpu/weft/gpu"

// Crowd loads one word in all warps, and the last block stores it.
func Crowd(t gpu.Thread, x, y []uint32) {
	y[t.Global()] = x[0]
	if t.Block() == t.GridDim()-1 && t.Idx() == 0 {
		x[0] = 1
	}
}
`

// TestForgotten checks that it is known whether accesses were forgotten.
func TestForgotten(t *testing.T) {
	for _, c := range []struct {
		blocks    int
		forgotten bool
	}{{40, false}, {200, true}} {
		races := device.NewRaces()
		d := function.New(function.Options{Races: races})
		k, err := racyCompiler(crowdSource).Kernel(t.Context(), "racy.Crowd", nil)
		require.NoError(t, err)
		x, err := d.Alloc("x", device.U32, 1)
		require.NoError(t, err)
		require.NoError(t, d.Write(x, []uint32{0}))
		y, err := d.Alloc("y", device.U32, 32*c.blocks)
		require.NoError(t, err)
		_, err = d.Launch(t.Context(), device.Launch{Kernel: k, Grid: c.blocks, Block: 32, Args: []any{x, y}})
		require.NoError(t, err)
		assert.Len(t, races.List(), 1)
		assert.Equal(t, c.forgotten, races.Forgotten() > 0, c.blocks)
	}
	assert.Zero(t, (*device.Races)(nil).Forgotten())
}
