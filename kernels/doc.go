// Package kernels holds the algorithms, one a file, and the entry points: the
// instantiations of a scheme that have a name. A scheme is written once for all
// algorithms (package scheduler and below), an algorithm once for all schemes.
//
// Plain files are device code; host halves are in files host*.go.
package kernels

// Unreached is the value of a vertex that no path from the source has reached.
const Unreached = ^uint32(0)
