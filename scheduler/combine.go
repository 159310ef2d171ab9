package scheduler

import "github.com/weft-gpu/weft/gpu"

// Min is the base of an algorithm in which the smallest update wins.
type Min[V gpu.Int] struct{ common[V] }

// Combine returns the smaller of a and b.
func (Min[V]) Combine(a, b V) V { return min(a, b) }

// Identity returns the largest V.
func (Min[V]) Identity() V { return ^Max[V]{}.Identity() }

// Update is an atomic minimum. In graph algorithms most updates come too late to change
// anything, and a load that detects this is cheaper than an atomic.
func (Min[V]) Update(p *V, x V) V {
	if old := gpu.Load(p); old <= x {
		return old
	}
	return gpu.AtomicMin(p, x)
}

// Apply returns the gathered value if it is smaller than the old one.
func (Min[V]) Apply(v Vertex, old, gathered V) (V, bool) {
	return min(old, gathered), gathered < old
}

// Max is the base of an algorithm in which the largest update wins.
type Max[V gpu.Int] struct{ common[V] }

// Combine returns the larger of a and b.
func (Max[V]) Combine(a, b V) V { return max(a, b) }

// Identity returns the smallest V: only the sign bit set if V is signed, 0 otherwise.
func (Max[V]) Identity() V {
	if ones := ^V(0); ones > 0 {
		return 0
	}
	wide := uint64(1) << 63
	if sign := V(wide); sign != 0 {
		return sign
	}
	narrow := uint32(1) << 31
	return V(narrow)
}

// Update is an atomic maximum. It omits the atomic if a load shows that it would change
// nothing.
func (Max[V]) Update(p *V, x V) V {
	if old := gpu.Load(p); old >= x {
		return old
	}
	return gpu.AtomicMax(p, x)
}

// Apply returns the gathered value if it is larger than the old one.
func (Max[V]) Apply(v Vertex, old, gathered V) (V, bool) {
	return max(old, gathered), gathered > old
}

// Add is the base of an algorithm in which updates add up.
type Add[V gpu.Num] struct{ common[V] }

// Combine returns a + b.
func (Add[V]) Combine(a, b V) V { return a + b }

// Identity returns 0.
func (Add[V]) Identity() V { return 0 }

// Update is an atomic addition.
func (Add[V]) Update(p *V, x V) V { return gpu.AtomicAdd(p, x) }

// Apply adds the gathered value.
func (Add[V]) Apply(v Vertex, old, gathered V) (V, bool) {
	return old + gathered, gathered != 0
}

// Swap combines x into *p by compare-and-swap and returns the old value. It implements
// Update for an algorithm whose Combine has no native atomic.
func Swap[V gpu.Num](p *V, x V, combine func(a, b V) V) V {
	old := gpu.Load(p)
	for {
		next := combine(old, x)
		if next == old {
			return old
		}
		seen := gpu.AtomicCAS(p, old, next)
		if seen == old {
			return old
		}
		old = seen
	}
}

// common has the methods that are the same in Min, Max and Add.
type common[V gpu.Num] struct{}

// Take returns the current value of the vertex.
func (common[V]) Take(v Vertex, p *V) V { return gpu.Load(p) }

// Consumes returns false: Take only reads.
func (common[V]) Consumes() bool { return false }

// Active reports whether the value changed.
func (common[V]) Active(v uint32, old, new V) bool { return new != old }

// Unique returns false: a value may change several times per iteration.
func (common[V]) Unique() bool { return false }

// EarlyEnd returns false.
func (common[V]) EarlyEnd() bool { return false }

// Settled returns false.
func (common[V]) Settled(x V) bool { return false }

// Turn returns x.
func (common[V]) Turn(v Vertex, x V, pull bool) V { return x }

// Phases returns false.
func (common[V]) Phases() bool { return false }

// Phase returns NoPhase.
func (common[V]) Phase(v, now uint32, x V) uint32 { return NoPhase }

// Enter returns true.
func (common[V]) Enter(v Vertex, p *V) bool { return true }

// Joins returns true.
func (common[V]) Joins(v, now uint32, x V) bool { return true }

// Gives returns true: every vertex gives what it has.
func (common[V]) Gives(v, now uint32, x V) bool { return true }

// Counts returns false: updates are combined.
func (common[V]) Counts() bool { return false }

// Closed returns false: every value may still change.
func (common[V]) Closed(now uint32, x V) bool { return false }

// Reverse returns false.
func (common[V]) Reverse(phase uint32) bool { return false }

// Levels returns false.
func (common[V]) Levels() bool { return false }

// Return returns NoPhase: there is no way back.
func (common[V]) Return(level uint32) uint32 { return NoPhase }
