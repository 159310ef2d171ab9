// Package compile is the front end: it compiles a subset of Go to IR.
//
// A Compiler reads packages from mounted file systems with its own importer (it
// does not need the Go toolchain), type-checks them and builds go/ssa. Lowering
// then inlines every call and builds our SSA form in one pass (after Braun et
// al., "Simple and Efficient Construction of Static Single Assignment Form"): a
// Go value is a flat list of leaves, each a register or something known at
// compile time (the address of a local variable, a closure, an interface, a
// text). Scalar replacement, resolution of closures and devirtualisation follow
// from that and need no pass.
//
// Where to look: load.go and package.go (sources to go/ssa), entry.go and
// bind.go (what a kernel is), lower.go, inline.go and instr.go (the lowering
// pass), value.go, types.go, ssa.go and once.go (its data), memory.go,
// local.go, arith.go, call.go, intrinsic*.go, shared.go, table.go and vector.go
// (how each instruction is lowered), reject.go, constraint.go and typeerrors.go
// (what is rejected), bounds.go and limits.go (what is too large), lint.go
// (what is only suspicious). The kernels in folder langtest use every feature
// of the language.
package compile
