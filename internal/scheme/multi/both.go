package multi

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Mirror is what the GPUs of a group know of each other's vertices in a run that pulls as well.
type Mirror[V gpu.Num] struct {
	// Known has two halves with a bit for each vertex of the graph: whether its value is final, and all GPUs have it. An iteration that pulls reads one
	// half and writes the words of the own range in the other, here and in There. The range of a GPU begins with a word.
	Known []uint32
	// There and Values are the same, and the values, in the memories of the other GPUs.
	There  [scheduler.MostPeers][]uint32
	Values [scheduler.MostPeers][]V
	// Found has three pairs of words, which iterations use in turn: how many vertices a pull has found, and how many outgoing arcs the next frontier has.
	Found []uint32
	// Stored says what each other GPU was told: how often the words of the range, and how many values.
	Stored []uint32
	Above  uint32 // a frontier with more arcs is pulled
}

// each calls f for the memory of each other GPU. The index of each call is a constant, as in Boxes.each.
func (m *Mirror[V]) each(others uint32, f func(known []uint32, values []V)) {
	if others > 0 {
		f(m.There[0], m.Values[0])
	}
	if others > 1 {
		f(m.There[1], m.Values[1])
	}
	if others > 2 {
		f(m.There[2], m.Values[2])
	}
	if others > 3 {
		f(m.There[3], m.Values[3])
	}
	if others > 4 {
		f(m.There[4], m.Values[4])
	}
	if others > 5 {
		f(m.There[5], m.Values[5])
	}
	if others > 6 {
		f(m.There[6], m.Values[6])
	}
}

// BothAll is PushAll for algorithms in which one update settles a vertex, such as breadth-first search: while the frontier has many arcs, a GPU
// pulls instead (Beamer, Asanovic and Patterson, Direction-Optimizing Breadth-First Search, SC 2012). Each vertex of its range without
// a final value looks among its incoming arcs, those of in, for a vertex with one. It finds these in a map of bits, which the owners of the vertices
// store in the memory of each GPU. So a pull sends no update over a link: all that travels is a bit for each vertex, and the values that are new.
//
// All GPUs decide alike, from the sum of what they have told each other. A push knows the next frontier only in part
// when it tells: vertices that two GPUs have found count twice.
func BothAll[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, p Part, in scheduler.Graph, values []V, r Rounds, lists Lists, boxes Boxes, mirror Mirror[V], group scheduler.GroupBarrier) {
	grid := scheduler.GridBarrier{Words: r.Barrier}
	others := gpu.Len(lists.Counts)
	pulls, now := false, uint32(0) // now is the half of Known that all GPUs have completed
	for i := uint32(1); ; i++ {
		from, to, slot := (i-1)%2, i%2, i%3*2
		work, arcs := uint32(0), uint32(0)
		if pulls {
			found := pullKnown(t, alg, p, in, values, mirror, now, others)
			addWarp(t, &mirror.Found[slot], found.vertices)
			addWarp(t, &mirror.Found[slot+1], found.arcs)
			grid.Wait(t)
			work, arcs = gpu.Load(&mirror.Found[slot]), gpu.Load(&mirror.Found[slot+1])
			if t.Global() == 0 {
				boxes.each(others, func(_ uint32, _ []uint64, told []uint32, _ []uint64, _ []uint32) {
					told[words*to], told[words*to+1], told[words*to+2] = 0, work, arcs
				})
				gpu.AtomicAdd(&mirror.Stored[0], 1)
				gpu.AtomicAdd(&mirror.Stored[1], work)
			}
		} else {
			count, chunks := gpu.Load(&r.Counts[from]), gpu.Load(&r.Counts[2+from])
			degrees := uint32(0)
			pushFrontier[A, M, V](t, alg, p, values, r, lists, scheduler.Queue{Stamp: r.Stamp, Iteration: i}, count, chunks, func(v uint32) { degrees += p.OutRow[v+1] - p.OutRow[v] })
			addWarp(t, &mirror.Found[slot+1], degrees)
			grid.Wait(t)
			work, arcs = count+chunks, gpu.Load(&mirror.Found[slot+1])
			boxes.each(others, func(k uint32, outbox []uint64, told []uint32, _ []uint64, _ []uint32) {
				send[A, V](t, alg, lists, k, outbox, told, to, values, work, arcs, false)
			})
		}
		group.Wait(t)
		all, wide := work, arcs
		boxes.each(others, func(_ uint32, _ []uint64, _ []uint32, inbox []uint64, heard []uint32) {
			if !pulls {
				receive[A, V](t, alg, p, inbox, gpu.Load(&heard[words*to]), to, values, r, scheduler.Queue{Stamp: r.Stamp, Iteration: i})
			}
			all += gpu.Load(&heard[words*to+1])
			wide = addArcs(wide, gpu.Load(&heard[words*to+2]))
		})
		// All have passed the barrier of this iteration, so nobody reads the words of the last one; the next but one has them.
		if t.Global() == 0 {
			gpu.Store(&mirror.Found[(i+2)%3*2], 0)
			gpu.Store(&mirror.Found[(i+2)%3*2+1], 0)
		}
		if pulls {
			now = 1 - now
			if all == 0 || i > r.Most {
				// A pull that finds nothing is the last iteration, as a push of the last frontier is. The frontier is what the pull has found.
				r.end(t, i, 1)
				if t.Global() == 0 {
					gpu.Store(&r.Counts[to], work)
				}
				return
			}
			if wide <= mirror.Above {
				enterNew[A, V](t, alg, p, r, mirror.Known, now, to)
				grid.Wait(t)
				pulls = false
			}
			continue
		}
		if all == 0 || i > r.Most {
			r.end(t, i, all)
			return
		}
		r.empty(t, from, lists)
		grid.Wait(t)
		if wide > mirror.Above {
			addWarp(t, &mirror.Stored[1], tellAll(t, alg, p, values, mirror, now, others))
			if t.Global() == 0 { // the frontier is in the values
				gpu.AtomicAdd(&mirror.Stored[0], 1)
				gpu.Store(&r.Counts[to], 0)
				gpu.Store(&r.Counts[2+to], 0)
			}
			group.Wait(t)
			pulls, now = true, 1-now
		}
	}
}

