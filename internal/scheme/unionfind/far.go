package unionfind

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file hooks the arcs between the vertices of different GPUs. Before, each GPU has hooked all arcs between its own ones, and told the others which of its vertices
// are in its largest tree: these have that tree's root as their parent, on all GPUs, and nobody asks for more of them. An arc from one of them is left to its other end;
// if that is in the largest tree of its GPU as well, only a few of these arcs are looked at (Peers.Bridges). Should they not put all of the largest trees together, the others are hooked at the end.
//
// Each GPU hooks in a forest of its own, of all vertices, and sends what the others need of it: of each of its vertices outside of the largest tree that has an arc to another GPU, which ancestor it has, and each
// root that it hooks, with what it was hooked under. All other trees begin with the root that a vertex of them was sent with, or with a vertex alone.

// wave is the number of loads that a thread makes without waiting for the one before.
const wave = 4

// open sets the parents and the first values of the vertices of others that are outside of their largest trees, and of the roots of these.
func (x *exchange) open(t gpu.Thread, set func(v uint32)) {
	p, own := x.p, x.p.own()
	for first := t.Global() / gpu.WarpSize * wave; first < gpu.Len(p.Largest); first += t.Stride() / gpu.WarpSize * wave {
		var outside [wave]bool
		for j := range uint32(wave) {
			w := first + j
			v := w*gpu.WarpSize + t.Lane()
			outside[j] = v < gpu.Len(p.All.Parents) && v-own.first >= own.count && p.Largest[w]>>t.Lane()&1 == 0
		}
		for j := range uint32(wave) {
			if v := (first+j)*gpu.WarpSize + t.Lane(); outside[j] {
				p.All.Parents[v] = v
				set(v)
			}
		}
	}
	if k := t.Global(); k <= p.Others && k != p.GPU {
		if root := p.root(k); root != none {
			p.All.Parents[root] = root
			set(root)
		}
	}
}

// find makes the list of the vertices of the GPU whose arcs to those of others are hooked next: those outside of the largest tree, but for leaves, which it hooks; or with last, those in the
// largest tree, and the leaves. In many graphs few vertices are outside of the largest tree, and to look at each takes many loads that wait for each other. So a warp first collects some for all lanes.
func (x *exchange) find(t gpu.Thread, last bool) {
	p, own := x.p, x.p.own()
	mine, found := x.box.vertices[warpVertices*t.Warp():], uint32(0)
	for first := (t.Global() - t.Lane()) * wave; first < own.count; first += t.Stride() * wave {
		var has [wave]bool
		for j := range uint32(wave) {
			i := first + j*gpu.WarpSize + t.Lane()
			has[j] = i < own.count && (last || !p.inLargest(own.first+i)) && p.FarRow[i] < p.FarRow[i+1]
		}
		for j := range uint32(wave) {
			votes := t.Ballot(gpu.FullMask, has[j])
			if has[j] {
				mine[found+gpu.PopCount(votes&(1<<t.Lane()-1))] = first + j*gpu.WarpSize + t.Lane()
			}
			if found += gpu.PopCount(votes); found >= gpu.WarpSize {
				found -= gpu.WarpSize
				t.SyncWarp(gpu.FullMask)
				x.sort(t, mine[found+t.Lane()], true, last)
				t.SyncWarp(gpu.FullMask)
			}
		}
	}
	t.SyncWarp(gpu.FullMask)
	i, ok := uint32(0), t.Lane() < found
	if ok {
		i = mine[t.Lane()]
	}
	x.sort(t, i, ok, last)
}

// sort hooks vertex i of the GPU if it is a leaf, and else adds it to the list; or with last, it adds those that are leaves or in the largest tree. All lanes call it together, with a vertex where ok is set.
func (x *exchange) sort(t gpu.Thread, i uint32, ok, last bool) {
	p, wide := x.p, x.wide()
	degree, adds := uint32(0), false
	if ok {
		u := p.own().first + i
		degree = p.FarRow[i+1] - p.FarRow[i]
		leaf := x.isLeaf(i)
		adds = leaf == last || last && p.inLargest(u)
		if leaf {
			p.All.Parents[u] = u
			if !last {
				p.All.Parents[u] = p.above(p.FarCol[p.FarRow[i]])
			}
		}
	}
	scheduler.Queue{Vertices: wide.Vertices, Count: &wide.Counts[ForWarps]}.AddWarp(t, i, adds && degree <= WarpDegree)
	if adds && degree > WarpDegree {
		wide.add(i, degree)
	}
}

