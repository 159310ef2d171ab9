package catalog

import (
	"slices"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/kernels/barrier"
	"github.com/weft-gpu/weft/internal/kernels/lock"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/kernels/worklist"
	"github.com/weft-gpu/weft/internal/scheme/atos"
	"github.com/weft-gpu/weft/internal/scheme/balanced"
	"github.com/weft-gpu/weft/internal/scheme/bitmap"
	"github.com/weft-gpu/weft/internal/scheme/blockqueue"
	"github.com/weft-gpu/weft/internal/scheme/bsp"
	"github.com/weft-gpu/weft/internal/scheme/hierq"
	"github.com/weft-gpu/weft/internal/scheme/multi"
	"github.com/weft-gpu/weft/internal/scheme/nearfar"
	"github.com/weft-gpu/weft/internal/scheme/nodes"
	"github.com/weft-gpu/weft/internal/scheme/oriented"
	"github.com/weft-gpu/weft/internal/scheme/simdx"
	"github.com/weft-gpu/weft/internal/scheme/unionfind"
	"github.com/weft-gpu/weft/internal/scheme/vwc"
	"github.com/weft-gpu/weft/internal/scheme/warpseg"
	"github.com/weft-gpu/weft/internal/scheme/wolf"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// packages are the project's device code, except that of the schemes, which provide their own.
var packages = []gpu.Package{scheduler.Sources, kernels.Sources, micro.Sources, barrier.Sources, lock.Sources, worklist.Sources}

// Sources returns the project's device code: the packages of the catalog and those of its schemes.
func Sources() []gpu.Package {
	list := slices.Clone(packages)
	for _, s := range schemes {
		list = append(list, s().Sources...)
	}
	return list
}

// schemes are the available schemes, one per line. The rest of the program does not depend on any of them: a test
// checks that only this file imports their packages.
var schemes = []func() scheduler.Scheme{
	atos.New,
	balanced.New,
	bitmap.New,
	bitmap.Strongly,
	blockqueue.New,
	bsp.Block,
	bsp.Thread,
	bsp.Warp,
	hierq.New,
	multi.New,
	nearfar.New,
	nodes.New,
	oriented.New,
	simdx.New,
	unionfind.New,
	vwc.New,
	warpseg.New,
	wolf.New,
}
