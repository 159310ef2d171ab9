//go:build !kernel

package multi

import (
	"embed"

	"github.com/weft-gpu/weft/gpu"
)

//go:embed *.go
var files embed.FS

// Sources is the device code of this package, for the compiler. It imports that of warpseg.
var Sources = gpu.Package{Path: "github.com/weft-gpu/weft/internal/scheme/multi", Files: files}
