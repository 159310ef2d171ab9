package kernels

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// WCC is weakly connected components of a directed graph: the value of a vertex is its
// label, in the end the smallest vertex number among those that it is connected with if the
// direction of arcs is ignored.
//
// It is the label propagation of [CC] without the opposite of each arc in memory. Phases
// alternate: even ones send labels along outgoing arcs, odd ones along incoming arcs, each
// until no label changes. A vertex takes part in a phase if it has not yet sent its label in
// that direction. The run ends when every vertex has sent its label in both.
//
// Source: Liu and Huang, SIMD-X, USENIX ATC 2019, section 3.2, names it as an algorithm whose
// updates vote; this is its usual form by label propagation.
type WCC struct {
	scheduler.Min[uint32]
	Out []uint32 // the label that a vertex last sent along its outgoing arcs
	In  []uint32 // the same for incoming arcs
}

// unsent is the label of a vertex that has sent none.
const unsent = ^uint32(0)

// Init returns the number of the vertex.
func (a WCC) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	a.Out[v.ID], a.In[v.ID] = unsent, unsent
	return v.ID
}

// Start returns true: every vertex has a label to send.
func (WCC) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Phases returns true.
func (WCC) Phases() bool { return true }

// Reverse reports whether the phase is odd.
func (WCC) Reverse(phase uint32) bool { return phase%2 == 1 }

// Phase returns the next phase if the label is smaller than what v has sent in its direction.
// The direction of phase now has nothing left to send.
func (a WCC) Phase(v, now uint32, label uint32) uint32 {
	sent := a.Out[v]
	if a.Reverse(now + 1) {
		sent = a.In[v]
	}
	if label < sent {
		return now + 1
	}
	return scheduler.NoPhase
}

// Enter reports whether there is an arc to send the label along. If not, it counts as sent.
func (a WCC) Enter(v scheduler.Vertex, p *uint32) bool {
	if v.Degree == 0 {
		a.sends(v, *p)
	}
	return v.Degree > 0
}

// Take notes that the label is sent.
func (a WCC) Take(v scheduler.Vertex, p *uint32) uint32 {
	label := gpu.Load(p)
	a.sends(v, label)
	return label
}

// sends notes that v sends a label in the direction of the phase.
func (a WCC) sends(v scheduler.Vertex, label uint32) {
	if a.Reverse(v.Phase) {
		a.In[v.ID] = label
	} else {
		a.Out[v.ID] = label
	}
}

// Consumes returns true: the label that is noted must be the one that all arcs carry.
func (WCC) Consumes() bool { return true }

// Compute passes the label of the source on.
func (WCC) Compute(e scheduler.Edge, label uint32) (uint32, bool) { return label, true }

// Spreads returns true: the answer is the smallest number in the component.
func (WCC) Spreads() bool { return true }
