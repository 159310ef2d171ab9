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

// maxRounds is the largest number of launches of Sample, and largeShare is the share of arcs, in
// percent, from which the largest tree is large enough.
const (
	maxRounds  = 8
	largeShare = 75
)

// Where degrees vary much, one launch of Sample is enough: its trees meet at the vertices of large degree. Of a uniform graph of a million vertices it leaves a hundred trees.
const unevenRounds, evenRounds = 1, 2

// tileBlock is the number of threads per block of Tile, and maxTile the number of words of shared
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
		Remote:  map[string]scheduler.Cause{"other.Parents": scheduler.ForValues, "forest.Parents": scheduler.ForValues, "largest": scheduler.ForCounters},
		Params: append([]scheduler.Param{
			scheduler.BlockParam(),
			{Name: "skip", Type: scheduler.WordParam, Words: []string{auto, always, never}, Default: auto,
				Doc: fmt.Sprintf("whether to leave out the largest component that a few arcs of each vertex show; auto: if the mean degree is at least %d, and degrees vary much or there are %d million arcs and most are not between close numbers", skipDegree, skipArcs/1_000_000)},
			{Name: "tile", Type: scheduler.IntParam, Unit: "vertex", Default: "-1", Min: -1, Max: maxTile,
				Doc: "consecutive vertices whose edges a block hooks in shared memory, unless the largest component is left out; -1: what gives each SM two tiles; 0: no tiles"},
			{Name: "rounds", Type: scheduler.IntParam, Unit: "launch", Default: "0", Min: 0, Max: maxRounds,
				Doc: fmt.Sprintf("launches that hook one arc of each vertex before the largest component is sought; more follow while its share doubles; 0: %d if degrees vary much, else %d", unevenRounds, evenRounds)},
		}, scheduler.PartitionParams()...),
		Quantities: []scheduler.Quantity{
			{Name: share, Unit: "%", Doc: "arcs that end in the largest tree, of a sample"},
			{Name: visited, Unit: "vertex", Doc: "vertices whose edges were hooked; others are in the component that is skipped"},
			{Name: forWarps, Unit: "vertex", Doc: fmt.Sprintf("of these, vertices of %d to %d arcs, for a warp each", ThreadDegree+1, WarpDegree)},
			{Name: forBlocks, Unit: "vertex", Doc: fmt.Sprintf("of these, vertices of more than %d arcs, for a block each", WarpDegree)},
			{Name: moved, Unit: "vertex", Doc: "vertices that changed the value of their component's root"},
		},
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
	}
}

// all returns the kernels that may be launched.
func (k kernels) all() []scheduler.EntryPoint {
	return []scheduler.EntryPoint{k.hookSmaller, k.wideSmaller, k.hookAcross, k.wideAcross, k.hookRest, k.wideRest, k.roots, k.sample, k.compress, k.join, k.flatten, k.spread, k.tile, k.init}
}
