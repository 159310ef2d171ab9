//go:build !kernel

package gpu

import (
	"embed"
	"io/fs"
)

// Package is a package of device code as Go source. Kernels are compiled when the
// program runs, so a package of device code embeds its own files, in a file that
// is not device code itself:
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
	Path  string // import path, as device code imports it
	Files fs.FS  // its Go files are in the root; tests and files for the host are ignored
}

//go:embed *.go
var files embed.FS

// Sources is this package as the compiler reads it. Every compiler has it.
var Sources = Package{Path: "github.com/weft-gpu/weft/gpu", Files: files}
