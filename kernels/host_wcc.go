//go:build !kernel

package kernels

import "github.com/weft-gpu/weft/scheduler"

// WCCHost is the host half of WCC.
var WCCHost = scheduler.Host{
	Name:     "wcc",
	Doc:      "weakly connected components, by label propagation forward and in reverse in turn",
	Device:   WCC{},
	Value:    "label",
	Vertices: true,
	Check:    checkComponents("wcc"),
}
