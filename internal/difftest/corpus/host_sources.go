//go:build !kernel

package corpus

import (
	"embed"

	"github.com/weft-gpu/weft/gpu"
)

//go:generate go test ../generate -run TestCorpusIsCurrent -update

// Sources is this package's source, for the compiler.
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
