//go:build !kernel

package unionfind

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// The values of the parameter skip.
const (
	auto   = "auto"
	always = "always"
	never  = "never"
)

// The values of the parameter fusion, besides auto.
const (
	fuseNone = "none"
	fuseAll  = "all"
)

// Where degrees vary much, one launch of Sample is enough, if it is a launch: its trees meet at the vertices of large degree. Of a uniform graph of a million vertices it leaves a hundred trees.
const unevenRounds, evenRounds = 1, 2

// stepBlock and wholeBlock are the numbers of threads per block of a kernel for one step, and for a whole run without tiles. At a barrier of all blocks fewer of them
// meet if they are large: components of a uniform graph of a million vertices take an H200 204, 172, 158 and 169 us with 128, 256, 512 and 1,024 threads.
const (
	stepBlock  = 128
	wholeBlock = 512
)

// tileBlock is the number of threads per block that has tiles, and maxTile the number of words of shared
// memory that every GPU gives to a block. tile=-1 chooses so many vertices, within bounds, that
// each SM has two tiles.
const (
	tileBlock           = 1024
	maxTile             = 12288
	leastTile, mostTile = 1024, 8192
	tilesPerSM          = 2
)

// New returns the scheme. It accepts the algorithms that spread the combined Init values of a
// component to its vertices.
func New() scheduler.Scheme {
	return scheduler.Scheme{
		Name:    "union-find",
		Doc:     "connected components by hooking and pointer jumping (ECL-CC), without the edges of the largest one (Afforest)",
		Sources: []gpu.Package{Sources},
		Groups:  true,
		Remote: map[string]scheduler.Cause{"other.Parents": scheduler.ForValues, "forest.Parents": scheduler.ForValues, "counts": scheduler.ForCounters,
			"inbox": scheduler.ForValues, "all.Parents": scheduler.ForValues, "values": scheduler.ForValues, "largest": scheduler.ForFrontier, "heard": scheduler.ForCounters, scheduler.GroupBarrierWords: scheduler.ForBarriers},
		Params: append([]scheduler.Param{
			{Name: "block", Type: scheduler.IntParam, Unit: "thread", Default: "0", Min: 0, Max: 1024, Multiple: 32,
				Doc: fmt.Sprintf("threads per block; 0: %d, and in one kernel for the whole run %d, or with tiles %d", stepBlock, wholeBlock, tileBlock)},
			{Name: "skip", Type: scheduler.WordParam, Words: []string{auto, always, never}, Default: auto,
				Doc: fmt.Sprintf("whether to leave out the largest component that a few arcs of each vertex show; auto: in one kernel, if the mean degree is at least %d; with a launch for each step, at least %d, and degrees vary much or there are %d million arcs and most are not between close numbers", wholeDegree, skipDegree, skipArcs/1_000_000)},
			{Name: "tile", Type: scheduler.IntParam, Unit: "vertex", Default: "-1", Min: -1, Max: maxTile,
				Doc: "consecutive vertices whose edges a block hooks in shared memory, unless the largest component is left out; -1: what gives each SM two tiles; 0: no tiles"},
			{Name: "rounds", Type: scheduler.IntParam, Unit: "round", Default: "0", Min: 0, Max: maxRounds,
				Doc: fmt.Sprintf("times that one arc of each vertex is hooked before the largest component is sought; more follow while its share doubles; 0: %d, or %d if degrees vary much and each is a launch", evenRounds, unevenRounds)},
			{Name: "fusion", Type: scheduler.WordParam, Words: []string{auto, fuseNone, fuseAll}, Default: auto,
				Doc: fmt.Sprintf("kernels; none: a launch for each step; all: one for the whole run on each GPU, with a barrier of all blocks between steps; auto: all on up to %d GPUs that can store to the memory of each other, else none", scheduler.MostPeers+1)},
		}, scheduler.PartitionParams()...),
		Quantities: append([]scheduler.Quantity{
			{Name: share, Unit: "%", Doc: "arcs that end in the largest tree, of a sample"},
			{Name: visited, Unit: "vertex", Doc: "vertices whose edges were hooked; others are in the component that is skipped"},
			{Name: forWarps, Unit: "vertex", Doc: fmt.Sprintf("of these, vertices of %d to %d arcs, for a warp each", ThreadDegree+1, WarpDegree)},
			{Name: forBlocks, Unit: "vertex", Doc: fmt.Sprintf("of these, vertices of more than %d arcs, for a block each", WarpDegree)},
			{Name: moved, Unit: "vertex", Doc: "vertices that changed the value of their component's root"},
		}, partCycles[:]...),
		Takes:   takes,
		Kernels: func(a scheduler.Type) []scheduler.EntryPoint { return entries(a).all() },
		Run: func(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
			return scheduler.RunDivided(ctx, j, run)
		},
	}
}

