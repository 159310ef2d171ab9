package dram

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// small returns a memory with one channel, two banks, rows of 1 KiB and bursts of 64 bytes.
func small() *Memory {
	return New(&config.DRAM{Channels: 1, Banks: 2, RowBytes: 1024, Burst: 64}, config.DRAMTiming{Burst: 4, Latency: 100, RowMiss: 20, RowCycle: 50})
}

func TestRows(t *testing.T) {
	d := small()
	assert.EqualValues(t, 124, d.Access(0, 0b0011, false, 0), "a row to open, one burst, the way")
	assert.Equal(t, Counts{Read: 64, RowMisses: 1}, d.Counts)
	assert.EqualValues(t, 1108, d.Access(128, 0b1111, false, 1000), "the row is open; two bursts")
	assert.Equal(t, Counts{Read: 192, RowMisses: 1, RowHits: 1}, d.Counts)
	assert.EqualValues(t, 1112, d.Access(256, 0b0100, true, 1000), "behind those on the bus; a burst carries more than was asked for")
	assert.Equal(t, Counts{Read: 192, Written: 64, RowMisses: 1, RowHits: 2}, d.Counts)
	assert.EqualValues(t, 2124, d.Access(1024, 1, false, 2000), "a row of the other bank")
	assert.EqualValues(t, 2128, d.Access(2048+1024, 1, false, 2000), "this too; the bus is free 4 cycles later")
}

func TestRowCycle(t *testing.T) {
	d := small()
	d.Access(0, 1, false, 0)
	other := uint64(0)
	for row := uint64(1); other == 0; row++ { // in the same bank
		if e := small(); func() bool {
			e.Access(0, 1, false, 0)
			e.Access(row*1024, 1, false, 1)
			return e.channels[0].banks[0].row == row+1
		}() {
			other = row * 1024
		}
	}
	assert.EqualValues(t, 50+20+4+100, d.Access(other, 1, false, 1), "the bank opens no other row for 50 cycles")
}

// one sends all accesses to the last channel.
type one struct{}

func (one) Slot(_ uint64, n int) int { return n - 1 }

func TestChannels(t *testing.T) {
	four := func() *Memory {
		return New(&config.DRAM{Channels: 4, Banks: 2, RowBytes: 1024, Burst: 64}, config.DRAMTiming{Burst: 4, Latency: 100, RowMiss: 20, RowCycle: 50})
	}
	spread, single := four(), four()
	single.Hash = one{}
	for chunk := range uint64(4) {
		spread.Access(chunk*channelChunk, 0b1111, false, 0)
		single.Access(chunk*channelChunk, 0b1111, false, 0)
	}
	assert.Equal(t, 28.0, spread.Backlog(timing.At(0)), "each channel opens a row and sends two bursts")
	assert.Equal(t, 13.0, single.Backlog(timing.At(0)), "one opens a row once and sends eight, three idle")
	busy := 0
	for _, c := range single.channels {
		if c.bus > 0 {
			busy++
		}
	}
	assert.Equal(t, 1, busy)
	assert.Zero(t, spread.Backlog(timing.At(1000)))
}
