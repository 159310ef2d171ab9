package unionfind

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// WholeGroup is Whole on one GPU of a group: one launch on each of them, whose blocks are all resident. A GPU has a range of the vertices. near is the arcs between these, which have the numbers from 0 on there, and f the
// forest of them; outRow and values are those of all vertices. First it finds its own components, by itself, and then all GPUs put theirs together.
//
//weft:block 1024
func WholeGroup[A scheduler.Algorithm[V], V gpu.Num, E Edges](t gpu.Thread, alg A, near scheduler.Graph, outRow []uint32, in scheduler.Problem, f Forest, values []V, edges E, largest Largest, wide Wide, barrier []uint32, p Peers, group scheduler.GroupBarrier) {
	grid := scheduler.GridBarrier{Words: barrier}
	p.begin(t)
	hookAll[A, V, E](t, alg, near, outRow, in, f, values, p.own(), edges, wide, &grid)
	if t.Global() < gpu.WarpSize && near.Row[near.Vertices()] > 0 {
		voteOfWarp(t, near, f, largest)
	}
	grid.Wait(t)
	together[A, V](t, alg, near.Row, outRow, in, f, values, largest, wide, &p, &grid, &group)
}

// WholeRestGroup is WholeRest on one GPU of a group; see WholeGroup.
//
//weft:block 1024
func WholeRestGroup[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, near scheduler.Graph, outRow []uint32, in scheduler.Problem, f Forest, values []V, largest Largest, least uint32, wide Wide, barrier []uint32, p Peers, group scheduler.GroupBarrier) {
	grid := scheduler.GridBarrier{Words: barrier}
	p.begin(t)
	if near.Row[near.Vertices()] > 0 {
		hookOutside[A, V](t, alg, near, outRow, in, f, values, p.own(), largest, least, wide, &grid)
	} else {
		initial[A, V](t, alg, near, outRow, in, f, values, p.own())
		grid.Wait(t)
	}
	together[A, V](t, alg, near.Row, outRow, in, f, values, largest, wide, &p, &grid, &group)
}

// ending is how the largest trees ended, as all threads of a block know it.
type ending struct {
	root  uint32 // of the GPU's own largest tree
	apart bool   // not all of the largest trees are in one
}

// together puts the components of all GPUs together, and gives each vertex of this one the value of its component's root. f has the components of this one.
func together[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, near, outRow []uint32, in scheduler.Problem, f Forest, values []V, largest Largest, wide Wide, p *Peers, grid *scheduler.GridBarrier, group *scheduler.GroupBarrier) {
	p.clock(t, ownPart)
	p.mark(t, f, largest)
	group.Wait(t)
	p.clock(t, tellPart)
	x := newExchange(t, p, near, wide.Vertices)
	x.open(t, func(v uint32) {
		values[v] = alg.Init(scheduler.Vertex{ID: v, Degree: outRow[v+1] - outRow[v]}, in)
	})
	x.find(t, false)
	grid.Wait(t)
	x.hook(t, false)
	p.clock(t, hookPart)
	x.meet(t, group)
	end := gpu.Shared[ending](t)
	grid.WaitThen(t, func() { *end = p.ended() })
	// All GPUs know alike which of the largest trees are in one, so that all go on, or none.
	if end.apart {
		x.find(t, true)
		grid.Wait(t)
		x.hook(t, true)
		x.meet(t, group)
		grid.WaitThen(t, func() { *end = p.ended() })
	}
	p.clock(t, exchangePart)
	settle[A, V](t, alg, values, p, end.root, &wide.Counts[Moved])
	p.clock(t, settlePart)
}

// mark puts the components of the GPU into its forest of all vertices, and tells all GPUs which of its vertices are in its largest tree, of which that forest has the root alone.
func (p *Peers) mark(t gpu.Thread, f Forest, largest Largest) {
	own, root := p.own(), none
	if gpu.Load(largest.Votes) > 0 {
		root = f.root(gpu.Load(largest.Root))
	}
	if t.Global() == 0 {
		told := none
		if root != none {
			told = own.first + root
		}
		p.tell(rootHeard, told)
	}
	// A warp makes several words: their loads do not wait for each other, and they leave together.
	for first := t.Global() / gpu.WarpSize * wave; first*gpu.WarpSize < own.count; first += t.Stride() / gpu.WarpSize * wave {
		var above [wave]uint32
		for j := range uint32(wave) {
			if i := (first+j)*gpu.WarpSize + t.Lane(); i < own.count {
				above[j] = f.seen(i)
			}
		}
		word := uint32(0)
		for j := range uint32(wave) {
			i, in := (first+j)*gpu.WarpSize+t.Lane(), false
			if i < own.count {
				top := above[j]
				if top != root {
					top = f.root(top)
				}
				if in = top == root; !in || i == root {
					p.All.Parents[own.first+i] = own.first + top
				}
			}
			if votes := t.Ballot(gpu.FullMask, in); j == t.Lane() {
				word = votes
			}
		}
		if at := first + t.Lane(); t.Lane() < wave && at*gpu.WarpSize < own.count {
			at += own.first / gpu.WarpSize
			p.Largest[at] = word
			p.each(func(o peer) { o.largest[at] = word })
		}
	}
}

// ended says how the largest trees ended, when nobody hooks any more.
func (p *Peers) ended() (e ending) {
	one := none
	for k := uint32(0); k <= p.Others; k++ {
		root := p.root(k)
		if root == none {
			continue
		}
		root = p.All.root(root)
		if k == p.GPU {
			e.root = root
		}
		e.apart = e.apart || one != none && one != root
		one = root
	}
	return e
}

// top returns the root of a vertex of the GPU, when nobody hooks any more. root is that of the largest tree.
func (p *Peers) top(v, root uint32) uint32 {
	if p.inLargest(v) {
		return root
	}
	return p.All.Flatten(v)
}

// settle gives each vertex of the GPU the first value of its component's root. *moved becomes the number of vertices that would change it: if it stays 0 on all GPUs, these values are final.
func settle[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, values []V, p *Peers, largest uint32, moved *uint32) {
	own, changes := p.own(), uint32(0)
	for first := t.Global(); first < own.count; first += wave * t.Stride() {
		var x [wave]V
		var in [wave]bool
		for j := range uint32(wave) {
			if i := first + j*t.Stride(); i < own.count {
				x[j], in[j] = gpu.Load(&values[own.first+i], gpu.BlockScope), p.inLargest(own.first+i)
			}
		}
		for j := range uint32(wave) {
			i := first + j*t.Stride()
			if i < own.count {
				v, root := own.first+i, largest
				if !in[j] {
					root = p.All.Flatten(v)
				}
				if root != v {
					sum := gpu.Load(&values[root], gpu.BlockScope)
					if alg.Combine(sum, x[j]) != sum {
						changes++
					}
					gpu.Store(&values[v], sum)
				}
			}
		}
	}
	scheduler.Tally(t, changes, moved)
}

// Restart is the kernel that gives the vertices of a GPU their first values again, and their roots as parents in the forest of all vertices, where values of roots are not final: then one GPU combines those of all, by Flatten and
// Spread.
func Restart[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, outRow []uint32, in scheduler.Problem, values []V, p Peers) {
	own, largest := p.own(), p.ended().root
	for i := t.Global(); i < own.count; i += t.Stride() {
		v := own.first + i
		values[v] = alg.Init(scheduler.Vertex{ID: v, Degree: outRow[v+1] - outRow[v]}, in)
		gpu.Store(&p.All.Parents[v], p.top(v, largest))
	}
}
