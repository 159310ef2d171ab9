//go:build !kernel

package kernels

import (
	"context"

	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// SSWPHost is the host half of SSWP.
var SSWPHost = scheduler.Host{
	Name:   "sswp",
	Doc:    "single-source widest paths, with a frontier",
	Device: SSWP{},
	Value:  "width",
	Reference: func(ctx context.Context, in scheduler.Input) (any, error) {
		return reference.SSWP(ctx, in.Graph, in.Source)
	},
}
