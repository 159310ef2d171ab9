// Package nokernel has functions that somebody may take for kernels.
package nokernel

import "github.com/weft-gpu/weft/gpu"

// Returns has a result.
func Returns(t gpu.Thread, p []uint32) uint32 { return p[t.Global()] }

// Pointer takes a pointer to the thread.
func Pointer(t *gpu.Thread, p []uint32) { p[0] = t.Global() }

func hidden(t gpu.Thread, out []uint32) { out[t.Global()] = 1 }
