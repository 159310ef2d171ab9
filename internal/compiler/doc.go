// Package compiler has no code: its folders turn kernels, functions in Go, into programs: compile reads the source and
// writes IR, modules finds the packages of a user's program, opt improves the IR, ptx prints it for NVIDIA's driver, readptx reads
// programs that others have made for it, ir is what they share and all executors run.
package compiler
