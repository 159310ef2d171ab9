// Package gpu is all that a kernel may call. A kernel is a Go function whose
// first parameter is a Thread; the compiler turns it into GPU code, and every
// function here also runs as plain Go (see Launch), so that a kernel can be
// tested and debugged like any other function.
//
// Files named native*.go hold the plain-Go executor, which the compiler does not
// read. Those named device*.go are device code like any kernel's: the same text
// runs everywhere. Of the others the compiler reads the declarations, and knows
// what the functions do.
package gpu
