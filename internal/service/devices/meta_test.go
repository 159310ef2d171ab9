package devices

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/results"
)

// described is a GPU of which only the driver's description is known.
type described struct{ device.Device }

func (described) Name() string { return "hw" }

func (described) Info() hw.Info {
	return hw.Info{Name: "NVIDIA H200", Major: 9, SMs: 132, ClockKHz: 1980000, MemoryClockKHz: 3201000, MemoryBusBits: 6016, L2Bytes: 62914560, ThreadsPerSM: 2048, BlocksPerSM: 32,
		RegistersPerSM: 65536, SharedPerSM: 233472, SharedPerBlock: 232448, ReservedShared: 1024, Memory: 150 << 30}
}

// TestMeta checks that a record has what the driver says of the GPU.
func TestMeta(t *testing.T) {
	m := Meta(described{}, "weft record")
	assert.Equal(t, "NVIDIA H200", m.GPU)
	assert.Equal(t, 132, m.SMs)
	assert.Equal(t, 1980, m.ClockMHz)
	assert.Equal(t, &results.Properties{Capability: "9.0", Threads: 2048, Blocks: 32, Registers: 65536, SharedBytes: 233472, SharedBlock: 232448, SharedReserve: 1024,
		L2Bytes: 62914560, BusBits: 6016, Memory: 150 << 30}, m.Properties)
}
