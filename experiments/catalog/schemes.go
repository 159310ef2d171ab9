package catalog

import (
	"slices"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/kernels/litmus"
	"github.com/weft-gpu/weft/kernels/micro"
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/scheduler/blockqueue"
	"github.com/weft-gpu/weft/scheduler/bsp"
)

// packages are the device code that comes with the project beside that of the
// schemes, which bring theirs.
var packages = []gpu.Package{scheduler.Sources, kernels.Sources, micro.Sources, litmus.Sources}

// Sources lists the device code that comes with the project: the packages of the
// catalog and those of its schemes.
func Sources() []gpu.Package {
	list := slices.Clone(packages)
	for _, s := range schemes {
		list = append(list, s().Sources...)
	}
	return list
}

// schemes are the schemes that there are, a line each. Nothing else in the
// program knows one of them: a test holds that only this file imports their
// packages.
var schemes = []func() scheduler.Scheme{
	blockqueue.New,
	bsp.Block,
	bsp.Thread,
	bsp.Warp,
}
