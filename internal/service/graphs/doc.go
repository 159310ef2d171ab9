// Package graphs loads the graphs that a user names: files, generators, the
// demo graph, all graph files of a folder. Its errors say what to write instead
// if there is no such graph.
package graphs
