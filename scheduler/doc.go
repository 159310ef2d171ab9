// Package scheduler distributes graph work over the threads of a GPU. It
// holds what all schemes share: the Algorithm interface, the graph as a kernel
// sees it, the mappings of vertices to threads, and the frontier queue. Each
// scheme is a package below it, generic over the algorithm and the mapping.
//
// Plain files are device code; host halves are in files host*.go.
package scheduler
