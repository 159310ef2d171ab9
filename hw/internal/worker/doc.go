// Package worker implements the child process that holds a CUDA context, and the protocol between it and its parent
// (package hw) through shared memory.
package worker
