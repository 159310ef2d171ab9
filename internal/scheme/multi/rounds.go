package multi

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// heavy is the degree from which on a vertex is not one entry of a frontier for a team, but entries for blocks: one for each chunk of its
// arcs. A warp alone with a hub of an R-MAT graph would take as long as all other warps with all other vertices.
const (
	heavy = 256
	chunk = 1024
)

// Rounds are the frontiers of a persistent push on one GPU, and what the host reads of it.
type Rounds struct {
	// Vertices has two frontiers, one after the other, each with room for all vertices of the part: an
	// iteration reads one of them and fills the other. Heavy has as many for blocks: a vertex in the upper half of
	// a word, and which chunk of its arcs in the lower one. Counts are their lengths: of the two of Vertices, and the two
	// of Heavy.
	Vertices []uint32
	Heavy    []uint64
	Counts   []uint32
	Stamp    []uint32 // as in scheduler.Queue, of all vertices: those of other GPUs are in Lists
	Barrier  []uint32 // the word of a scheduler.GridBarrier
	Most     uint32   // iterations
	Done     *uint32  // the iterations that the run took; more than Most if it has not ended
}

// Lists are the vertices of other GPUs to which an iteration found updates. The other GPUs have numbers from 0, in their order.
type Lists struct {
	// Bounds are the vertices with which the ranges of the others begin and, after all of these, those with which they end.
	Bounds []uint32
	// List has the vertices: those of GPU k are from Begin[k] on, and Counts[k] says how many.
	List, Begin, Counts []uint32
	Sent                []uint64 // how many were sent so far
}

// Boxes are what a GPU and the others send each other.
type Boxes struct {
	// Outbox is in the memory of the other GPU: the pairs of odd iterations and those of even ones. Told
	// is also there: for each of these two, how many pairs there are, how many entries this GPU
	// had in its frontiers, and about how many arcs those of the next one have, which BothAll alone tells.
	Outbox [scheduler.MostPeers][]uint64
	Told   [scheduler.MostPeers][]uint32
	// Inbox and Heard are the same in the memory of this GPU, for what the other one sends.
	Inbox [scheduler.MostPeers][]uint64
	Heard [scheduler.MostPeers][]uint32
}

// each calls f for the boxes of each other GPU. The index of each call is a constant, so that the boxes are parameters of the kernel and not copies in
// local memory.
func (b *Boxes) each(others uint32, f func(k uint32, outbox []uint64, told []uint32, inbox []uint64, heard []uint32)) {
	if others > 0 {
		f(0, b.Outbox[0], b.Told[0], b.Inbox[0], b.Heard[0])
	}
	if others > 1 {
		f(1, b.Outbox[1], b.Told[1], b.Inbox[1], b.Heard[1])
	}
	if others > 2 {
		f(2, b.Outbox[2], b.Told[2], b.Inbox[2], b.Heard[2])
	}
	if others > 3 {
		f(3, b.Outbox[3], b.Told[3], b.Inbox[3], b.Heard[3])
	}
	if others > 4 {
		f(4, b.Outbox[4], b.Told[4], b.Inbox[4], b.Heard[4])
	}
	if others > 5 {
		f(5, b.Outbox[5], b.Told[5], b.Inbox[5], b.Heard[5])
	}
	if others > 6 {
		f(6, b.Outbox[6], b.Told[6], b.Inbox[6], b.Heard[6])
	}
}

// BeginAll is the kernel that prepares a persistent push on one GPU, as Begin does for one with a host.
func BeginAll[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, p Part, in scheduler.Problem, values []V, r Rounds, clear bool) {
	for v := t.Global(); v < in.Vertices; v += t.Stride() {
		if v-p.First < p.Graph.Vertices() {
			if alg.Start(scheduler.Vertex{ID: v, Degree: p.OutRow[v+1] - p.OutRow[v]}, in) {
				enter[A, V](t, alg, p, r, v, 0)
			}
		} else if clear {
			values[v] = alg.Identity()
		}
	}
}

