// Package generic has generic kernels, which the command line instantiates.
package generic

import "github.com/weft-gpu/weft/gpu"

// Pair is a type of the package that its kernels can be instantiated with.
type Pair struct{ A, B uint32 }

// Sum is A+B.
func (p Pair) Sum() uint32 { return p.A + p.B }

type private uint32

// Summer is what has a sum.
type Summer interface{ Sum() uint32 }

// Fill gives every word the number of its thread.
func Fill[T gpu.Num](t gpu.Thread, a []T) { a[t.Global()] = T(t.Global()) }

// Sums adds up what each element has.
func Sums[T gpu.Num, S Summer](t gpu.Thread, a []T, s []S) { a[t.Global()] = T(s[t.Global()].Sum()) }

// Plain is not generic.
func Plain(t gpu.Thread, a []private) { a[0] = 1 }
