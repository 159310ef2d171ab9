package hw

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/hw/internal/worker"
)

// TestFullOf checks which resource is named, with the sizes of an H200.
func TestFullOf(t *testing.T) {
	info := Info{ThreadsPerSM: 2048, BlocksPerSM: 32, RegistersPerSM: 65536, SharedPerSM: 233472, ReservedShared: 1024}
	for _, c := range []struct {
		perSM, registers, shared, threads, dynamic int
		want                                       string
	}{
		{4, 108, 0, 128, 0, "registers are full (108 per thread, 128 threads per block)"},
		{16, 20, 0, 128, 0, "places for warps are full (128 threads per block)"},
		{32, 20, 0, 32, 0, "places for blocks are full"},
		{32, 20, 0, 64, 0, "places for blocks are full and places for warps are full (64 threads per block)"},
		{2, 20, 1000, 128, 100_000, "shared memory is full (101000 bytes per block)"},
		{3, 20, 0, 128, 0, ""},
	} {
		r := room{c.perSM, worker.FuncInfo{Registers: c.registers, Shared: c.shared}}
		assert.Equal(t, c.want, fullOf(info, r, c.threads, c.dynamic), "%+v", c)
	}
}
