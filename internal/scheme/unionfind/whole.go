package unionfind

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file has whole runs in one kernel each. Between two kernels a GPU waits for the host, on an H200 ten times as long as at a barrier of all
// blocks, and a run on a graph of a million vertices has eight kernels of 10 to 40 us.

// Whole is the kernel of a run that skips no component: one launch, whose blocks are all resident, does what Init or Tile, Hook, HookWide, Flatten and
// Spread do. The dynamic shared memory is that of Tile. barrier has one word, which is 0 before.
func Whole[A scheduler.Algorithm[V], V gpu.Num, E Edges](t gpu.Thread, alg A, g scheduler.Graph, outRow []uint32, in scheduler.Problem, f Forest, values []V, edges E, wide Wide, barrier []uint32) {
	grid := scheduler.GridBarrier{Words: barrier}
	hookAll[A, V, E](t, alg, g, outRow, in, f, values, owned{0, in.Vertices}, edges, wide, &grid)
	finish[A, V](t, alg, f, values, wide, &grid)
}

// hookAll sets the first values and hooks all edges, when no component is skipped.
func hookAll[A scheduler.Algorithm[V], V gpu.Num, E Edges](t gpu.Thread, alg A, g scheduler.Graph, outRow []uint32, in scheduler.Problem, f Forest, values []V, own owned, edges E, wide Wide, grid *scheduler.GridBarrier) {
	if edges.Tiled() {
		size := gpu.Len(gpu.DynamicShared[uint32](t))
		for base := t.Block() * size; base < own.count; base += t.GridDim() * size {
			tile[A, V](t, alg, g, outRow, in, f, values, own, base)
			t.Sync() // all threads have read the parents that the next tile overwrites
		}
	} else {
		initial[A, V](t, alg, g, outRow, in, f, values, own)
	}
	grid.Wait(t)
	hookRest[E](t, g, f, edges, wide, grid)
}

// WholeRest is the kernel of a run that skips the largest component: one launch, whose blocks are all resident, does what Init, HookRoots, Sample,
// Compress, Hook, HookWide, Flatten and Spread do. Of the launches of Sample there are at least so many as rounds.
func WholeRest[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, outRow []uint32, in scheduler.Problem, f Forest, values []V, largest Largest, rounds uint32, wide Wide, barrier []uint32) {
	grid := scheduler.GridBarrier{Words: barrier}
	hookOutside[A, V](t, alg, g, outRow, in, f, values, owned{0, in.Vertices}, largest, rounds, wide, &grid)
	finish[A, V](t, alg, f, values, wide, &grid)
}

// hookOutside sets the first values, finds the largest component, and hooks the edges outside of it.
func hookOutside[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, outRow []uint32, in scheduler.Problem, f Forest, values []V, own owned, largest Largest, rounds uint32, wide Wide, grid *scheduler.GridBarrier) {
	initial[A, V](t, alg, g, outRow, in, f, values, own)
	grid.Wait(t)
	HookRoots(t, g, f)
	grid.Wait(t)
	before := uint32(0)
	for round := uint32(0); ; round++ {
		decides := round >= rounds
		if decides && t.Block() == 0 {
			vote(t, g, f, largest)
		}
		flatten(t, f)
		grid.Wait(t)
		if decides {
			// The next vote is behind a barrier, so that all threads see the same one, and go on or not together.
			votes := gpu.Load(largest.Votes)
			if enough(before, votes, t.BlockDim(), round) {
				break
			}
			before = votes
		}
		Sample(t, g, f, round+1)
		grid.Wait(t)
	}
	hookRest[Rest](t, g, f, Rest{largest.Root}, wide, grid)
}

// hookRest hooks the edges that are left.
func hookRest[E Edges](t gpu.Thread, g scheduler.Graph, f Forest, edges E, wide Wide, grid *scheduler.GridBarrier) {
	Hook[E](t, g, f, edges, wide)
	grid.Wait(t)
	// Every thread sees the same counts, so that all skip this barrier or none does.
	if gpu.Load(&wide.Counts[ForWarps])+gpu.Load(&wide.Counts[ForBlocks]) > 0 {
		HookWide[E](t, g, f, edges, wide)
		grid.Wait(t)
	}
}

// finish gives each vertex the value of its component.
func finish[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, f Forest, values []V, wide Wide, grid *scheduler.GridBarrier) {
	moved := &wide.Counts[Moved]
	Flatten[A, V](t, alg, f, values, moved)
	grid.Wait(t)
	if gpu.Load(moved) > 0 {
		Spread[V](t, f, values)
	}
}