// The quantities of a step.
const (
	share     = "share"
	visited   = "visited"
	forWarps  = "warp-vertices"
	forBlocks = "block-vertices"
	moved     = "moved"
)

// takes says why the scheme does not run an algorithm.
func takes(a scheduler.Type, p scheduler.Values) error {
	if !a.Spreads {
		return fmt.Errorf("%s has no method Spreads that returns true: its answer is not one value for each connected component, the Combine of the Init values of its vertices", a.Name)
	}
	return scheduler.CheckPartition(p)
}

// kernels are the entry points for an algorithm. Those of Hook and HookWide are for the
// edges outside of the largest tree (rest), for those between tiles (across), or for all (smaller).
type kernels struct {
	init, tile                        scheduler.EntryPoint
	roots, sample, compress           scheduler.EntryPoint
	hookRest, hookSmaller, hookAcross scheduler.EntryPoint
	wideRest, wideSmaller, wideAcross scheduler.EntryPoint
	join, flatten, spread             scheduler.EntryPoint

	wholeRest, wholeSmaller, wholeAcross scheduler.EntryPoint
	groupRest, groupSmaller, groupAcross scheduler.EntryPoint
	restart                              scheduler.EntryPoint
}

func entries(a scheduler.Type) kernels {
	entry := func(what, format string, args ...any) scheduler.EntryPoint {
		return scheduler.EntryPoint{Name: "unionfind." + fmt.Sprintf(format, args...), What: what}
	}
	return kernels{
		init:        entry("initial values, and each vertex under its first neighbor if that is smaller", "Init[%s, %s]", a.Name, a.Value),
		tile:        entry("initial values, and the edges within each tile", "Tile[%s, %s]", a.Name, a.Value),
		roots:       entry("hooks each root under a parent of its neighbors", "HookRoots"),
		sample:      entry("hooks one arc of each vertex", "Sample"),
		compress:    entry("flattens the trees and finds the largest one", "Compress"),
		hookRest:    entry("hooks the edges outside of the largest tree", "Hook[unionfind.Rest]"),
		wideRest:    entry("the same, for vertices of many arcs", "HookWide[unionfind.Rest]"),
		hookSmaller: entry("hooks the edges of each vertex to smaller ones", "Hook[unionfind.Smaller]"),
		wideSmaller: entry("the same, for vertices of many arcs", "HookWide[unionfind.Smaller]"),
		hookAcross:  entry("hooks the edges between tiles", "Hook[unionfind.Across]"),
		wideAcross:  entry("the same, for vertices of many arcs", "HookWide[unionfind.Across]"),
		join:        entry("puts the forest of another GPU into that of this one", "Join"),
		flatten:     entry("flattens the trees, and combines and spreads values", "Flatten[%s, %s]", a.Name, a.Value),
		spread:      entry("spreads the values of the roots", "Spread[%s]", a.Value),

		wholeRest:    entry("a whole run without the edges of the largest tree", "WholeRest[%s, %s]", a.Name, a.Value),
		wholeSmaller: entry("a whole run over the edges of each vertex to smaller ones", "Whole[%s, %s, unionfind.Smaller]", a.Name, a.Value),
		wholeAcross:  entry("a whole run over the edges within tiles, and then those between tiles", "Whole[%s, %s, unionfind.Across]", a.Name, a.Value),

		groupRest:    entry("the same as WholeRest, on one of several GPUs", "WholeRestGroup[%s, %s]", a.Name, a.Value),
		groupSmaller: entry("the same as Whole, on one of several GPUs", "WholeGroup[%s, %s, unionfind.Smaller]", a.Name, a.Value),
		groupAcross:  entry("the same with tiles", "WholeGroup[%s, %s, unionfind.Across]", a.Name, a.Value),
		restart:      entry("first values again, for one GPU that combines those of all", "Restart[%s, %s]", a.Name, a.Value),
	}
}

// steps returns the kernels of a run with a launch for each step.
func (k kernels) steps() []scheduler.EntryPoint {
	return []scheduler.EntryPoint{k.hookSmaller, k.wideSmaller, k.hookAcross, k.wideAcross, k.hookRest, k.wideRest, k.roots, k.sample, k.compress, k.join, k.flatten, k.spread, k.tile, k.init}
}

// all returns the kernels that may be launched.
func (k kernels) all() []scheduler.EntryPoint {
	return append(k.steps(), k.wholeRest, k.wholeSmaller, k.wholeAcross, k.groupRest, k.groupSmaller, k.groupAcross, k.restart)
}
