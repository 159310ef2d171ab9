// Package host is a device that runs kernels on this machine's processor, compiled by clang and not by Weft: package llvm
// prints their SSA form. It judges Weft's optimiser, register allocation and executors without any simulator: the same
// launch on it and on device func must leave the same memory.
//
//	d, err := host.New(host.Options{})
//	d.Launch(ctx, launch)
//
// Each launch runs in a process of its own (see harness/harness.c), so that a wrong access ends that process and not the caller.
package host
