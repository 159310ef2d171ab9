//go:build !kernel

package corpus

import (
	"embed"

	"github.com/weft-gpu/weft/gpu"
)

// Kernels lists the generated kernels, whose sources are in no folder: an overlay
// of package generate adds them to this package. It is empty without one.
var Kernels []Kernel

// Sources is this package's source, for the compiler, with that of the overlay.
//
//go:embed *.go
var Sources embed.FS

// Kernel is an entry of the corpus.
type Kernel struct {
	Name        string
	Func        func(t gpu.Thread, in In, par Par, own []uint64, out []uint64, rec []Pair, acc Acc, net Net)
	Grid, Block int
	Ends        string // see generate.Ends
	Seed        uint64 // of the kernel
}
