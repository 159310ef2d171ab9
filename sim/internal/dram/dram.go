package dram

import (
	"github.com/weft-gpu/weft/internal/base/bitmix"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/timing"
	"github.com/weft-gpu/weft/sim/policy"
)

// Memory is the device memory: channels, each with a bus and banks, each with one open row. Requests are served in
// order of arrival.
type Memory struct {
	channels  []channel
	Hash      policy.AddressHash // nil: the built-in hash
	burst     uint64
	burstTime timing.Tick
	latency   uint64
	rowMiss   timing.Tick
	rowCycle  timing.Tick
	rowBytes  uint64
	banks     uint64
	Counts    Counts
}

// Counts are the counters of a memory.
type Counts struct {
	Read, Written      uint64 // bytes, whole bursts
	RowHits, RowMisses uint64 // accesses that found their row open, and other accesses
}

type channel struct {
	bus   timing.Tick // when it is free
	banks []bank
}

type bank struct {
	row  uint64      // open row + 1; 0 for none
	open timing.Tick // when another row can be opened
}

// channelChunk is the number of consecutive bytes in one channel.
const channelChunk = 512

// New returns an idle memory.
func New(c *config.DRAM, t config.DRAMTiming) *Memory {
	d := &Memory{
		channels: make([]channel, c.Channels), burst: uint64(c.Burst), burstTime: timing.Ticks(t.Burst),
		latency: uint64(t.Latency), rowMiss: timing.Ticks(float64(t.RowMiss)), rowCycle: timing.Ticks(float64(t.RowCycle)),
		rowBytes: uint64(c.RowBytes), banks: uint64(c.Banks),
	}
	for i := range d.channels {
		d.channels[i].banks = make([]bank, c.Banks)
	}
	return d
}

// Access transfers the sectors in the mask of the line at phys (128-byte aligned), from cycle t on, and returns the
// cycle at which the data is available. A burst transfers all sectors that it covers, including those that were not
// requested.
func (d *Memory) Access(phys uint64, sectors uint8, write bool, t uint64) uint64 {
	ch, b, row := d.find(phys)
	start := timing.At(t)
	if b.row != row+1 {
		d.Counts.RowMisses++
		start = max(start, b.open)
		b.row, b.open = row+1, start+d.rowCycle
		start += d.rowMiss
	} else {
		d.Counts.RowHits++
		// The row may still be opening for the previous access.
		start = max(start, b.open+d.rowMiss-min(d.rowCycle, b.open+d.rowMiss))
	}
	start = max(start, ch.bus)
	bursts := uint64(0)
	for per, i := uint(d.burst/config.SectorBytes), uint(0); i < config.LineBytes/config.SectorBytes; i += per {
		if sectors>>i&(1<<per-1) != 0 {
			bursts++
		}
	}
	ch.bus = start + timing.Tick(bursts)*d.burstTime
	if write {
		d.Counts.Written += bursts * d.burst
	} else {
		d.Counts.Read += bursts * d.burst
	}
	return ch.bus.Cycle() + d.latency
}

// find returns the channel and the bank of a line, and its row there.
func (d *Memory) find(phys uint64) (*channel, *bank, uint64) {
	n := uint64(len(d.channels))
	chunk := phys / channelChunk
	group := chunk / n
	which := (chunk + bitmix.Mix(group)) % n
	if d.Hash != nil {
		which = uint64(d.Hash.Slot(chunk, len(d.channels)))
	}
	ch := &d.channels[which]
	row := (group*channelChunk + phys%channelChunk) / d.rowBytes
	return ch, &ch.banks[(row^row/d.banks)%d.banks], row
}

// Open leaves the row of a line open, as an access does, and counts nothing.
func (d *Memory) Open(phys uint64) {
	_, b, row := d.find(phys)
	b.row = row + 1
}

// Encode calls word with everything that determines what the memory does from a time on: the open rows, and for how
// long banks and buses are reserved.
func (d *Memory) Encode(word func(x uint64), now timing.Tick) {
	for i := range d.channels {
		c := &d.channels[i]
		word(uint64(c.bus - min(c.bus, now)))
		for k := range c.banks {
			b := &c.banks[k]
			if b.row != 0 {
				until := b.open + d.rowMiss // the last time that an access can wait for; see Access
				word(uint64(k)<<56 | uint64(until-min(until, now)))
				word(b.row)
			}
		}
		word(^uint64(0))
	}
}

// Backlog returns how long the buses are reserved from now on, in cycles, averaged over the channels.
func (d *Memory) Backlog(now timing.Tick) float64 {
	var bus timing.Tick
	for i := range d.channels {
		c := &d.channels[i]
		bus += c.bus - min(c.bus, now)
	}
	return float64(bus) / timing.TicksPerCycle / float64(len(d.channels))
}
