// Package scheduler distributes graph work over the threads of a GPU. It holds
// what all schemes share: the Algorithm interface, the graph as a kernel sees it,
// the mappings of vertices to threads, and the frontier queue. A Scheme is a
// package below it, generic over the algorithm: device code, host loop and
// parameters. (The warp schedulers of a simulated machine are another thing:
// package sim.)
//
// Host loops build on Loop, which knows memory, launches and their record, or on
// FrontierLoop, which launches until a frontier is empty.
//
// Plain files are device code; host halves are in files host*.go.
package scheduler
