// Package amd is a device that runs kernels on MGPUSim v4.2.0, a simulator of AMD's R9 Nano that is not Weft's: package llvm
// prints their SSA form, and clang compiles it for gfx803.
//
// It takes kernels without atomics, ordered accesses, fences, barriers, operations of warps, panics, and shared and local
// variables, with blocks of one dimension and at most 256 threads; package llvm names what it refuses. MGPUSim's time of a
// launch is Report.Seconds.
package amd
