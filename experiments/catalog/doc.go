// Package catalog puts algorithm, scheme, host loop and reference together
// under the names that a user types: "bfs" by "warp". A pair that package
// kernels does not write down is instantiated when it is asked for, and an
// algorithm type in a user's directory ("./dir.Type") runs like ours.
package catalog
