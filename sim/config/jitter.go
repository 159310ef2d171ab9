package config

// VarySchedules sets parameters with which a schedule depends on the seed in every way that the simulator has: blocks
// go to any SM that has room and start at different times, any warp that is ready may issue, and messages overtake each
// other. The delays are a few times those between two instructions that race, such as a message's 80 cycles, so that
// every order occurs in a small number of seeds. They are no measurements.
func (g *GPU) VarySchedules() {
	g.Launch.Order, g.Issue.Scheduler = "random", "random"
	g.Jitter = Jitter{SM: 300, Block: 200, Message: 150}
}
