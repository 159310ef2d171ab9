package kernels

import "github.com/weft-gpu/weft/scheduler"

// The speculative half of [Colouring]: a vertex sees the colours of its neighbors as a set of
// 63, and asks again for the next 63 if all of them are in use.

// The value of a vertex that is choosing is guessed plus the first colour of the set. That of
// one that has chosen is coloured plus guessed plus the colour.
const (
	guessed = uint64(1) << 62
	view    = 63 // colours
)

// Guess returns the colour of the neighbor, whatever its priority.
func (Colouring) Guess(e scheduler.Edge, src, dst uint64) uint64 {
	at := uint32(src) - firstOf(dst)
	if src&coloured == 0 || at >= view || e.Src == e.Dst {
		return 0
	}
	return 1 << at
}

// firstOf returns the first colour of the set of a vertex that is choosing: 0 if it has just
// begun, and its value is that of Init or a colour that it lost.
func firstOf(x uint64) uint32 {
	if x&(coloured|guessed) == guessed {
		return uint32(x)
	}
	return 0
}

// Choose takes the smallest colour that no neighbor has, or asks for the next set. A neighbor
// that chooses at the same time may have been seen in two sets; if the colour is therefore
// above the degree of the vertex, it begins again. With neighbors that rest, one of the first
// degree+1 colours is free.
func (Colouring) Choose(v scheduler.Vertex, old, taken uint64) (value uint64, done bool) {
	first := firstOf(old)
	free := smallest(^taken, view)
	switch {
	case free == view:
		return guessed | uint64(first+view), false
	case first+free > v.Degree:
		return guessed, false
	}
	return coloured | guessed | uint64(first+free), true
}

// Conflict reports whether both ends have the same colour, and the neighbor keeps it because
// of its priority.
func (a Colouring) Conflict(e scheduler.Edge, src, dst uint64) bool {
	return src&dst&coloured != 0 && uint32(src) == uint32(dst) &&
		precedes(e.Src, a.Degree[e.Src], e.Dst, a.Degree[e.Dst])
}
