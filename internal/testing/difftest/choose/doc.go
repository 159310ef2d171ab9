// Command choose finds the seeds of generated kernels that are worth keeping:
// those that together have most of the features of all programs. It is greedy:
// each time it takes the kernel that adds most features. The features of a
// program are its instructions, with kinds and memory spaces, and which
// operation follows which, both before and after optimisation.
//
//	go run ./internal/testing/difftest/choose -of 200 -n 50
package main
