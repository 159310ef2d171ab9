// Package catalog combines algorithms, schemes and references under the names that users type, such as "bfs" with the
// scheme "warp", and runs them on any device:
//
//	g, _, err := graph.Open(ctx, "rmat:scale=10,degree=8,seed=1", graph.LoadOptions{})
//	res, err := catalog.Run(ctx, dev, catalog.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g, Verify: true})
//	fmt.Println(res.Verified, res.Iterations, res.KernelSeconds())
//
// An algorithm type in a user's directory ("./dir.Type") runs in the same way. Catalog.Lookup asks a scheme whether it
// supports an algorithm; Entries lists all pairs. The functions of the package use the program's own catalog; New
// creates one with more schemes and algorithms.
package catalog
