// Package reject has what docs/language.md shows the compiler to reject. It is apart from the rejections that are tested, to which each change
// of the language adds some.
package reject

import "github.com/weft-gpu/weft/gpu"

// Map has a map.
func Map(t gpu.Thread, out []uint32) {
	seen := map[uint32]uint32{}
	out[t.Idx()] = seen[t.Idx()]
}

// Print calls what devices do not have.
func Print(t gpu.Thread, out []uint32) {
	println(out[t.Idx()])
}

// Send has a channel.
func Send(t gpu.Thread, out chan uint32) {
	out <- t.Idx()
}
