package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// way is an exit of a kernel: a block that ends the thread, or a block in which
// some threads exit while the others continue.
type way struct {
	block int32
	part  bool // only some threads of the block exit there
}

// meetings returns for each branch the block where its two sides reconverge:
// the immediate post-dominator; -1: at the exit.
//
// Threads that exit early never reconverge, so they do not count:
// post-dominance is computed over the paths that lead to the main exit. For
// blocks from which the main exit cannot be reached it is computed over all
// paths.
func (m *machine) meetings(order []int32) []int32 {
	n := len(m.blocks)
	all := make([][]int32, n)
	for i, b := range m.blocks {
		all[i] = b.succs
	}
	g := ir.NewGraph(all)
	meet := g.PostDominators()
	exit, reach := m.mainExit(g, order)
	if exit.block < 0 {
		return meet
	}
	kept := make([][]int32, n+1)
	for i, s := range all {
		kept[i] = s
		if reach[i] && slices.ContainsFunc(s, func(t int32) bool { return !reach[t] }) {
			kept[i] = slices.DeleteFunc(slices.Clone(s), func(t int32) bool { return !reach[t] })
		}
	}
	if exit.part { // then the exit is a separate node
		kept[exit.block] = append(slices.Clone(kept[exit.block]), int32(n))
	}
	for i, d := range ir.NewGraph(kept).PostDominators()[:n] {
		if reach[i] {
			meet[i] = d
			if d == int32(n) {
				meet[i] = -1
			}
		}
	}
	return meet
}

// mainExit returns the exit that a kernel normally takes, and the blocks that
// can reach it. It prefers exits that threads do not take from the middle of a
// loop; among these, the one that most blocks can reach; then the last.
func (m *machine) mainExit(g *ir.Graph, order []int32) (way, []bool) {
	at := make([]int32, len(m.blocks)) // place in order
	for i, b := range order {
		at[b] = int32(i)
	}
	best, bestNatural, bestSize := way{block: -1}, false, 0
	var reach []bool
	for _, e := range order {
		b := m.blocks[e]
		w := way{e, b.exits}
		if len(b.succs) > 0 && !b.exits {
			continue
		}
		seen, size := m.reaches(g, e)
		natural := m.natural(g, w, at)
		if !w.part {
			size++ // this one has a block that only exits
		}
		if best.block < 0 || natural && !bestNatural || natural == bestNatural && size >= bestSize {
			best, bestNatural, bestSize, reach = w, natural, size, seen
		}
	}
	return best, reach
}

// reaches returns which blocks can reach e, and how many they are.
func (m *machine) reaches(g *ir.Graph, e int32) (seen []bool, size int) {
	seen = make([]bool, len(m.blocks))
	seen[e] = true
	work := []int32{e}
	for n := 0; n < len(work); n++ {
		for _, p := range g.Preds[work[n]] {
			if !seen[p] {
				seen[p] = true
				work = append(work, p)
			}
		}
	}
	return seen, len(work)
}

// natural reports whether threads reach the exit w from outside of loops or
// where a loop's condition ends it, and not only by a return from the middle of
// a loop.
func (m *machine) natural(g *ir.Graph, w way, at []int32) bool {
	leaves := func(b int32) bool { // b decides between this exit and something else
		return m.blocks[b].depth == 0 || slices.ContainsFunc(m.blocks[b].succs, func(s int32) bool { return at[s] <= at[b] })
	}
	if w.part {
		return leaves(w.block)
	}
	// Blocks that lead only to this exit belong to it.
	in := make([]bool, len(m.blocks))
	in[w.block] = true
	work := []int32{w.block}
	for n := 0; n < len(work); n++ {
		b := work[n]
		if len(g.Preds[b]) == 0 {
			return true // the entry
		}
		for _, p := range g.Preds[b] {
			if in[p] {
				continue
			}
			if m.blocks[p].exits || slices.ContainsFunc(m.blocks[p].succs, func(s int32) bool { return !in[s] }) {
				if leaves(p) {
					return true
				}
				continue
			}
			in[p] = true
			work = append(work, p)
		}
	}
	return false
}
