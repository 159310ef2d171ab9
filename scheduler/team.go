package scheduler

import "github.com/weft-gpu/weft/gpu"

// Leader reports whether the thread is the first of its team.
func Leader[M Mapping](t gpu.Thread, m M) bool {
	switch m.Team() {
	case OneWarp:
		return t.Lane() == 0
	case OneBlock:
		return t.Idx() == 0
	case OneThread:
		return true
	}
	return t.Lane()%uint32(m.Team()) == 0
}

// Once calls f in the team's leader and returns its result in all threads of the team. They
// must call it together.
func Once[V gpu.Num, M Mapping](t gpu.Thread, m M, f func() V) V {
	var x V
	if Leader(t, m) {
		x = f()
	}
	switch m.Team() {
	case OneWarp:
		return gpu.Shfl(t, gpu.FullMask, x, 0)
	case OneBlock:
		return fromFirst(t, x)
	case OneThread:
		return x
	}
	return gpu.Shfl(t, m.Team().Mask(t), x, t.Lane()-t.Lane()%uint32(m.Team()))
}

// fromFirst returns the x of the block's first thread.
func fromFirst[V gpu.Num](t gpu.Thread, x V) V {
	slot := gpu.Shared[V](t)
	if t.Idx() == 0 {
		*slot = x
	}
	t.Sync()
	x = *slot
	t.Sync() // the next call may overwrite the slot
	return x
}

// Reduce combines x over the threads of the team, which must call it together. Only the
// leader's result is valid.
func Reduce[V gpu.Num, M Mapping](t gpu.Thread, m M, x, identity V, combine func(a, b V) V) V {
	switch m.Team() {
	case OneWarp:
		return reduceWarp(t, x, combine)
	case OneBlock:
		return reduceBlock(t, x, identity, combine)
	case OneThread:
		return x
	}
	return reduceLanes(t, m.Team(), x, combine)
}

// reduceWarp combines x over the lanes in five steps of halving distance. All lanes get the
// result, always combined in the same order.
func reduceWarp[V gpu.Num](t gpu.Thread, x V, combine func(a, b V) V) V {
	for d := uint32(gpu.WarpSize / 2); d > 0; d /= 2 {
		x = combine(x, gpu.ShflXor(t, gpu.FullMask, x, d))
	}
	return x
}

// reduceBlock reduces each warp; then the first warp reduces the results of the warps.
func reduceBlock[V gpu.Num](t gpu.Thread, x, identity V, combine func(a, b V) V) V {
	part := gpu.Shared[[gpu.WarpSize]V](t)
	x = reduceWarp(t, x, combine)
	if t.Lane() == 0 {
		part[t.Warp()] = x
	}
	t.Sync()
	if t.Warp() == 0 {
		x = identity
		if t.Lane() < t.BlockDim()/gpu.WarpSize {
			x = part[t.Lane()]
		}
		x = reduceWarp(t, x, combine)
	}
	t.Sync() // the next call may overwrite part
	return x
}

// Tally adds the n of all lanes of a warp to *total with one atomic, and without one if all
// are 0. All lanes must call it together.
func Tally(t gpu.Thread, n uint32, total *uint32) {
	sum := reduceWarp(t, n, func(a, b uint32) uint32 { return a + b })
	if t.Lane() == 0 && sum > 0 {
		gpu.AtomicAdd(total, sum)
	}
}

// PrefixSum returns, in each lane of a warp, the sum of x over the lanes below, and the sum
// over all lanes. All lanes must call it together.
func PrefixSum(t gpu.Thread, x uint32) (below, all uint32) {
	sum := SumUpTo(t, x)
	return sum - x, gpu.Shfl(t, gpu.FullMask, sum, gpu.WarpSize-1)
}

// SumUpTo returns, in each lane of a warp, the sum of x over the lanes up to this one. All
// lanes must call it together.
func SumUpTo(t gpu.Thread, x uint32) uint32 {
	for d := uint32(1); d < gpu.WarpSize; d *= 2 {
		if below := gpu.ShflUp(t, gpu.FullMask, x, d); t.Lane() >= d {
			x += below
		}
	}
	return x
}

// Mask returns the lanes of the thread's team, for teams of up to a warp.
func (n Team) Mask(t gpu.Thread) uint32 {
	return gpu.FullMask >> (gpu.WarpSize - uint32(n)) << (t.Lane() - t.Lane()%uint32(n))
}

// reduceLanes is reduceWarp for a team that is a part of a warp. The other teams of the
// warp may be elsewhere, so the mask has the lanes of this team alone.
func reduceLanes[V gpu.Num](t gpu.Thread, team Team, x V, combine func(a, b V) V) V {
	for d := uint32(team) / 2; d > 0; d /= 2 {
		x = combine(x, gpu.ShflXor(t, team.Mask(t), x, d))
	}
	return x
}
