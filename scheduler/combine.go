package scheduler

import "github.com/weft-gpu/weft/gpu"

// Min makes an algorithm in which the smallest update wins.
type Min[V gpu.Int] struct{ common[V] }

// Combine is the smaller of a and b.
func (Min[V]) Combine(a, b V) V { return min(a, b) }

// Identity is the largest V.
func (Min[V]) Identity() V { return ^Max[V]{}.Identity() }

// Update is an atomic minimum. Most updates of a graph algorithm come too late
// to change anything, and a load that finds that out is cheaper than an atomic.
func (Min[V]) Update(p *V, x V) V {
	if old := gpu.Load(p); old <= x {
		return old
	}
	return gpu.AtomicMin(p, x)
}

// Apply takes what was gathered where it is smaller.
func (Min[V]) Apply(v Vertex, old, gathered V) (V, bool) {
	return min(old, gathered), gathered < old
}

// Max makes an algorithm in which the largest update wins.
type Max[V gpu.Int] struct{ common[V] }

// Combine is the larger of a and b.
func (Max[V]) Combine(a, b V) V { return max(a, b) }

// Identity is the smallest V: the sign bit where V has one, else 0.
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

// Update is an atomic maximum, left out where a load shows that it would
// change nothing.
func (Max[V]) Update(p *V, x V) V {
	if old := gpu.Load(p); old >= x {
		return old
	}
	return gpu.AtomicMax(p, x)
}

// Apply takes what was gathered where it is larger.
func (Max[V]) Apply(v Vertex, old, gathered V) (V, bool) {
	return max(old, gathered), gathered > old
}

// Add makes an algorithm in which updates add up.
type Add[V gpu.Num] struct{ common[V] }

// Combine is the sum.
func (Add[V]) Combine(a, b V) V { return a + b }

// Identity is 0.
func (Add[V]) Identity() V { return 0 }

// Update is an atomic addition.
func (Add[V]) Update(p *V, x V) V { return gpu.AtomicAdd(p, x) }

// Apply adds what was gathered.
func (Add[V]) Apply(v Vertex, old, gathered V) (V, bool) {
	return old + gathered, gathered != 0
}

// Swap combines x into *p by compare and swap and returns the value before:
// Update for an algorithm whose Combine no native atomic does.
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

// common answers for Min, Max and Add what seldom differs.
type common[V gpu.Num] struct{}

// Take is the vertex's value at this moment.
func (common[V]) Take(v Vertex, p *V) V { return gpu.Load(p) }

// Consumes is false: Take only reads.
func (common[V]) Consumes() bool { return false }

// Active is that the value changed.
func (common[V]) Active(v uint32, old, new V) bool { return new != old }

// Unique is false: a value may improve many times in one iteration.
func (common[V]) Unique() bool { return false }

// EarlyEnd is false.
func (common[V]) EarlyEnd() bool { return false }

// Settled is false.
func (common[V]) Settled(x V) bool { return false }
