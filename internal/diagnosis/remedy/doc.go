// Package remedy tries out what a report advises: it applies a change to a launch, or to the compiled program of its
// kernel, and runs the launch again. Advice that has been tried and did not help is not advice.
//
// A Change is data: what it is called, and how the program and the launch differ. An Edit changes a program instruction
// by instruction. Try runs the changed launch with a function of the caller, who has the device and knows what is wrong:
//
//	load := remedy.Change{What: "gpu.LoadAcquire at a.go:7", Program: func(p *ir.Program) (*ir.Program, error) {
//		return remedy.NewEdit(p).Order(pc, ir.Acquire).Program()
//	}}
//	v := remedy.Try(ctx, launch, load, func(ctx context.Context, l device.Launch) (string, error) { ... })
package remedy
