package memory

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFloor allocates half of the floor in small pieces: the collector does not run. Where the limit of memory is low,
// there is no floor.
func TestFloor(t *testing.T) {
	defer func() { floor = nil }()
	const size = 64 << 20
	runtime.GC()
	Floor(size)
	runtime.GC() // the goal of the next collection counts the floor
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var keep [][]byte
	for range 2 << 10 {
		keep = append(keep, make([]byte, size/2/(2<<10)))
	}
	runtime.ReadMemStats(&after)
	assert.Equal(t, before.NumGC, after.NumGC)
	assert.Len(t, keep, 2<<10)

	floor = nil
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(8*size - 1))
	Floor(size)
	assert.Nil(t, floor)
}
