// Package kernels holds the algorithms, one a file. An algorithm is written once
// for all schemes, and a scheme once for all algorithms (package scheduler and
// below): its kernels are instantiated when they are asked for.
//
// Plain files are device code; host halves are in files host*.go.
package kernels

// Unreached is the value of a vertex that no path from the source has reached.
const Unreached = ^uint32(0)
