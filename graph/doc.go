// Package graph loads and generates graphs on the host. It contains the [CSR] type, readers
// for the file formats in which the graphs of the literature are published, and generators.
//
// [Open] takes the path of a file or the specification of a generator:
//
//	g, notes, err := graph.Open(ctx, "USA-road-d.NY.gr.gz", graph.LoadOptions{})
//	g, notes, err := graph.Open(ctx, "rmat:scale=20,degree=16,seed=1", graph.LoadOptions{})
//	g, notes, err := graph.Open(ctx, "demo", graph.LoadOptions{})
//
// [FromEdges] makes a graph of a list of arcs, and [Read] loads one from an io.Reader.
//
// The result is a CSR: the targets of the arcs of vertex v are g.Neighbors(v), in ascending
// order, and their weights are g.Weights(v). [LoadOptions] makes the graph symmetric,
// assigns weights and keeps self loops. [CSR.Facts] computes degrees, components and a
// lower bound of the diameter.
//
// A graph that differs from its file misleads anyone who compares results. Therefore
// [Notes] record everything that the loader changed: merged duplicates, dropped self loops,
// renumbered vertices, the source of the weights. An error names the file and the line, and
// no partial graph is returned with it.
//
// Readers recognize a format (see [Formats]) by the content of the file, and by its name if
// the content fits several formats. Each file may be compressed with gzip.
//
// Package reference, below this one, computes the answers of graph algorithms on the CPU
// and checks the answers of devices against them.
package graph
