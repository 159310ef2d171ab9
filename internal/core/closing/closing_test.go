package closing

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
)

// TestClose closes between and during calls.
func TestClose(t *testing.T) {
	freed := 0
	free := func() { freed++ }
	var idle Calls
	idle.Begin().End()
	assert.False(t, idle.Closed())
	idle.Close(free)
	assert.Equal(t, 1, freed, "no call is in progress")
	idle.Begin().End()
	idle.Close(free)
	assert.Equal(t, 1, freed, "it is freed once")

	freed = 0
	var busy Calls
	ctx, cancel := context.WithCancel(t.Context())
	outer := busy.Begin()
	launch := busy.During(ctx)
	inner := busy.Begin()
	assert.NoError(t, launch.Err())
	busy.Close(free)
	assert.True(t, busy.Closed())
	assert.ErrorIs(t, launch.Err(), device.ErrClosed)
	inner.End()
	assert.Zero(t, freed, "the outer call still uses it")
	late := busy.Begin()
	outer.End()
	assert.Zero(t, freed, "a call that began afterwards counts too")
	late.End()
	assert.Equal(t, 1, freed)
	cancel()
	assert.ErrorIs(t, launch.Err(), context.Canceled, "the caller's own reason comes first")
}
