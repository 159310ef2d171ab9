package multi

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Rounds are the frontiers of a persistent push on one GPU, and what the host reads of it.
type Rounds struct {
	// Vertices has two frontiers, one after the other, each with room for all vertices of the part:
	// an iteration reads one of them and fills the other. Counts are their lengths.
	Vertices, Counts []uint32
	Stamp            []uint32 // as in scheduler.Queue, of all vertices: those of other GPUs are in lists of Peer
	Barrier          []uint32 // the word of a scheduler.GridBarrier
	Most             uint32   // iterations
	Done             *uint32  // the iterations that the run took; more than Most if it has not ended
}

// Peer is another GPU, as a persistent push sees it.
type Peer struct {
	First, Vertices uint32 // the range of vertices that it owns
	// List has the vertices of the peer to which an iteration found updates, and Count how many.
	List  []uint32
	Count *uint32
	Sent  *uint64 // pairs sent so far
	// Outbox is in the memory of the peer: the pairs of odd iterations and those of even ones. Told
	// is also there: for each of these two, how many pairs there are, and how many vertices this GPU
	// had in its frontier.
	Outbox []uint64
	Told   []uint32
	// Inbox and Heard are the same in the memory of this GPU, for what the peer sends.
	Inbox []uint64
	Heard []uint32
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
func PushAll[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, p Part, values []V, r Rounds, peers [scheduler.MostPeers]Peer, clear bool, group scheduler.GroupBarrier) {
	var m M
	grid := scheduler.GridBarrier{Words: r.Barrier}
	half := gpu.Len(r.Vertices) / 2
	for i := uint32(1); ; i++ {
		from, to := (i-1)%2, i%2
		count := gpu.Load(&r.Counts[from])
		out := scheduler.Queue{Vertices: r.Vertices[to*half : to*half+half], Count: &r.Counts[to], Stamp: r.Stamp, Iteration: i}
		m.Vertices(t, count, func(k uint32) {
			u := gpu.Load(&r.Vertices[from*half+k])
			begin, end := p.Graph.Row[u-p.First], p.Graph.Row[u-p.First+1]
			src := scheduler.Taken[A, M, V](t, alg, scheduler.Vertex{ID: u, Degree: end - begin}, &values[u])
			m.Arcs(t, begin, end, func(e uint32) {
				v := p.Graph.Col[e]
				if update, ok := alg.Compute(p.Graph.Edge(e, u, v), src); ok {
					old := alg.Update(&values[v], update)
					next := alg.Combine(old, update)
					if v-p.First < p.Graph.Vertices() {
						arrived[A, V](alg, v, old, next, out)
					} else if next != old {
						out.Once(v, func() { enlist(peers, v) })
					}
				}
			})
		})
		grid.Wait(t)
		for k := range scheduler.MostPeers {
			send[A, V](t, alg, peers[k], to, values, count, clear)
		}
		group.Wait(t)
		work := count
		for k := range scheduler.MostPeers {
			work += receive[A, V](t, alg, peers[k], to, values, out)
		}
		if work == 0 || i > r.Most {
			if t.Global() == 0 {
				*r.Done = i - 1
				if work > 0 {
					*r.Done = i
				}
			}
			return
		}
		// The frontier was read before the barriers, and so were the lists; the next iteration fills both.
		if t.Global() == 0 {
			gpu.Store(&r.Counts[from], 0)
			for k := range scheduler.MostPeers {
				if len(peers[k].List) > 0 {
					gpu.Store(peers[k].Count, 0)
				}
			}
		}
		grid.Wait(t)
	}
}

// enlist adds v to the list for its owner.
func enlist(peers [scheduler.MostPeers]Peer, v uint32) {
	for k := range scheduler.MostPeers {
		if v-peers[k].First < peers[k].Vertices {
			peers[k].List[gpu.AtomicAdd(peers[k].Count, 1)] = v
		}
	}
}

// send stores the values of the vertices in the list for a peer in its memory, and tells it how many there are.
func send[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, peer Peer, parity uint32, values []V, work uint32, clear bool) {
	if len(peer.Told) == 0 {
		return
	}
	n := uint32(0)
	if len(peer.List) > 0 {
		n = gpu.Load(peer.Count)
	}
	at := parity * (pairsIn[V](peer.Outbox) / 2)
	for i := t.Global(); i < n; i += t.Stride() {
		v := gpu.Load(&peer.List[i])
		x := gpu.Load(&values[v])
		if clear {
			gpu.Store(&values[v], alg.Identity())
		}
		putPair(peer.Outbox, at+i, v, x)
	}
	if t.Global() == 0 {
		peer.Told[2*parity], peer.Told[2*parity+1] = n, work
		*peer.Sent += uint64(n)
	}
}

// receive merges what a peer has sent, and returns how many vertices it had in its frontier.
func receive[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, peer Peer, parity uint32, values []V, out scheduler.Queue) uint32 {
	if len(peer.Heard) == 0 {
		return 0
	}
	n, work := gpu.Load(&peer.Heard[2*parity]), gpu.Load(&peer.Heard[2*parity+1])
	at := parity * (pairsIn[V](peer.Inbox) / 2)
	for i := t.Global(); i < n; i += t.Stride() {
		v, x := pair[V](peer.Inbox, at+i)
		merge[A, V](alg, v, x, values, out)
	}
	return work
}
