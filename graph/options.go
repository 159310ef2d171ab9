package graph

import "fmt"

// WeightMode determines the source of the weights of a loaded graph.
type WeightMode int

const (
	// WeightsAuto uses the weights of the file if it has valid ones. Otherwise the graph
	// has no weights, and CSR.BadWeights says why the weights of the file are invalid. This
	// is the default.
	WeightsAuto WeightMode = iota
	// WeightsAlways uses the weights of the file, which must be valid, and assigns weights
	// by HashWeight if the file has none.
	WeightsAlways
	// WeightsFile uses the weights of the file. It is an error if the file has none or if
	// they are invalid.
	WeightsFile
	// WeightsHash assigns weights by HashWeight and ignores those of the file.
	WeightsHash
	// WeightsUnit gives each arc weight 1 and ignores the weights of the file.
	WeightsUnit
	// WeightsNone loads no weights.
	WeightsNone
)

// LoadOptions configures how a graph is loaded. The zero value keeps arcs as they are in
// the file, drops self loops, and uses the weights of the file if it has any.
//
// Duplicates are always merged, because the rows of a CSR are sets here. The smallest
// weight is kept, so that shortest paths do not change.
type LoadOptions struct {
	// Symmetrize adds the missing opposite arcs. If an arc and its opposite have different
	// weights, both get the smaller one.
	Symmetrize bool
	// DropIsolated drops vertices that have no arc, neither outgoing nor incoming, after
	// Symmetrize. The others are renumbered without gaps, in the same order.
	DropIsolated bool
	// Permute renumbers the vertices at random, by the generator of random numbers with
	// this seed, if it is not 0. Weights that are assigned by HashWeight are those of the
	// graph before.
	Permute uint64
	// Power, if it is more than 1, adds an arc for each path of at most so many arcs, up to
	// MaxPower, between two vertices without an arc. The weight of each arc is the least
	// number of arcs of such a path; other Weights than WeightsAuto cannot be requested, and
	// weights of the file are ignored. Paths are those of the graph after Symmetrize.
	Power int
	// KeepSelfLoops keeps arcs from a vertex to itself.
	KeepSelfLoops bool
	// Weights determines the source of the weights.
	Weights WeightMode
	// Format is the name of the file's format (see [Formats]). If it is empty, the format
	// is determined by the content and the name of the file.
	Format string
	// Progress, if set, is called from time to time with the number of bytes of the file
	// read so far and the size of the file (compressed bytes if it is compressed; total is
	// 0 if it is not known). It is called from the goroutine that loads the graph.
	Progress func(done, total int64)
	// Multiplied, if set, is called from time to time with the number of rows of products that
	// were computed so far for Power, and the number of all, which is twice that of the
	// vertices. It is called from one goroutine at a time.
	Multiplied func(done, total int64)

	listing *listing // gets the edges in their order; nil if nobody asks
}

// named returns the name of a graph in reports. Two orders of the vertices are two graphs for
// whoever compares times, and so are two powers.
func (opt LoadOptions) named(name string) string {
	if opt.Power > 1 {
		name = fmt.Sprintf("%s power %d", name, opt.Power)
	}
	if opt.Permute != 0 {
		return fmt.Sprintf("%s permuted by %d", name, opt.Permute)
	}
	return name
}