// isLeaf reports whether a vertex of the GPU, i, has no arc but to vertices in largest trees, and few of these arcs. No other GPU has a use for it then, since none looks at these arcs from their other ends; unless it is the smallest vertex of its
// component, for which it must be smaller than the roots of all largest trees, if they are in one component. In an R-MAT graph almost every vertex outside of the largest tree that has an arc is a leaf.
func (x *exchange) isLeaf(i uint32) bool {
	p := x.p
	begin, end := p.FarRow[i], p.FarRow[i+1]
	if x.near[i] != x.near[i+1] || end-begin > ThreadDegree || p.own().first+i < x.least || p.inLargest(p.own().first+i) {
		return false
	}
	for e := begin; e < end; e += wave {
		var to [wave]uint32
		for j := range uint32(wave) {
			to[j] = p.FarCol[min(e+j, end-1)]
		}
		all := true
		for j := range uint32(wave) {
			all = p.inLargest(to[j]) && all
		}
		if !all {
			return false
		}
	}
	return true
}

// farThread is the largest number of arcs to vertices of other GPUs that a thread alone hooks. To hook one takes long, and there are few such vertices in many graphs, so that there are warps for them.
const farThread = 4

// hook hooks the arcs of the vertices in the list, and of the sample between largest trees: a block has a vertex of many arcs, a warp one of less, a thread one of few.
func (x *exchange) hook(t gpu.Thread, last bool) {
	p, wide := x.p, x.wide()
	for i := t.Stride() - 1 - t.Global(); i < gpu.Len(p.Bridges)/2; i += t.Stride() { // the last threads, which have least to do in a loop
		u, v := p.Bridges[2*i], p.Bridges[2*i+1]
		if p.inLargest(u) && p.inLargest(v) {
			x.link(p.root(p.GPU), p.above(v))
		}
	}
	length := gpu.Len(wide.Vertices) - 1
	scheduler.BlockPerVertex{}.Vertices(t, gpu.Load(&wide.Counts[ForBlocks]), func(i uint32) {
		hookFar[scheduler.BlockPerVertex](t, x, wide.Vertices[length-i], last, t.Idx() == 0)
	})
	// Vertices that follow each other are for different warps, so that each has one if they are few.
	n, warps := gpu.Load(&wide.Counts[ForWarps]), t.Stride()/gpu.WarpSize
	for first := t.Global() / gpu.WarpSize; first < n; first += t.Stride() {
		i, degree := uint32(0), uint32(0)
		if at := first + t.Lane()*warps; at < n {
			i = wide.Vertices[at]
			degree = p.FarRow[i+1] - p.FarRow[i]
		}
		if degree > 0 && degree <= farThread {
			hookFar[scheduler.ThreadPerVertex](t, x, i, last, true)
		}
		for more := t.Ballot(gpu.FullMask, degree > farThread); more != 0; more &= more - 1 {
			hookFar[scheduler.WarpPerVertex](t, x, wide.Vertices[first+gpu.TrailingZeros(more)*warps], last, t.Lane() == 0)
		}
	}
}

// hookFar hooks the arcs of vertex i of the GPU to the vertices of others, and sends what is its parent; the threads of a team call it together, one of them as the first.
func hookFar[M scheduler.Mapping](t gpu.Thread, x *exchange, i uint32, last, first bool) {
	var m M
	p := x.p
	u := p.own().first + i
	in := p.inLargest(u)
	above, joined := u, none
	if in {
		above = p.root(p.GPU)
	} else if last {
		above = p.above(p.FarCol[p.FarRow[i]]) // of a leaf
	} else if parent := p.All.seen(u); first && parent != u {
		x.send(u, parent)
	}
	m.Arcs(t, p.FarRow[i], p.FarRow[i+1], func(e uint32) {
		v := p.FarCol[e]
		to := p.above(v)
		if to == joined || in && !p.inLargest(v) {
			return
		}
		above = x.link(above, to)
		if to != v {
			joined = to
		}
	})
	if last && !in && first {
		x.link(u, above)
	}
}
