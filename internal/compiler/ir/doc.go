// Package ir defines the intermediate representation of kernels. The compiler
// produces a Func in SSA form, package opt optimises it and turns it into a
// Program, and the executors and the PTX printer use the Program. A single
// table (Ops) describes all operations. Func and Program have text forms; that
// of a Func can be parsed.
//
// Only tests parse it. The parser stands here all the same: it sets the numbers
// of values and blocks and knows the names of roles, spaces, orders, scopes and
// hints, as the writer beside it does, and nothing else may.
package ir
