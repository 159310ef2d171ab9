// Package run runs PTX litmus tests on devices: it compiles a test to a kernel that executes many instances at the
// same time, each on its own words, and counts how they end.
//
// Each instruction of a test becomes one instruction of the kernel, at its place: no pass of the compiler sees it.
// Where the threads and words of an instance are, when each thread starts, which lines L1 holds before, and what other
// warps do meanwhile is drawn from a seed.
package run
