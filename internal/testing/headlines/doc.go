// Package headlines computes the figures that README.md and the documents state:
// how far simulated times and counters are from those recorded on an H200, over
// everything that was recorded. A document marks each figure:
//
//	off by <!-- figure times.mean -->14%<!-- end --> in the mean
//
// Its test computes all of them from the records and from results/simulated, which
// "make simulated" writes, and fails if a document says something else. "make
// figures" rewrites the documents. The pictures of docs/images that show results are
// drawn and compared in the same way: all simulated times against measured ones, and
// the source of a kernel with what each line costs.
package headlines
