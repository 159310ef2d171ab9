//go:build !kernel

package kernels

import (
	"embed"

	"github.com/weft-gpu/weft/gpu"
)

//go:embed *.go
var files embed.FS

// Sources is the device code of this package, which is compiled when a program
// with it runs.
var Sources = gpu.Package{Path: "example.com/outside/kernels", Files: files}
