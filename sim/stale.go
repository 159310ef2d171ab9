package sim

import (
	"bytes"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// A line of L1 is stale if its bytes are older than those in memory: the value of a plain load then depends on whether
// the line is present. During the search for a hang, a stale line that is filled or removed counts as a change of what
// warps can read.

// stale reports whether data, the contents of the line at addr, differs from memory in the sectors.
func (c *chip) stale(addr uint64, sectors uint8, data *[lineBytes]byte) bool {
	if addr&ir.LocalWindow != 0 {
		return false // local memory: only timing
	}
	a, off := c.run.grid.Mem.Lookup(addr)
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
