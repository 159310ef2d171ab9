// Package catalog puts algorithm, scheme and reference together under the names
// that a user types: "bfs" by "warp". What a scheme is, it asks the scheme; an
// algorithm type in a user's directory ("./dir.Type") runs like ours.
package catalog
