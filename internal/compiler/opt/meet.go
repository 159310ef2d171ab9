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
	count := len(m.blocks)
	all := make([][]int32, count)
	for i, b := range m.blocks {
		all[i] = b.succs
	}
	graph := ir.NewGraph(all)
	meet := graph.PostDominators()
	exit, reach := m.mainExit(graph, order)
	// No thread ever ends: all paths count.
	if exit.block < 0 {
		return meet
	}
	kept := make([][]int32, count+1)
	for i, succs := range all {
		kept[i] = succs
		// Edges to blocks from which only another exit can be reached are cut:
		// threads that go there leave for good, and waiting for them would put
		// the reconvergence point behind the code that the others execute
		// together.
		if reach[i] && slices.ContainsFunc(succs, func(to int32) bool { return !reach[to] }) {
			kept[i] = slices.DeleteFunc(slices.Clone(succs), func(to int32) bool { return !reach[to] })
		}
	}
	if exit.part { // then the exit is a separate node
		// Some threads go on from that block, so that the block itself cannot
		// stand for the exit.
		kept[exit.block] = append(slices.Clone(kept[exit.block]), int32(count))
	}
	for i, dom := range ir.NewGraph(kept).PostDominators()[:count] {
		if reach[i] {
			meet[i] = dom
			if dom == int32(count) {
				meet[i] = -1
			}
		}
	}
	return meet
}

// mainExit returns the exit that a kernel normally takes, and the blocks that
// can reach it. It prefers exits that threads do not take from the middle of a
// loop; among these, the one that most blocks can reach; then the last.
func (m *machine) mainExit(graph *ir.Graph, order []int32) (way, []bool) {
	at := make([]int32, len(m.blocks)) // place in order
	for i, b := range order {
		at[b] = int32(i)
	}
	best, bestNatural, bestSize := way{block: -1}, false, 0
	var reach []bool
	for _, end := range order {
		b := m.blocks[end]
		found := way{end, b.exits}
		if len(b.succs) > 0 && !b.exits {
			continue
		}
		seen, size := m.reaches(graph, end)
		natural := m.natural(graph, found, at)
		if !found.part {
			size++ // this one has a block that only exits
		}
		if best.block < 0 || natural && !bestNatural || natural == bestNatural && size >= bestSize {
			best, bestNatural, bestSize, reach = found, natural, size, seen
		}
	}
	return best, reach
}

// reaches returns which blocks can reach end, and how many they are.
func (m *machine) reaches(graph *ir.Graph, end int32) (seen []bool, size int) {
	seen = make([]bool, len(m.blocks))
	seen[end] = true
	work := []int32{end}
	for next := 0; next < len(work); next++ {
		for _, pred := range graph.Preds[work[next]] {
			if !seen[pred] {
				seen[pred] = true
				work = append(work, pred)
			}
		}
	}
	return seen, len(work)
}

// natural reports whether threads reach an exit from outside of loops or
// where a loop's condition ends it, and not only by a return from the middle of
// a loop.
func (m *machine) natural(graph *ir.Graph, exit way, at []int32) bool {
	// A block outside of loops decides once for each thread. In a loop, one
	// that jumps back (its successor is not behind it) is the loop's own test.
	leaves := func(b int32) bool { // b decides between this exit and something else
		return m.blocks[b].depth == 0 || slices.ContainsFunc(m.blocks[b].succs, func(succ int32) bool { return at[succ] <= at[b] })
	}
	if exit.part {
		return leaves(exit.block)
	}
	// Blocks that lead only to this exit belong to it.
	in := make([]bool, len(m.blocks))
	in[exit.block] = true
	work := []int32{exit.block}
	for next := 0; next < len(work); next++ {
		b := work[next]
		if len(graph.Preds[b]) == 0 {
			return true // the entry
		}
		for _, pred := range graph.Preds[b] {
			if in[pred] {
				continue
			}
			if m.blocks[pred].exits || slices.ContainsFunc(m.blocks[pred].succs, func(succ int32) bool { return !in[succ] }) {
				if leaves(pred) {
					return true
				}
				continue
			}
			in[pred] = true
			work = append(work, pred)
		}
	}
	return false
}
