package corpus

import "github.com/weft-gpu/weft/gpu"

//lint:file-ignore U1000 generated kernels use these

// This file is written by hand, too: how threads of different warps and blocks hand
// data over, by flags and fences.

// Net is what threads hand data over through. A place is one statement of a kernel,
// which every block executes once.
type Net struct {
	Flag  []uint32 // of each place and block; 0 before the launch
	Cell  []uint64 // of each place and thread; 0 before the launch
	Blank []uint64 // Owns of each thread, which nobody has written before the launch
}

// The sizes of Net. Flags and cells lie apart, so that some are in the far half of an
// L2 that has two.
const (
	Places    = 3
	MaxGrid   = 3
	flagWords = 1024
	cellWords = 64
)

// Never is a value that no thread hands over.
const Never = 1 << 63

// Flags and Cells are the lengths of the slices of Net.
const (
	Flags = Places * MaxGrid * flagWords
	Cells = Places * MaxGrid * MaxBlock * cellWords
)

// flag is the flag of a block at a place.
func (n Net) flag(place, block uint32) *uint32 { return &n.Flag[(place*MaxGrid+block)*flagWords] }

// cell is the cell of a thread of a block at a place.
func (n Net) cell(place, block, thread uint32) *uint64 {
	return &n.Cell[((place*MaxGrid+block)*MaxBlock+thread)*cellWords]
}

// peer is the block that a block takes data from.
func peer(t gpu.Thread) uint32 { return (t.Block() + 1) % t.GridDim() }

// compute takes long, and works in registers alone.
func compute(x, n uint32) uint32 {
	for range n {
		x = x*1664525 + 1013904223
	}
	return x
}
