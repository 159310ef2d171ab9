package multi

import "github.com/weft-gpu/weft/gpu"

// Outbox collects values that a GPU sends to the others, with the numbers of their vertices.
type Outbox[V gpu.Num] struct {
	Vertices []uint32
	Values   []V
	// Top is the number of values that were ever put in an outbox of this GPU, and Begin what
	// it was before the launch.
	Top   *uint32
	Begin uint32
}

// Put puts the value of vertex v into the outbox for each lane in which send is true. All lanes
// of the warp call it together. It is online vertex refinement as on slide 23: a vote tells
// every lane who sends; the number of votes is the binary reduction; lane 0 reserves as many
// places by one atomic, and shuffles tell the others where they begin (A); the votes of the
// lanes below are the binary prefix sum, the lane's place after A.
func (o Outbox[V]) Put(t gpu.Thread, v uint32, x V, send bool) {
	votes := t.Ballot(gpu.FullMask, send)
	if votes == 0 {
		return
	}
	var a uint32
	if t.Lane() == 0 {
		a = gpu.AtomicAdd(o.Top, gpu.PopCount(votes))
	}
	a = gpu.Shfl(t, gpu.FullMask, a, 0) - o.Begin
	if send {
		below := votes & (1<<t.Lane() - 1)
		o.Vertices[a+gpu.PopCount(below)] = v
		o.Values[a+gpu.PopCount(below)] = x
	}
}

// Pack is the kernel that fills an outbox with the values of fixed vertices, whether they
// changed or not (Totem's maximal subset, slide 21). The receivers know the vertices too.
func Pack[V gpu.Num](t gpu.Thread, vertices []uint32, values []V, out []V) {
	for i := t.Global(); i < gpu.Len(vertices); i += t.Stride() {
		out[i] = values[vertices[i]]
	}
}

// Unpack is the kernel that stores the values of an inbox where the next iteration reads them.
// A value that is sent only if it changed must also be in the other one of the two arrays of
// values, for the iteration after that: then both is true.
func Unpack[V gpu.Num](t gpu.Thread, vertices []uint32, inbox []V, values, other []V, both bool) {
	for i := t.Global(); i < gpu.Len(vertices); i += t.Stride() {
		v, x := vertices[i], inbox[i]
		values[v] = x
		if both {
			other[v] = x
		}
	}
}
