package simdx

import "github.com/weft-gpu/weft/gpu"

// The three lists of a frontier, by the number of arcs of a vertex (section 4). Each list
// has its own threads: a thread, a warp or a block for a vertex.
const (
	small = iota
	medium
	large
	classes // the number of lists
)

// entry is an active vertex in a list. With the row it saves those that process the list a
// dependent access.
type entry struct {
	Vertex     uint32
	Begin, End uint32 // its arcs, or a part of them
	Degree     uint32 // number of its outgoing arcs
}

// entryWords is the size of an entry in a list in global memory.
const entryWords = 4

// Shape says which list a vertex belongs to, and how long the lists are.
type Shape struct {
	// Medium and Large are the smallest numbers of arcs of a vertex in those lists.
	Medium, Large uint32
	// Split is the largest number of arcs of an entry in the large list: a vertex with more
	// of them has several entries, so that several blocks share it. It is at least Large-1.
	Split uint32
	// Rooms of the three lists of a frontier, which follow each other in memory.
	SmallRoom, MediumRoom, LargeRoom uint32
}

// class returns the list of a vertex with that many arcs.
func (s Shape) class(arcs uint32) uint32 {
	switch {
	case arcs >= s.Large:
		return large
	case arcs >= s.Medium:
		return medium
	}
	return small
}

// pieces returns the number of entries of a vertex with that many arcs.
func (s Shape) pieces(arcs uint32) uint32 {
	if arcs <= s.Split {
		return 1
	}
	return (arcs-1)/s.Split + 1
}

// piece returns entry i of a vertex whose row is whole.
func (s Shape) piece(whole entry, i uint32) entry {
	if whole.End-whole.Begin > s.Split {
		whole.Begin += i * s.Split
		whole.End = min(whole.End, whole.Begin+s.Split)
	}
	return whole
}

// room returns the room of a list.
func (s Shape) room(class uint32) uint32 {
	switch class {
	case small:
		return s.SmallRoom
	case medium:
		return s.MediumRoom
	}
	return s.LargeRoom
}

// start returns where a list begins.
func (s Shape) start(class uint32) uint32 {
	switch class {
	case small:
		return 0
	case medium:
		return s.SmallRoom
	}
	return s.SmallRoom + s.MediumRoom
}

// entries returns the room of all lists together.
func (s Shape) entries() uint32 { return s.SmallRoom + s.MediumRoom + s.LargeRoom }

// lists are the lists of one frontier in global memory.
type lists struct {
	words []uint32
	first uint32 // the first entry of the frontier
	shape Shape
}

// get returns entry i of a list.
func (l lists) get(class, i uint32) entry {
	w := gpu.Load4(l.words, entryWords*(l.first+l.shape.start(class)+i))
	return entry{w[0], w[1], w[2], w[3]}
}

// put sets entry i of a list, and reports whether there is room for it.
func (l lists) put(class, i uint32, e entry) bool {
	if i >= l.shape.room(class) {
		return false
	}
	gpu.Store4(l.words, entryWords*(l.first+l.shape.start(class)+i), [4]uint32{e.Vertex, e.Begin, e.End, e.Degree})
	return true
}
