// Package weft is what a host program imports: it opens devices by name, loads
// kernels from Go source, allocates and copies memory, launches, and reports what
// the device did. The same program runs on a functional executor, on a cycle-level
// simulator of a GPU and on an NVIDIA GPU; only the name of the device differs.
//
// A kernel is a Go function that takes a gpu.Thread first; package gpu has what it
// may call. A program that launches one:
//
//	dev, err := weft.Open(ctx, "sim:h200", weft.Options{})
//	pkg, err := weft.Load("./mykernels")
//	k, err := pkg.Kernel(ctx, "Scale", nil) // func Scale(t gpu.Thread, x []float32, by float32)
//	x, err := weft.Upload(dev, "x", []float32{1, 2, 3})
//	rep, err := dev.Launch(ctx, weft.Launch{Kernel: k, Grid: 1, Block: 256, Args: []any{x, float32(2)}})
//	err = x.Read(out)
//
// Run runs a graph algorithm, one that comes with Weft or your own, on your graph;
// Extend adds algorithms and schemes. The command line is package command: a program
// that calls command.Main, with your algorithms, schemes and policies of the simulated
// machine (package sim/policy) linked in, has all commands of weft. The folder
// examples/outside is a module that does all of this.
package weft
