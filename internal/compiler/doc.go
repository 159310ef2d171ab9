// Package compiler has no code: its folders turn kernels, functions in Go, into programs: compile reads the source and
// writes IR, opt improves it, ptx prints it for NVIDIA's driver, ir is what they share and all executors run.
package compiler
