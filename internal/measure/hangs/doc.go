// Package hangs is the list of scenarios of kernels that may never end: barriers of a grid, locks,
// flags, rings, queues and the barrier of a block. A [Scenario] says how its kernel is launched, how
// the answer is checked, and what a machine must show and why, derived from properties of the
// machine and from the number of blocks that fit on it. A [Runner] runs a scenario on a device and
// says how it ended.
package hangs
