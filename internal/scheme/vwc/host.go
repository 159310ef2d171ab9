//go:build !kernel

package vwc

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// The widths, as a user writes them; the default is in the middle.
var widths = []string{"2", "4", "8", "16", "32"}

const defaultWidth = "8"

// New returns the scheme. It accepts every algorithm that can be pulled.
func New() scheduler.Scheme {
	return scheduler.Scheme{
		Name:    "vwc",
		Doc:     "bulk-synchronous pull, one virtual warp of 2 to 32 lanes per vertex (Hong et al., PPoPP 2011)",
		Sources: []gpu.Package{Sources},
		Params: []scheduler.Param{
			scheduler.BlockParam(),
			scheduler.MaxIterationsParam(),
			{Name: "width", Type: scheduler.WordParam, Words: widths, Unit: "lane", Default: defaultWidth, Doc: "lanes per virtual warp"},
		},
		Quantities: scheduler.FrontierQuantities(),
		WholeRows:  true,
		Takes:      func(a scheduler.Type, _ scheduler.Values) error { return cmp.Or(a.Unphased(), a.Pulls()) },
		Kernels: func(a scheduler.Type) []scheduler.EntryPoint {
			list := []scheduler.EntryPoint{kernel(a, defaultWidth)}
			for _, w := range widths {
				if w != defaultWidth {
					list = append(list, kernel(a, w))
				}
			}
			return append(list, scheduler.SetupKernels(a)...)
		},
		Run: func(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
			width := j.Params.Word("width")
			lanes, err := strconv.Atoi(width)
			if err != nil {
				return nil, err
			}
			return scheduler.RunPull(ctx, j, kernel(j.Algorithm, width), scheduler.Team(lanes))
		},
	}
}

// kernel returns the entry point of Pull for an algorithm and a width.
func kernel(a scheduler.Type, width string) scheduler.EntryPoint {
	return scheduler.EntryPoint{
		Name: fmt.Sprintf("vwc.Pull[%s, vwc.Lanes%s, %s]", a.Name, width, a.Value),
		What: "one pull iteration with virtual warps of " + width + " lanes",
	}
}
