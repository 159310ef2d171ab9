// Package byhand has hand-written versions of iterations that package bsp composes from an algorithm and a mapping, to
// measure the cost of the composition.
package byhand

import "github.com/weft-gpu/weft/gpu"

// BFSThread is an iteration of BFS, with one thread per vertex.
func BFSThread(t gpu.Thread, row, col, levels, in []uint32, n uint32, out []uint32, count *uint32) {
	for i := t.Global(); i < n; i += t.Stride() {
		u := in[i]
		begin, end := row[u], row[u+1]
		next := min(gpu.Load(&levels[u]), ^uint32(0)-1) + 1
		for e := begin; e < end; e++ {
			v := col[e]
			old := gpu.Load(&levels[v])
			if old > next {
				old = gpu.AtomicMin(&levels[v], next)
			}
			if min(old, next) != old {
				out[gpu.AtomicAdd(count, 1)] = v
			}
		}
	}
}

// SSSPWarp is an iteration of SSSP, in phases if delta is not 0, with one warp per vertex.
func SSSPWarp(t gpu.Thread, row, col, weight, distances, in []uint32, n uint32, out []uint32, count *uint32, stamp []uint32, iteration uint32, phase, delta uint32) {
	for i := t.Global() / gpu.WarpSize; i < n; i += t.Stride() / gpu.WarpSize {
		u := in[i]
		begin, end := row[u], row[u+1]
		src := gpu.Load(&distances[u])
		for e := begin + t.Lane(); e < end; e += gpu.WarpSize {
			v := col[e]
			d := src + weight[e]
			if d < src {
				continue
			}
			old := gpu.Load(&distances[v])
			if old > d {
				old = gpu.AtomicMin(&distances[v], d)
			}
			next := min(old, d)
			if next == old || delta != 0 && next-phase*delta >= delta {
				continue
			}
			if gpu.Load(&stamp[v]) != iteration && gpu.AtomicExch(&stamp[v], iteration) != iteration {
				out[gpu.AtomicAdd(count, 1)] = v
			}
		}
	}
}

// room is the capacity of a block's queue, in vertices.
const room = 1024

// queue is the queue of a block.
type queue struct {
	vertices    [room]uint32
	found, base uint32
}

// BFSBlockQueue is an iteration of BFS, with one thread per vertex and a queue in each block's shared memory.
func BFSBlockQueue(t gpu.Thread, row, col, levels, in []uint32, n uint32, out []uint32, count *uint32) {
	q := gpu.Shared[queue](t)
	if t.Idx() == 0 {
		q.found = 0
	}
	t.Sync()
	for i := t.Global(); i < n; i += t.Stride() {
		u := in[i]
		level := gpu.Load(&levels[u])
		for e := row[u]; e < row[u+1]; e++ {
			v := col[e]
			next := min(level, ^uint32(0)-1) + 1
			old := gpu.Load(&levels[v])
			if old > next {
				old = gpu.AtomicMin(&levels[v], next)
			}
			if next < old {
				if slot := gpu.AtomicAdd(&q.found, 1, gpu.BlockScope); slot < room {
					q.vertices[slot] = v
				} else {
					out[gpu.AtomicAdd(count, 1)] = v
				}
			}
		}
	}
	t.Sync()
	found := min(q.found, room)
	if t.Idx() == 0 && found > 0 {
		q.base = gpu.AtomicAdd(count, found)
	}
	t.Sync()
	for i := t.Idx(); i < found; i += t.BlockDim() {
		out[q.base+i] = q.vertices[i]
	}
}
