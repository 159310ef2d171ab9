//go:build !kernel

package hop

import (
	"embed"

	"github.com/weft-gpu/weft/gpu"
)

//go:embed *.go
var files embed.FS

// Sources is the device code of this package.
var Sources = gpu.Package{Path: "github.com/weft-gpu/weft/internal/service/catalog/testdata/linked/hop", Files: files}
