// Package record measures a GPU for package results: every algorithm with every scheduler on every graph, verified
// against the CPU reference; the micro-kernels; the driver's information about each kernel; and our kernels compared
// with the same kernels in CUDA C. It writes the files that package results loads. Export makes a record of the runs in a store.
package record
