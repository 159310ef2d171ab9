// Package ir defines the intermediate representation of kernels. The compiler produces a
// Func in SSA form, package opt optimises it and makes a Program of it, and the executors and
// the PTX printer work on that. One table (Ops) describes every operation. Func and
// Program have text forms; that of a Func can be parsed.
package ir
