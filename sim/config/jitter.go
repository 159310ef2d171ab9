package config

import "slices"

// VarySchedules sets parameters with which a schedule depends on the seed in every way that the simulator has: blocks
// go to any SM that has room and start at different times, any warp that is ready may issue, and messages overtake each
// other. The delays are a few times those between two instructions that race, such as a message's 80 cycles, so that
// every order occurs in a small number of seeds. They are no measurements.
func (g *GPU) VarySchedules() {
	g.Launch.Order, g.Issue.Scheduler = "random", "random"
	g.Jitter = Jitter{SM: 300, Block: 200, Message: 150}
}

// seedless are the built-in policies that draw nothing from a seed.
var seedless = map[string][]string{
	"launch.order": {"breadth", "depth"}, "issue.scheduler": {"gto", "lrr", "oldest"}, "l2.hash": {"mixed", "modulo"}, "dram.hash": {"mixed", "modulo"},
	"l1.replacement": {"lru", "fifo"},
}

// Draws reports whether a launch may depend on the seed: delays are drawn, or a policy is random or not one of ours.
func (g *GPU) Draws() bool {
	for path, names := range seedless {
		if name, err := g.Get(path); err != nil || !slices.Contains(names, name) {
			return true
		}
	}
	return g.Jitter != (Jitter{})
}
