package unionfind

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// FirstArcs is how many arcs of a root HookRoots looks at: their targets are in one or two sectors.
const FirstArcs = 8

// HookRoots is the kernel that hooks each root under the smallest parent of its first neighbors, one thread per vertex. After Init a root has no smaller neighbor,
// and one neighbor in about its degree is under another vertex that is smaller still: one root of many is left.
//
// A thread writes the parent of its own vertex alone, so this takes no atomic, and no two threads meet at a word. Sample has one thread for each arc between two
// trees, and all those of a large tree store to its root, one after the other.
func HookRoots(t gpu.Thread, g scheduler.Graph, f Forest) {
	for v := t.Global(); v < g.Vertices(); v += t.Stride() {
		if f.seen(v) != v {
			continue
		}
		begin, end := g.Row[v], g.Row[v+1]
		least := v
		for e := begin; e < min(end, begin+FirstArcs); e++ {
			least = min(least, f.seen(g.Col[e]))
		}
		if least < v {
			gpu.Store(&f.Parents[v], least)
		}
	}
}
