//go:build !kernel

package kernels

import "github.com/weft-gpu/weft/graph/reference"

// SSSPHost is the host half of SSSP.
var SSSPHost = Host{
	Source:   true,
	Weighted: true,
	Value:    "distance",
	Check: func(p Problem, answer any) error {
		distances, err := as[[]uint32](answer)
		if err != nil {
			return err
		}
		return reference.CheckSSSP(p.Graph, p.Source, distances)
	},
}
