//go:build !kernel

package nearfar

import (
	"embed"

	"github.com/weft-gpu/weft/gpu"
)

//go:embed *.go
var files embed.FS

// Sources is the device code of this package, for the compiler.
var Sources = gpu.Package{Path: "github.com/weft-gpu/weft/internal/scheme/nearfar", Files: files}
