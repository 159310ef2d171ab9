// Package gpu is all that a kernel may call. A kernel is a Go function whose
// first parameter is a Thread; the compiler turns it into GPU code, and every
// function here also runs as plain Go (see Launch), so that a kernel can be
// tested and debugged like any other function.
//
// Files named native*.go hold the plain-Go executor; the compiler reads the
// declarations of the other files and ignores their bodies.
package gpu
