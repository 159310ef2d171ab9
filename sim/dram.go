package sim

import (
	"github.com/weft-gpu/weft/internal/bitmix"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/policy"
)

// dram is the device memory: channels with a bus each and banks with an open
// row. Requests are served in the order in which they come.
type dram struct {
	channels  []channel
	hash      policy.AddressHash // nil: mixed
	burst     uint64
	burstTime tick
	latency   uint64
	rowMiss   tick
	rowCycle  tick
	rowBytes  uint64
	banks     uint64
	read      uint64 // bytes
	written   uint64
	rowHits   uint64
	rowMisses uint64
}

type channel struct {
	bus   tick // when it is free
	banks []bank
}

type bank struct {
	row  uint64 // open row + 1; 0 for none
	open tick   // when another row may be opened
}

// channelChunk is how many consecutive bytes lie in one channel.
const channelChunk = 512

func newDRAM(c *config.DRAM, t config.DRAMTiming) *dram {
	d := &dram{
		channels: make([]channel, c.Channels), burst: uint64(c.Burst), burstTime: ticks(t.Burst),
		latency: uint64(t.Latency), rowMiss: ticks(float64(t.RowMiss)), rowCycle: ticks(float64(t.RowCycle)),
		rowBytes: uint64(c.RowBytes), banks: uint64(c.Banks),
	}
	for i := range d.channels {
		d.channels[i].banks = make([]bank, c.Banks)
	}
	return d
}

// access moves the sectors of the line at phys (128-byte aligned) that are in
// mask, from cycle t on, and returns the cycle at which the data is there.
// A burst carries all sectors it covers, also those that nobody asked for.
func (d *dram) access(phys uint64, sectors uint8, write bool, t uint64) uint64 {
	n := uint64(len(d.channels))
	chunk := phys / channelChunk
	group := chunk / n
	which := (chunk + bitmix.Mix(group)) % n
	if d.hash != nil {
		which = uint64(d.hash.Slot(chunk, len(d.channels))) % n
	}
	ch := &d.channels[which]
	local := group*channelChunk + phys%channelChunk
	row := local / d.rowBytes
	b := &ch.banks[(row^row/d.banks)%d.banks]
	start := at(t)
	if b.row != row+1 {
		d.rowMisses++
		start = max(start, b.open)
		b.row, b.open = row+1, start+d.rowCycle
		start += d.rowMiss
	} else {
		d.rowHits++
		// The row may still be opening for the access before.
		start = max(start, b.open+d.rowMiss-min(d.rowCycle, b.open+d.rowMiss))
	}
	start = max(start, ch.bus)
	bursts := uint64(0)
	for per, i := uint(d.burst/sectorBytes), uint(0); i < sectorsPerLine; i += per {
		if sectors>>i&(1<<per-1) != 0 {
			bursts++
		}
	}
	ch.bus = start + tick(bursts)*d.burstTime
	if write {
		d.written += bursts * d.burst
	} else {
		d.read += bursts * d.burst
	}
	return ch.bus.cycle() + d.latency
}