// PushAll is a whole run of a push on one GPU of a group: one launch on each of them, whose blocks are
// all resident. An iteration has three parts. First the GPU sends the updates of its frontier, as Push
// does; updates to vertices of other GPUs are combined in replicas, and a list for each other GPU says
// which. Then it stores the vertices of these lists, with their values, into the inboxes of the others.
// Last it merges what it received. A barrier of the grid separates the first two, and one of the group
// the last two: no GPU reads what another one has, and none waits for a host.
//
// An inbox has two halves. A GPU that is ahead by one iteration fills one while the other is read; it cannot be
// ahead by two, since it would have passed a barrier that the reader has not reached.
//
// The run has ended if no GPU had a vertex in its frontier: each tells the others how many it had. That
// takes one iteration more, in which nothing is sent, instead of a second barrier of the group in each.
func PushAll[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, p Part, values []V, r Rounds, lists Lists, boxes Boxes, clear bool, group scheduler.GroupBarrier) {
	grid := scheduler.GridBarrier{Words: r.Barrier}
	for i := uint32(1); ; i++ {
		from, to := (i-1)%2, i%2
		count, chunks := gpu.Load(&r.Counts[from]), gpu.Load(&r.Counts[2+from])
		out := scheduler.Queue{Stamp: r.Stamp, Iteration: i}
		pushFrontier[A, M, V](t, alg, p, values, r, lists, out, count, chunks, func(uint32) {})
		grid.Wait(t)
		others, work := gpu.Len(lists.Counts), count+chunks
		boxes.each(others, func(k uint32, outbox []uint64, told []uint32, _ []uint64, _ []uint32) {
			send[A, V](t, alg, lists, k, outbox, told, to, values, count+chunks, 0, clear)
		})
		group.Wait(t)
		boxes.each(others, func(_ uint32, _ []uint64, _ []uint32, inbox []uint64, heard []uint32) {
			work += gpu.Load(&heard[words*to+1])
			receive[A, V](t, alg, p, inbox, gpu.Load(&heard[words*to]), to, values, r, out)
		})
		if work == 0 || i > r.Most {
			r.end(t, i, work)
			return
		}
		r.empty(t, from, lists)
		grid.Wait(t)
	}
}

// end notes how many iterations there were, if iteration i was the last one: one without work is none.
func (r Rounds) end(t gpu.Thread, i, work uint32) {
	if t.Global() == 0 {
		*r.Done = i - 1
		if work > 0 {
			*r.Done = i
		}
	}
}

// empty empties the frontiers that an iteration has read, and the lists that it has sent: both were read before the last barrier, and the next
// iteration fills them.
func (r Rounds) empty(t gpu.Thread, from uint32, lists Lists) {
	if t.Global() == 0 {
		gpu.Store(&r.Counts[from], 0)
		gpu.Store(&r.Counts[2+from], 0)
		for k := uint32(0); k < gpu.Len(lists.Counts); k++ {
			gpu.Store(&lists.Counts[k], 0)
		}
	}
}

// words is how many words a GPU tells another one in an iteration.
const words = 3

// pushFrontier sends the updates of a frontier with count entries for teams and chunks for blocks, and fills the next one. It calls found for each
// vertex that it adds to that, or to a list for another GPU.
func pushFrontier[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, p Part, values []V, r Rounds, lists Lists, out scheduler.Queue, count, chunks uint32, found func(v uint32)) {
	var m M
	half, room := gpu.Len(r.Vertices)/2, gpu.Len(r.Heavy)/2
	from := (out.Iteration - 1) % 2
	m.Vertices(t, count, func(k uint32) {
		u := gpu.Load(&r.Vertices[from*half+k])
		begin, end := p.Graph.Row[u-p.First], p.Graph.Row[u-p.First+1]
		src := scheduler.Taken[A, M, V](t, alg, scheduler.Vertex{ID: u, Degree: end - begin}, &values[u])
		m.Arcs(t, begin, end, func(e uint32) { pushArc[A, V](t, alg, p, values, u, e, src, r, lists, out, found) })
	})
	for k := t.Block(); k < chunks; k += t.GridDim() {
		entry := gpu.Load(&r.Heavy[from*room+k])
		u := uint32(entry >> 32)
		begin, end := p.Graph.Row[u-p.First], p.Graph.Row[u-p.First+1]
		src := scheduler.Taken[A, scheduler.BlockPerVertex, V](t, alg, scheduler.Vertex{ID: u, Degree: end - begin}, &values[u])
		if !alg.Consumes() {
			begin += uint32(entry) * chunk
			end = min(end, begin+chunk)
		}
		for e := begin + t.Idx(); e < end; e += t.BlockDim() {
			pushArc[A, V](t, alg, p, values, u, e, src, r, lists, out, found)
		}
	}
}

// pushArc sends what u sends along an arc.
func pushArc[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, p Part, values []V, u, e uint32, src V, r Rounds, lists Lists, out scheduler.Queue, found func(v uint32)) {
	v := p.Graph.Col[e]
	update, ok := alg.Compute(p.Graph.Edge(e, u, v), src)
	if !ok {
		return
	}
	old := alg.Update(&values[v], update)
	next := alg.Combine(old, update)
	if v-p.First < p.Graph.Vertices() {
		activate[A, V](t, alg, p, v, old, next, r, out, found)
	} else if next != old {
		out.Once(v, func() {
			enlist(t, lists, v)
			found(v)
		})
	}
}

