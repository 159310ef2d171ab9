package cache

import (
	"github.com/weft-gpu/weft/internal/bitmix"
	"github.com/weft-gpu/weft/internal/hugepage"
	"github.com/weft-gpu/weft/sim/config"
)

// L2 holds the tags of all slices of an L2, without bytes: the L2 is coherent, so its data is the contents of device
// memory. It evicts the least recently used line.
type L2 struct {
	sets  uint64
	ways  uint64
	tags  []uint32 // by slice, set, way: the low bits of the line number + 1; 0 for none
	lines []Line   // same indices
	use   uint32   // time stamp of the last use
}

// Line is a line of an L2.
type Line struct {
	num   uint64 // line number
	Ready uint64 // cycle at which the sectors being filled arrive
	use   uint32
	Valid uint8 // sectors
	Dirty uint8 // sectors
}

// Addr returns the address of the line.
func (ln *Line) Addr() uint64 { return ln.num * lineBytes }

// NewL2 returns empty slices.
func NewL2(c *config.L2) L2 {
	l := L2{sets: uint64(c.Bytes / lineBytes / c.Ways / c.Slices), ways: uint64(c.Ways)}
	n := uint64(c.Slices) * l.sets * l.ways
	l.tags, l.lines = hugepage.Make[uint32](int(n)), hugepage.Make[Line](int(n))
	return l
}

// tag returns the tag of a line; it is never 0.
func tag(num uint64) uint32 { return max(uint32(num+1), 1) }

// first returns the index of the first way of a line's set in a slice.
func (l *L2) first(slice, num uint64) uint64 {
	return (slice*l.sets + bitmix.Mix(num)%l.sets) * l.ways
}

// Find returns the line at addr in a slice, or nil if it is not present.
func (l *L2) Find(slice, addr uint64) *Line {
	num := addr / lineBytes
	tag, set := tag(num), l.first(slice, num)
	for i, t := range l.tags[set : set+l.ways] {
		if t == tag {
			if ln := &l.lines[set+uint64(i)]; ln.num == num {
				return ln
			}
		}
	}
	return nil
}

// Use makes a line the most recently used one.
func (l *L2) Use(ln *Line) {
	l.use++
	ln.use = l.use
}

// Replace inserts the line at addr, which must not be present, into a slice, with no valid sectors, and returns it
// with the evicted line, which is empty if there was room.
func (l *L2) Replace(slice, addr uint64) (ln *Line, gone Line) {
	num := addr / lineBytes
	set := l.first(slice, num)
	victim := set
	for i := set; i < set+l.ways; i++ {
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
	*ln = Line{num: num}
	l.tags[victim] = tag(num)
	return ln, gone
}