// reached is what a thread has found in a pull: vertices, and their outgoing arcs.
type reached struct{ vertices, arcs uint32 }

// pullKnown lets each vertex of the part that has no final value look for a neighbor that has one.
func pullKnown[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, p Part, in scheduler.Graph, values []V, mirror Mirror[V], now, others uint32) (found reached) {
	half := now * (gpu.Len(mirror.Known) / 2)
	eachWord(t, p, mirror.Known, now, func(at, old, v uint32, has bool) {
		fresh := false
		var x V
		if has && old>>t.Lane()&1 == 0 {
			x = gpu.Load(&values[v])
			end := in.Row[v-p.First+1]
			for e := in.Row[v-p.First]; e < end && !fresh; e++ {
				u := in.Col[e]
				if mirror.Known[half+u/gpu.WarpSize]>>(u%gpu.WarpSize)&1 != 0 {
					if update, ok := alg.Compute(in.Edge(e, u, v), gpu.Load(&values[u])); ok {
						x = alg.Combine(x, update)
						fresh = alg.Settled(x)
					}
				}
			}
			if fresh {
				gpu.Store(&values[v], x)
				found.vertices++
				found.arcs += p.OutRow[v+1] - p.OutRow[v]
			}
		}
		publish(t, mirror, now, others, at, old, v, x, fresh)
	})
	return found
}

// tellAll tells all GPUs the final values of the part which pushes have found, and returns how many of them the thread has told.
func tellAll[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, p Part, values []V, mirror Mirror[V], now, others uint32) (told uint32) {
	eachWord(t, p, mirror.Known, now, func(at, old, v uint32, has bool) {
		fresh := false
		var x V
		if has && old>>t.Lane()&1 == 0 {
			x = gpu.Load(&values[v])
			fresh = alg.Settled(x)
		}
		if fresh {
			told++
		}
		publish(t, mirror, now, others, at, old, v, x, fresh)
	})
	return told
}

// enterNew adds the vertices of the part that the last pull has found to a frontier: those that only one half of the map has.
func enterNew[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, p Part, r Rounds, known []uint32, now, to uint32) {
	before := (1 - now) * (gpu.Len(known) / 2)
	eachWord(t, p, known, now, func(at, word, v uint32, has bool) {
		if has && (word&^known[before+at])>>t.Lane()&1 != 0 {
			enter[A, V](t, alg, p, r, v, to)
		}
	})
}

// eachWord calls f for each word of a half of the map that the part has, in all lanes of a warp: at is its place in the half, and v the vertex of
// the lane; has is false in a lane that has none.
func eachWord(t gpu.Thread, p Part, known []uint32, half uint32, f func(at, word, v uint32, has bool)) {
	n := p.Graph.Vertices()
	begin := half * (gpu.Len(known) / 2)
	for w := t.Global() / gpu.WarpSize; w < (n+gpu.WarpSize-1)/gpu.WarpSize; w += t.Stride() / gpu.WarpSize {
		at, row := p.First/gpu.WarpSize+w, w*gpu.WarpSize+t.Lane()
		f(at, known[begin+at], p.First+row, row < n)
	}
}

// publish writes a word of the other half of the map, with the bits of the lanes whose vertices are fresh, and the values of these: here and in the memory of all
// others. All lanes of a warp call it together.
func publish[V gpu.Num](t gpu.Thread, mirror Mirror[V], now, others, at, old, v uint32, x V, fresh bool) {
	news := t.Ballot(gpu.FullMask, fresh)
	place := (1-now)*(gpu.Len(mirror.Known)/2) + at
	mirror.each(others, func(known []uint32, values []V) {
		if fresh {
			gpu.Store(&values[v], x)
		}
		if t.Lane() == 0 {
			known[place] = old | news
		}
	})
	if t.Lane() == 0 {
		mirror.Known[place] = old | news
	}
}

// addWarp adds a number of each lane to a word. All lanes of a warp call it together.
func addWarp(t gpu.Thread, word *uint32, n uint32) {
	sum := scheduler.Reduce(t, scheduler.WarpPerVertex{}, n, 0, func(a, b uint32) uint32 { return a + b })
	if t.Lane() == 0 && sum > 0 {
		gpu.AtomicAdd(word, sum)
	}
}

// addArcs adds two numbers of arcs; the largest number stands for all that are larger.
func addArcs(a, b uint32) uint32 {
	if a+b < a {
		return 1<<32 - 1
	}
	return a + b
}