// activate adds a vertex of the part to the next frontier if an update made it active.
func activate[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, p Part, v uint32, old, next V, r Rounds, out scheduler.Queue, found func(v uint32)) {
	if alg.Active(v, old, next) {
		scheduler.Enqueue[A, V](alg, out, v, func() {
			enter[A, V](t, alg, p, r, v, out.Iteration%2)
			found(v)
		})
	}
}

// enter adds a vertex of the part to one of the two frontiers: once for a team, or once for each chunk of its arcs. What an algorithm consumes
// is taken once, so that its vertices have one chunk.
func enter[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, p Part, r Rounds, v, to uint32) {
	degree := p.Graph.Row[v-p.First+1] - p.Graph.Row[v-p.First]
	if degree < heavy {
		r.Vertices[to*(gpu.Len(r.Vertices)/2)+reserve(t, &r.Counts[to])] = v
		return
	}
	n := uint32(1)
	if !alg.Consumes() {
		n = (degree + chunk - 1) / chunk
	}
	at := to*(gpu.Len(r.Heavy)/2) + gpu.AtomicAdd(&r.Counts[2+to], n)
	for i := uint32(0); i < n; i++ {
		r.Heavy[at+i] = uint64(v)<<32 | uint64(i)
	}
}

// enlist adds v, a vertex of another GPU, to the list for its owner.
func enlist(t gpu.Thread, lists Lists, v uint32) {
	others, k := gpu.Len(lists.Counts), uint32(0)
	for lists.Bounds[others+k] <= v {
		k++
	}
	lanes := t.ActiveMask()
	if others > 1 {
		// The lanes that are here may have found different owners, on whichever way they came.
		lanes = gpu.Match(t, lanes, k)
	}
	lists.List[lists.Begin[k]+reserveFor(t, lanes, &lists.Counts[k])] = v
}

// reserve adds 1 to a counter for each lane that calls it, and returns what it was before the lane's turn. All threads that call it between two barriers
// of the grid give the same counter.
func reserve(t gpu.Thread, count *uint32) uint32 { return reserveFor(t, t.ActiveMask(), count) }

// reserveFor is reserve for lanes that give the same counter. One lane adds for all of them: a word takes one atomic after another, and a compiler does
// that only for words that it sees to be the same.
//
// Which lanes execute together says nothing of what they hold: since Volta lanes may meet at an instruction in different iterations of a loop (PTX ISA,
// "activemask", promises nothing of them). A caller whose lanes may give different counters therefore asks for those with the same one, by Match. All lanes
// that ActiveMask names must come here.
func reserveFor(t gpu.Thread, lanes uint32, count *uint32) uint32 {
	first := gpu.TrailingZeros(lanes)
	var base uint32
	if t.Lane() == first {
		base = gpu.AtomicAdd(count, gpu.PopCount(lanes))
	}
	return gpu.Shfl(t, lanes, base, first) + gpu.PopCount(lanes&(1<<t.Lane()-1))
}

// send stores the values of the vertices in the list for another GPU in its memory, and tells it how many there are, and the two numbers.
func send[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, lists Lists, k uint32, outbox []uint64, told []uint32, parity uint32, values []V, work, arcs uint32, clear bool) {
	n, list, at := gpu.Load(&lists.Counts[k]), lists.Begin[k], parity*(scheduler.PairsIn[V](outbox)/2)
	for i := t.Global(); i < n; i += t.Stride() {
		v := gpu.Load(&lists.List[list+i])
		x := gpu.Load(&values[v])
		if clear {
			gpu.Store(&values[v], alg.Identity())
		}
		scheduler.PutPair(outbox, at+i, v, x)
	}
	if t.Global() == 0 {
		told[words*parity], told[words*parity+1], told[words*parity+2] = n, work, arcs
		lists.Sent[k] += uint64(n)
	}
}

// receive merges the n pairs that another GPU has sent.
func receive[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, p Part, inbox []uint64, n, parity uint32, values []V, r Rounds, out scheduler.Queue) {
	at := parity * (scheduler.PairsIn[V](inbox) / 2)
	for i := t.Global(); i < n; i += t.Stride() {
		v, x := scheduler.GetPair[V](inbox, at+i)
		old := alg.Update(&values[v], x)
		activate[A, V](t, alg, p, v, old, alg.Combine(old, x), r, out, func(uint32) {})
	}
}
