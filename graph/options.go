package graph

// WeightMode says where the weights of a loaded graph come from.
type WeightMode int

const (
	// WeightsAuto takes the file's weights where it has usable ones; otherwise
	// the graph has none, and CSR.BadWeights says why the file's were not
	// usable. This is the default.
	WeightsAuto WeightMode = iota
	// WeightsAlways takes the file's weights where it has some, which must be
	// usable, and assigns them by HashWeight where it has none.
	WeightsAlways
	// WeightsFile takes the file's weights: it must have some, and they must be usable.
	WeightsFile
	// WeightsHash assigns weights by HashWeight, whatever the file has.
	WeightsHash
	// WeightsUnit gives each arc the weight 1, whatever the file has.
	WeightsUnit
	// WeightsNone gives no weights, whatever the file has.
	WeightsNone
)

// LoadOptions say how a graph is loaded. The zero value keeps arcs as the file
// has them, drops self loops, and takes weights where the file has them.
//
// Duplicates are always merged, since rows of a CSR are sets here; the
// smallest weight is kept, so that shortest paths stay what they were.
type LoadOptions struct {
	// Symmetrize adds the opposite of each arc that lacks it. Where both exist
	// with different weights, both get the smaller one.
	Symmetrize bool
	// KeepSelfLoops keeps arcs from a vertex to itself.
	KeepSelfLoops bool
	// Weights says where weights come from.
	Weights WeightMode
	// Format names the format of the file (see Formats); empty: told by content and name.
	Format string
	// Progress, when set, is called now and then with the bytes of the file
	// read so far and its size (compressed bytes where it is gzipped; total is
	// 0 when not known). It is called from the goroutine that loads.
	Progress func(done, total int64)
}
