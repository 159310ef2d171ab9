package catalog

import (
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/scheduler/blockqueue"
	"github.com/weft-gpu/weft/scheduler/bsp"
)

// schemes are the schemes that there are, a line each. Nothing else in the
// program knows one of them: a test holds that only this file imports their
// packages.
var schemes = []func() scheduler.Scheme{
	blockqueue.New,
	bsp.Block,
	bsp.Thread,
	bsp.Warp,
}
