// Package twins has kernels that exist twice: in Go, and in CUDA C++ (twins.cu), with the same algorithm line by line. Tests
// compare what they take on simulated machines, and how fast they are simulated.
package twins
