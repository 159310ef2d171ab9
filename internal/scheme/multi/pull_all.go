package multi

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// A vertex with so many incoming arcs is work for a warp, or for a block; one with fewer for a thread. The numbers are those of simdx.
const (
	forWarp  = 32
	forBlock = 1024
)

// Classes are the rows of a part by how many threads share the arcs of one: rows for a block, then those for a warp, then those for
// a thread.
type Classes struct {
	Rows          []uint32
	Blocks, Warps uint32 // how many rows are for a block, and for a warp
}

// What a GPU stores in the memory of others in an iteration that pulls.
const (
	SendAll     = iota // all values of its range, each as it is computed
	SendRead           // those that the other GPU reads, when all are computed
	SendChanged        // of these, the ones that have changed
)

// Replicas are what the GPUs of a group have of each other's values in a run that pulls, and what they tell each other. The other GPUs
// have numbers from 0, in their order.
type Replicas[V gpu.Num] struct {
	// Values and Next are the two arrays of values of the other GPUs, as an odd iteration uses them; an even one has them the other way round.
	Values, Next [scheduler.MostPeers][]V
	// Told has two words in the memory of the other GPU, for odd and even iterations: how many vertices of this GPU have changed. Heard is the
	// same in the memory of this GPU, for what the other one tells.
	Told, Heard [scheduler.MostPeers][]uint32
	// Sent and Useful have a word for each other GPU: values that were stored there, and of these the ones that it reads and that have changed.
	// Useful is empty if they are not to be counted.
	Sent, Useful []uint64
	Changed      []uint32 // three words, which iterations use in turn: how many vertices have changed
	// Before has a bit for each vertex of the part, in words of 32: whether it changed in the last iteration. SendChanged needs it.
	Before []uint32
	Send   uint32
}

// Ending is what the host reads at the end of a run.
type Ending struct{ Iterations, Changed *uint32 }

// each calls f for each other GPU. The index of each call is a constant, as in Boxes.each.
func (q *Replicas[V]) each(f func(k uint32, values, next []V, told, heard []uint32)) {
	others := gpu.Len(q.Sent)
	if others > 0 {
		f(0, q.Values[0], q.Next[0], q.Told[0], q.Heard[0])
	}
	if others > 1 {
		f(1, q.Values[1], q.Next[1], q.Told[1], q.Heard[1])
	}
	if others > 2 {
		f(2, q.Values[2], q.Next[2], q.Told[2], q.Heard[2])
	}
	if others > 3 {
		f(3, q.Values[3], q.Next[3], q.Told[3], q.Heard[3])
	}
	if others > 4 {
		f(4, q.Values[4], q.Next[4], q.Told[4], q.Heard[4])
	}
	if others > 5 {
		f(5, q.Values[5], q.Next[5], q.Told[5], q.Heard[5])
	}
	if others > 6 {
		f(6, q.Values[6], q.Next[6], q.Told[6], q.Heard[6])
	}
}

// PullAll is a whole run of a pull on one GPU of a group: one launch on each of them, whose blocks are all resident. In an iteration
// the GPU computes the values of its range, and stores them in the memories of the others: all of them at once, while it computes the next ones; or later
// those that others read, a warp 32 neighboring values at a time, so that they fill packets. A barrier of the grid separates the two, and one of the
// group two iterations. Values are double-buffered: nobody reads an array that an iteration writes.
//
// The run has ended if no vertex of any GPU has changed: each tells the others how many of its own have.
func PullAll[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, p Part, values, next []V, c Classes, q Replicas[V], barrier []uint32, most uint32, end Ending, group scheduler.GroupBarrier) {
	grid := scheduler.GridBarrier{Words: barrier}
	var sent, useful uint32 // by this warp, to the GPU with the number of the lane
	// What prepares the memory of a GPU must have ended before another one stores there.
	group.Wait(t)
	for i := uint32(1); ; i++ {
		changed := &q.Changed[i%3]
		addWarp(t, changed, pullRows[A, V](t, alg, p, values, next, c, &q, i%2 == 0))
		grid.Wait(t)
		mine := gpu.Load(changed)
		if q.Send != SendAll || gpu.Len(q.Useful) > 0 {
			s, u := tell(t, p, values, next, &q, i%2 == 0, group.GPU)
			sent, useful = sent+s, useful+u
		}
		all := mine
		q.each(func(_ uint32, _, _ []V, told, _ []uint32) {
			if t.Global() == 0 {
				told[i%2] = mine
			}
		})
		group.Wait(t)
		q.each(func(_ uint32, _, _ []V, _, heard []uint32) { all += gpu.Load(&heard[i%2]) })
		// All have passed the barrier of this iteration, so that nobody reads the word of the last one; the next but one has it.
		if t.Global() == 0 {
			gpu.Store(&q.Changed[(i+2)%3], 0)
		}
		if all == 0 || i >= most {
			if t.Global() == 0 {
				*end.Iterations, *end.Changed = i, all
			}
			break
		}
		values, next = next, values
	}
	if sent > 0 {
		gpu.AtomicAdd(&q.Sent[t.Lane()], uint64(sent))
	}
	if useful > 0 {
		gpu.AtomicAdd(&q.Useful[t.Lane()], uint64(useful))
	}
}

