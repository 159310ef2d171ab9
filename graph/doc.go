// Package graph holds graphs on the host: the CSR form, readers for the file
// formats that the literature's graphs come in, and generators.
//
// [Open] takes the path of a file or the specification of a generator, and is
// what a program wants:
//
//	g, notes, err := graph.Open(ctx, "USA-road-d.NY.gr.gz", graph.LoadOptions{})
//	g, notes, err := graph.Open(ctx, "rmat:scale=20,degree=16,seed=1", graph.LoadOptions{})
//	g, notes, err := graph.Open(ctx, "demo", graph.LoadOptions{})
//
// A graph that differs from its file is a trap for whoever compares results,
// so everything that the loader changed is in the notes: duplicates that were
// merged, self loops that were dropped, vertices that were renumbered, where
// the weights come from. An error names file and line, and then there is no graph:
// nothing half-read is returned.
//
// Formats (see [Formats]) are told by their content, and by the name of the
// file where the content fits several. Each may be gzipped.
//
// Package reference, below this one, has the answers of CPU algorithms on a
// CSR and checks the answers of devices against them.
package graph
