package sim

import (
	"bytes"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// A line of L1 is stale if its bytes are older than those in memory: the value of a plain load then depends on whether
// the line is present. During the search for a hang, a stale line that is filled or removed counts as a change of what
// warps can read.

// stale reports whether data, the contents of the line at addr, differs from memory in the sectors.
func (m *machine) stale(addr uint64, sectors uint8, data *[lineBytes]byte) bool {
	if addr&ir.LocalWindow != 0 {
		return false // local memory: only timing
	}
	a, off := m.run.grid.Mem.Lookup(addr)
	if a == nil {
		return false
	}
	for sec := range sectorsPerLine {
		lo := off + sec*sectorBytes
		if sectors>>sec&1 == 0 || lo >= len(a.Data) {
			continue
		}
		hi := min(lo+sectorBytes, len(a.Data))
		if !bytes.Equal(a.Data[lo:hi], data[sec*sectorBytes:][:hi-lo]) {
			return true
		}
	}
	return false
}

// searching reports whether hang detection is active.
func (m *machine) searching() bool { return m.run.search.phase != 0 }

// dropL1 calls l1.drop.
func (m *machine) dropL1(s *sm, addr uint64, sectors uint8) {
	c := &s.l1
	if m.searching() {
		if i := c.Peek(addr); i >= 0 && m.stale(addr, *c.Valid(i)&sectors, &c.Data[i]) {
			m.progress()
		}
	}
	c.drop(addr, sectors, &m.packets)
}

// invalidateL1 invalidates an SM's L1.
func (m *machine) invalidateL1(s *sm) {
	c := &s.l1
	if c.filled && m.searching() {
		c.Each(func(addr uint64, i int) {
			if m.stale(addr, *c.Valid(i), &c.Data[i]) {
				m.progress()
			}
		})
	}
	c.Invalidate()
	c.filled = false
}

// allocateL1 allocates the line of a packet that brings data.
func (m *machine) allocateL1(s *sm, pk *packet, data *[lineBytes]byte) int {
	c := &s.l1
	i := c.Allocate(pk.line)
	c.filled = true
	if m.searching() && !pk.local {
		gone, sectors, at := pk.line, *c.Valid(i)&pk.sectors, i
		if c.EvictedSectors != 0 {
			gone, sectors, at = c.Evicted(), c.EvictedSectors, c.EvictedAt
		}
		if m.stale(gone, sectors, &c.Data[at]) || m.stale(pk.line, pk.sectors, data) {
			m.progress()
		}
	}
	return i
}