// pullRows computes the next values of the part, the longest rows first, and returns how many have changed by this thread.
func pullRows[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, p Part, values, next []V, c Classes, q *Replicas[V], even bool) (changed uint32) {
	short := c.Blocks + c.Warps
	changed += pullClass[A, scheduler.BlockPerVertex, V](t, alg, p, values, next, c.Rows, 0, c.Blocks, t.Block(), t.GridDim(), q, even)
	changed += pullClass[A, scheduler.WarpPerVertex, V](t, alg, p, values, next, c.Rows, c.Blocks, short, t.Global()/gpu.WarpSize, t.Stride()/gpu.WarpSize, q, even)
	changed += pullClass[A, scheduler.ThreadPerVertex, V](t, alg, p, values, next, c.Rows, short, gpu.Len(c.Rows), t.Global(), t.Stride(), q, even)
	return changed
}

// pullClass computes the next values of the vertices of some rows, begin to end (exclusive), one team each.
func pullClass[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, p Part, values, next []V, rows []uint32, begin, end, team, teams uint32, q *Replicas[V], even bool) (changed uint32) {
	var m M
	for i := begin + team; i < end; i += teams {
		row := rows[i]
		v := p.First + row
		arcs := func() (begin, end uint32) { return p.Graph.Row[row], p.Graph.Row[row+1] }
		degree := func() uint32 { return p.OutRow[v+1] - p.OutRow[v] }
		scheduler.PullVertex[A, M, V](t, alg, p.Graph, values, next, v, arcs, degree, func() { changed++ })
		if q.Send == SendAll && scheduler.Leader(t, m) {
			x := next[v]
			q.each(func(_ uint32, first, second []V, _, _ []uint32) {
				if even {
					first[v] = x
				} else {
					second[v] = x
				}
			})
		}
	}
	return changed
}

// tell stores what the part's vertices have become in the memories of the other GPUs, unless that was done before. It returns how many values the warp has
// stored in the memory of the GPU with the number of the lane, and how many of all that were are useful.
func tell[V gpu.Num](t gpu.Thread, p Part, values, next []V, q *Replicas[V], even bool, own uint32) (sent, useful uint32) {
	if gpu.Len(q.Sent) == 0 {
		return 0, 0
	}
	n := p.Graph.Vertices()
	compares := q.Send == SendChanged || gpu.Len(q.Useful) > 0
	for w := t.Global() / gpu.WarpSize; w < (n+gpu.WarpSize-1)/gpu.WarpSize; w += t.Stride() / gpu.WarpSize {
		row := w*gpu.WarpSize + t.Lane()
		v, need := p.First+row, uint32(0)
		var x V
		fresh := false
		if row < n {
			x, need = next[v], p.Need[row]
			if compares {
				fresh = x != values[v]
			}
		}
		recent := gpu.FullMask
		if q.Send == SendChanged {
			// What others have in the array that they get this value in is two iterations old.
			moved := t.Ballot(gpu.FullMask, fresh)
			recent = moved
			if t.Lane() == 0 {
				recent |= q.Before[w]
				q.Before[w] = moved
			}
			recent = gpu.Shfl(t, gpu.FullMask, recent, 0)
		}
		q.each(func(k uint32, first, second []V, _, _ []uint32) {
			number := k // in the group
			if k >= own {
				number++
			}
			reads := need>>number&1 != 0
			if q.Send != SendAll {
				goes := reads && recent>>t.Lane()&1 != 0
				if goes {
					if even {
						first[v] = x
					} else {
						second[v] = x
					}
				}
				stored := t.Ballot(gpu.FullMask, goes)
				if t.Lane() == k {
					sent += gpu.PopCount(stored)
				}
			}
			if gpu.Len(q.Useful) > 0 {
				some := t.Ballot(gpu.FullMask, reads && fresh)
				if t.Lane() == k {
					useful += gpu.PopCount(some)
				}
			}
		})
	}
	return sent, useful
}
