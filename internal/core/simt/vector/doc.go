// Package vector computes functions of the 32 lanes of a warp by the vector
// instructions of the host, AVX2 with FMA, where it has them. Each function takes
// rows: pointers to 32 lanes of 64 bits, in which words of 32 bits are zero-extended. The result d
// may be one of the operands.
//
// Only package simt calls it, which has the same functions in plain Go for other
// hosts and under the build tag purego, and a test that compares both.
package vector

//go:generate go -C generate run . -out ../rows_amd64.s -stubs ../rows_amd64.go -pkg vector
