//go:build !kernel

package twins

import (
	"embed"

	"github.com/weft-gpu/weft/gpu"
)

//go:embed twins.go
var files embed.FS

// Sources is the device code of this package, for the compiler.
var Sources = gpu.Package{Path: "github.com/weft-gpu/weft/internal/testing/cudatest/twins", Files: files}
