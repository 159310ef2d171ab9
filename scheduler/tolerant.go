package scheduler

import "github.com/weft-gpu/weft/gpu"

// Tolerant is an algorithm whose vertices may be computed from values that are somewhat old, so
// that small changes need not be sent to other GPUs (vertex refinement with a tolerance, Khorasani
// et al., PACT 2015). It has a scalar field Tolerance; if that is 0, every change is sent.
type Tolerant[V gpu.Num] interface {
	Algorithm[V]
	// Near reports whether a vertex may be known by its value sent instead of its value now.
	Near(v Vertex, sent, now V) bool
}
