package vwc

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Lanes2 to Lanes32 assign each vertex to a virtual warp of 2 to 32 lanes.
type (
	Lanes2  struct{ virtual[two] }
	Lanes4  struct{ virtual[four] }
	Lanes8  struct{ virtual[eight] }
	Lanes16 struct{ virtual[sixteen] }
	Lanes32 struct{ virtual[thirtyTwo] }
)

// width is a type for each number of lanes, so that the number is a constant of the kernel.
type width interface{ lanes() uint32 }

type (
	two       struct{}
	four      struct{}
	eight     struct{}
	sixteen   struct{}
	thirtyTwo struct{}
)

func (two) lanes() uint32       { return 2 }
func (four) lanes() uint32      { return 4 }
func (eight) lanes() uint32     { return 8 }
func (sixteen) lanes() uint32   { return 16 }
func (thirtyTwo) lanes() uint32 { return 32 }

// virtual is the mapping for a width.
type virtual[W width] struct{}

// Team returns the width.
func (virtual[W]) Team() scheduler.Team {
	var w W
	return scheduler.Team(w.lanes())
}

// Vertices is a grid-stride loop over virtual warps. Those of the same warp may leave it at
// different times, so no lane may wait for a lane of another one.
func (virtual[W]) Vertices(t gpu.Thread, n uint32, body func(i uint32)) {
	var w W
	for i := t.Global() / w.lanes(); i < n; i += t.Stride() / w.lanes() {
		body(i)
	}
}

// Arcs strides over the lanes of the virtual warp.
func (virtual[W]) Arcs(t gpu.Thread, begin, end uint32, body func(e uint32)) {
	var w W
	for e := begin + t.Lane()%w.lanes(); e < end; e += w.lanes() {
		body(e)
	}
}

// ArcsUntil makes the lanes of the virtual warp vote after each strip of arcs.
func (m virtual[W]) ArcsUntil(t gpu.Thread, begin, end uint32, body func(e uint32) bool) {
	var w W
	for strip := begin; strip < end; strip += w.lanes() {
		stop := false
		if e := strip + t.Lane()%w.lanes(); e < end {
			stop = body(e)
		}
		if t.Any(m.Team().Mask(t), stop) {
			return
		}
	}
}
