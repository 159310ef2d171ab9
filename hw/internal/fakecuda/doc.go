// Package fakecuda is a CUDA driver without a GPU, for tests of the code between a program and the driver: its memory
// is host memory, and its kernels are those listed below.
package fakecuda
