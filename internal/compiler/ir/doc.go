// Package ir defines the intermediate representation of kernels. The compiler
// produces a Func in SSA form, package opt optimises it and turns it into a
// Program, and the executors and the PTX printer use the Program. A single
// table (Ops) describes all operations. Func and Program have text forms; tests
// read that of a Func (internal/testing/irtext).
package ir
