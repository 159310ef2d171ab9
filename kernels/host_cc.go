//go:build !kernel

package kernels

import "github.com/weft-gpu/weft/graph/reference"

// CCHost is the host half of CC.
var CCHost = Host{
	Symmetric: true,
	Value:     "label",
	Check: func(p Problem, answer any) error {
		labels, err := as[[]uint32](answer)
		if err != nil {
			return err
		}
		return reference.CheckCC(p.Graph, labels)
	},
}
