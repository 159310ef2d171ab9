package cache

import (
	"github.com/weft-gpu/weft/internal/base/hugepage"
	"github.com/weft-gpu/weft/internal/base/prefetch"
	"github.com/weft-gpu/weft/sim/config"
)

// L2 holds the tags of all slices of an L2, without bytes: the L2 is coherent, so its data is the contents of device
// memory. It evicts the least recently used line.
type L2 struct {
	index index
	sets  uint64
	ways  uint64
	tags  []uint32 // by slice, set, way: the low bits of the line number + 1; 0 for none
	lines []Line   // same indices
	// written are the bytes that have been written of those sectors of each line that are dirty and not valid.
	written [][sectorsPerLine]uint32

	_   [64]byte // others read the above while this is written
	use uint32   // time stamp of the last use
}

// Line is a line of an L2.
type Line struct {
	num   uint64 // line number
	Ready uint64 // cycle at which the sectors being filled arrive
	use   uint32
	Valid uint8 // sectors of which all bytes are present
	Dirty uint8 // sectors of which bytes have been written
	at    uint32
}

// Addr returns the address of the line.
func (ln *Line) Addr() uint64 { return ln.num * lineBytes }

// NewL2 returns empty slices.
func NewL2(c *config.L2) L2 {
	l := L2{sets: uint64(c.Bytes / lineBytes / c.Ways / c.Slices), ways: uint64(c.Ways)}
	l.index = newIndex(c.Index, l.sets)
	n := uint64(c.Slices) * l.sets * l.ways
	l.tags, l.lines = hugepage.Make[uint32](int(n)), hugepage.Make[Line](int(n))
	l.written = hugepage.Make[[sectorsPerLine]uint32](int(n))
	return l
}

// tag returns the tag of a line; it is never 0.
func tag(num uint64) uint32 { return max(uint32(num+1), 1) }

// Set returns the set of a line in its slice, whose lines are numbered from 0 on.
func (l *L2) Set(line uint64) uint64 { return l.index.set(line) }

// first returns the index of the first way of a set of a slice.
func (l *L2) first(slice, set uint64) uint64 { return (slice*l.sets + set) * l.ways }

// Find returns the line at addr in a set of a slice, or nil if it is not present.
func (l *L2) Find(slice, set, addr uint64) *Line {
	num := addr / lineBytes
	tag, first := tag(num), l.first(slice, set)
	for i, t := range l.tags[first : first+l.ways] {
		if t == tag {
			if ln := &l.lines[first+uint64(i)]; ln.num == num {
				return ln
			}
		}
	}
	return nil
}

// Prefetch asks the host's memory for the tags of a set of a slice.
func (l *L2) Prefetch(slice, set uint64) {
	prefetch.Value(&l.tags[l.first(slice, set)])
}

// Use makes a line the most recently used one.
func (l *L2) Use(ln *Line) {
	l.use++
	ln.use = l.use
}

// Replace inserts the line at addr, which must not be present, into a set of a slice, with no valid sectors, and returns
// it with the evicted line, which is empty if there was room.
func (l *L2) Replace(slice, set, addr uint64) (ln *Line, gone Line) {
	num := addr / lineBytes
	first := l.first(slice, set)
	victim := first
	for i := first; i < first+l.ways; i++ {
		if l.tags[i] == 0 {
			victim = i
			break
		}
		if int32(l.lines[i].use-l.lines[victim].use) < 0 {
			victim = i
		}
	}
	ln = &l.lines[victim]
	gone = *ln
	*ln = Line{num: num, at: uint32(victim)}
	l.tags[victim] = tag(num)
	return ln, gone
}

// Write records that the bytes in the mask of each sector have been written: the sectors are dirty, and one of which all
// bytes have been written is valid.
func (l *L2) Write(ln *Line, sectors uint8, bytes *[sectorsPerLine]uint32) {
	w := &l.written[ln.at]
	for s := range sectorsPerLine {
		bit := uint8(1) << s
		if sectors&bit == 0 || ln.Valid&bit != 0 {
			continue
		}
		if ln.Dirty&bit == 0 {
			w[s] = 0 // of a line that was here before
		}
		if w[s] |= bytes[s]; w[s] == ^uint32(0) {
			ln.Valid |= bit
		}
	}
	ln.Dirty |= sectors
}
