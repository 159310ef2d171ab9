package multi

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Begin is the kernel that prepares a push on one GPU: it collects the vertices of the part
// that are active first. With clear, it makes the values of all other vertices neutral, so
// that they hold nothing but the updates that this GPU has not yet sent.
func Begin[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, p Part, in scheduler.Problem, values []V, out scheduler.Queue, clear bool) {
	for first := t.Global() - t.Lane(); first < in.Vertices; first += t.Stride() {
		v := first + t.Lane()
		start := false
		if v < in.Vertices {
			if v-p.First < p.Graph.Vertices() {
				start = alg.Start(scheduler.Vertex{ID: v, Degree: p.OutRow[v+1] - p.OutRow[v]}, in)
			} else if clear {
				values[v] = alg.Identity()
			}
		}
		out.AddWarp(t, v, start)
	}
}

// Push is the kernel of one iteration on one GPU: each active vertex of the part sends updates
// along its arcs. Those to vertices of the part take effect at once. Those to vertices of other
// GPUs are combined in the replica of the value; the stamps of out tell which replicas the
// iteration changed. If the algorithm counts updates they do not combine, and each one goes to
// single.
func Push[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, p Part, values []V, in scheduler.Frontier, out scheduler.Queue, single Outbox[V]) {
	var m M
	m.Vertices(t, in.Count, func(i uint32) {
		u := in.Vertices[i]
		begin, end := p.Graph.Row[u-p.First], p.Graph.Row[u-p.First+1]
		src := scheduler.Taken[A, M, V](t, alg, scheduler.Vertex{ID: u, Degree: end - begin, Phase: in.Phase}, &values[u])
		m.Arcs(t, begin, end, func(e uint32) {
			v := p.Graph.Col[e]
			edge := p.Graph.Edge(e, u, v)
			edge.Phase = in.Phase
			update, ok := alg.Compute(edge, src)
			if !ok {
				return
			}
			own := v-p.First < p.Graph.Vertices()
			if alg.Counts() && !own {
				single.add(t, v, update)
				return
			}
			old := alg.Update(&values[v], update)
			next := alg.Combine(old, update)
			if own {
				arrived[A, V](alg, v, in.Phase, old, next, out)
			} else if next != old {
				gpu.Store(&out.Stamp[v], out.Iteration)
			}
		})
	})
}

// arrived adds a vertex of the part to the frontier if an update made it active in this phase.
func arrived[A scheduler.Algorithm[V], V gpu.Num](alg A, v, phase uint32, old, next V, out scheduler.Queue) {
	if alg.Active(v, old, next) && (!alg.Phases() || alg.Joins(v, phase, next)) {
		scheduler.Enqueue[A, V](alg, out, v, func() { out.Add(v) })
	}
}

// Collect is the kernel that fills the outbox for one other GPU, the owner of targets, with
// what Push left in their replicas. Like PullSend it takes those that the iteration changed, or
// all if always is true. If the owner knows the targets, values alone are sent, in fixed, and
// there is no outbox. With clear, a replica is neutral again after it was sent.
func Collect[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, targets []uint32, values []V, stamp []uint32, iteration uint32, sent *uint32, fixed []V, out Outbox[V], always, clear bool) {
	n, count := gpu.Len(targets), uint32(0)
	for first := t.Global() - t.Lane(); first < n; first += t.Stride() {
		i := first + t.Lane()
		v, x, changed, send := uint32(0), alg.Identity(), false, false
		if i < n {
			v = targets[i]
			changed = gpu.Load(&stamp[v]) == iteration
			send = changed || always
			if send {
				x = gpu.Load(&values[v])
				if clear {
					gpu.Store(&values[v], alg.Identity())
				}
			}
		}
		if gpu.Len(fixed) > 0 {
			if i < n {
				fixed[i] = x
			}
		} else {
			out.Put(t, v, x, send)
		}
		count += gpu.PopCount(t.Ballot(gpu.FullMask, changed))
	}
	if count > 0 && t.Lane() == 0 {
		gpu.AtomicAdd(sent, count)
	}
}

// CollectSingle is Collect for updates that do not combine: those of single that are for vertices from first to end
// (exclusive), which another GPU has, go to the outbox for it.
func CollectSingle[V gpu.Num](t gpu.Thread, single Outbox[V], first, end uint32, sent *uint32, out Outbox[V]) {
	n := gpu.Load(single.Top) - single.Begin
	for start := t.Global() - t.Lane(); start < n; start += t.Stride() {
		v, x, send := uint32(0), V(0), false
		if i := start + t.Lane(); i < n {
			v, x = scheduler.GetPair[V](single.Pairs, i)
			send = first <= v && v < end
		}
		out.Put(t, v, x, send)
		if votes := t.Ballot(gpu.FullMask, send); votes != 0 && t.Lane() == 0 {
			gpu.AtomicAdd(sent, gpu.PopCount(votes))
		}
	}
}

// Merge is the kernel that combines the updates of an inbox into the values of the part.
// Vertices that become active join the frontier that Push collected.
func Merge[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, inbox []uint64, values []V, phase uint32, out scheduler.Queue) {
	for i := t.Global(); i < scheduler.PairsIn[V](inbox); i += t.Stride() {
		v, x := scheduler.GetPair[V](inbox, i)
		merge[A, V](alg, v, x, values, phase, out)
	}
}

// MergeFixed is Merge for an inbox with the values of vertices that the owner knows.
func MergeFixed[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, vertices []uint32, inbox []V, values []V, phase uint32, out scheduler.Queue) {
	for i := t.Global(); i < gpu.Len(vertices); i += t.Stride() {
		merge[A, V](alg, vertices[i], inbox[i], values, phase, out)
	}
}

// merge combines an update into the value of v.
func merge[A scheduler.Algorithm[V], V gpu.Num](alg A, v uint32, x V, values []V, phase uint32, out scheduler.Queue) {
	old := alg.Update(&values[v], x)
	arrived[A, V](alg, v, phase, old, alg.Combine(old, x), out)
}
