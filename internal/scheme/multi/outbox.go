package multi

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Outbox collects values that a GPU sends to the others, with the numbers of their vertices.
type Outbox[V gpu.Num] struct {
	Pairs []uint64 // see pair
	// Top is the number of pairs that were ever put in an outbox of this GPU, and Begin what it
	// was before the launch.
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
		scheduler.PutPair(o.Pairs, a+gpu.PopCount(below), v, x)
	}
}

// add puts the value of one vertex into the outbox. Any lanes of a warp may call it.
func (o Outbox[V]) add(t gpu.Thread, v uint32, x V) {
	scheduler.PutPair(o.Pairs, reserve(t, o.Top)-o.Begin, v, x)
}

// Empty is the kernel that stores the values of an inbox where the next iteration reads them.
// They were sent because they changed. Unless they change again they are not sent to the
// iteration after that, which reads the other one of the two arrays of values, so they go there
// too.
func Empty[V gpu.Num](t gpu.Thread, inbox []uint64, values, other []V) {
	for i := t.Global(); i < scheduler.PairsIn[V](inbox); i += t.Stride() {
		v, x := scheduler.GetPair[V](inbox, i)
		values[v] = x
		other[v] = x
	}
}

// Pack is the kernel that collects the values of fixed vertices, whether they changed or not
// (Totem's maximal subset, slide 21). The receivers know the vertices too.
func Pack[V gpu.Num](t gpu.Thread, vertices []uint32, values []V, out []V) {
	for i := t.Global(); i < gpu.Len(vertices); i += t.Stride() {
		out[i] = values[vertices[i]]
	}
}

// Unpack is the kernel that stores such values where the next iteration reads them.
func Unpack[V gpu.Num](t gpu.Thread, vertices []uint32, inbox []V, values []V) {
	for i := t.Global(); i < gpu.Len(vertices); i += t.Stride() {
		values[vertices[i]] = inbox[i]
	}
}

// Messages is how many messages a launch of Store sends: one to each of the other GPUs of a host
// with eight.
const Messages = 7

// Store is the kernel that brings what a GPU sends to the other ones by storing it there, instead
// of copies: src[m] is message m, and dst[m], in the memory of another GPU, where it goes.
// Messages that are not needed are empty. One launch sends all, because the host takes microseconds for each.
func Store[T gpu.Num](t gpu.Thread, src, dst [Messages][]T) {
	for m := range Messages {
		for i := t.Global(); i < gpu.Len(src[m]); i += t.Stride() {
			dst[m][i] = src[m][i]
		}
	}
}
