//go:build !kernel

package unionfind

import (
	"sort"

	"github.com/weft-gpu/weft/graph"
)

// skipDegree is the mean degree from which skip=auto may skip. Below, there are few edges to skip,
// and trees merge slowly: on a road network Sample and Compress take longer than Hook.
const skipDegree = 6

// wholeDegree is the same in one kernel for the whole run, where a sample costs barriers and no launches: on an H200 it took less time on all of eighteen graphs of 6
// and more arcs for each vertex (20,000 to a million vertices), and on one of four grids and road networks, which have 2.8 to 4.
const wholeDegree = 5

// skipArcs is the number of arcs from which skip=auto may skip with a launch for each step if degrees are even: fewer are hooked in less time than the launches of a sample
// take. Of uneven graphs it skips at any size, since they have vertices that keep a block busy for long.
const skipArcs = 2_000_000

// nearShare is the share of arcs, in percent, from which most arcs are near: their ends are in a tile of the least size, or
// in two beside each other.
const nearShare = 50

// pays reports whether it is likely to take less time to find the largest component of the graph first than to hook its edges in tiles: if there are many edges for each
// vertex. In one kernel nothing else matters.
//
// With a launch for each step, tiles are better if most of many edges are in them and degrees are even, as in a mesh: trees that begin with an arc of each vertex take many
// rounds to merge there. If degrees vary much, that happens at once, at the vertices of large degree.
func (l *loop) pays() bool {
	g := l.both
	if l.whole {
		return g.Arcs() >= wholeDegree*g.Vertices()
	}
	return g.Arcs() >= skipDegree*g.Vertices() && (uneven(g) || g.Arcs() >= skipArcs && nearArcs(g) < nearShare)
}

// uneven reports whether the standard deviation of the degrees is larger than their mean.
func uneven(g *graph.CSR) bool {
	squares := 0.0
	for v := range g.Vertices() {
		d := float64(g.Row[v+1] - g.Row[v])
		squares += d * d
	}
	n, arcs := float64(g.Vertices()), float64(g.Arcs())
	return squares*n > 2*arcs*arcs
}

// looked is the number of arcs that nearArcs looks at.
const looked = 4096

// nearArcs returns the share of near arcs, in percent, of a sample at equal distances.
func nearArcs(g *graph.CSR) int {
	arcs := uint64(g.Arcs())
	near, all := 0, min(looked, arcs)
	for i := range all {
		e := i * arcs / all
		u := sort.Search(g.Vertices(), func(v int) bool { return g.Row[v+1] > e })
		if v := int(g.Col[e]); max(u, v)-min(u, v) < leastTile {
			near++
		}
	}
	return 100 * near / int(max(all, 1))
}
