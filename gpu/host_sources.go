//go:build !kernel

package gpu

import (
	"embed"
	"io/fs"
)

// Package is a package of device code in source form. Kernels are compiled when the program
// runs, so a package of device code embeds its own files, in a file that is not device code
// itself:
//
//	//go:build !kernel
//
//	package mykernels
//
//	//go:embed *.go
//	var files embed.FS
//
//	var Sources = gpu.Package{Path: "example.com/mine/mykernels", Files: files}
type Package struct {
	Path  string // import path in device code
	Files fs.FS  // Go files in its root directory; tests and host files are ignored
}

//go:embed *.go
var files embed.FS

// Sources is the source of this package for the compiler. Every compiler includes it.
var Sources = Package{Path: "github.com/weft-gpu/weft/gpu", Files: files}
