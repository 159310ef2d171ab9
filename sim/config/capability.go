package config

import "strings"

// capabilities are the compute capabilities of the GPUs that presets model (CUDA C++ Programming Guide, "Compute Capabilities"),
// times 10.
var capabilities = []struct {
	preset string
	value  int
}{{"h200", 90}, {"h100", 90}, {"a100", 80}, {"v100", 70}, {"p100", 60}, {"k40", 35}, {"k20", 35}, {"gtx780", 35}}

// Capability returns the compute capability of the GPU that a machine models, times 10: 90 for an H200. It is 0 for a machine
// that models none: such a machine has all instructions.
func (g *GPU) Capability() int {
	for _, c := range capabilities {
		if strings.HasPrefix(g.Name, c.preset) {
			return c.value
		}
	}
	return 0
}
