// Package reference computes the answers of graph algorithms on the CPU, and checks the
// answers of devices against them.
//
// [BFS], [SSSP], [SSWP], [CC], [SCC], [Coreness] and [PageRank] are the textbook algorithms,
// written to be correct and to process a few million arcs per second. Tests compare them with
// gonum on small graphs. [CheckBFS], [CheckSSSP], [CheckComponents],
// [CheckPageRank] and [CheckRelaxation] compare the answer of a device with them; [Compare]
// compares any two answers. If values differ, the error is a
// [*Mismatch], which names the first vertex with a wrong value.
//
// Every function that takes a context returns its error when it is done.
package reference
