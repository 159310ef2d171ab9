// Package hw runs kernels on a real NVIDIA GPU.
//
// The CUDA context lives in a child process (this program started again), for
// an illegal access or a hang poisons a context for good: the child is then
// ended, the parent reports what happened and goes on with a new child.
package hw

import "github.com/weft-gpu/weft/hw/worker"

// MaybeChild serves a parent and never returns, when this process was started
// as a child. Programs that open hardware devices call it first thing in main
// (and in TestMain).
func MaybeChild() { worker.MaybeChild() }
