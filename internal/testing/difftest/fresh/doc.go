// Command fresh runs the differential tests on newly generated kernels in place
// of those of every test run: as plain Go, on the functional device with and without
// optimisation, and on simulated machines.
//
//	go run ./internal/testing/difftest/fresh -n 200
//
// These report a kernel that ends as a hang if they are wrong about hangs: every
// kernel ends, or deadlocks at barriers of different kinds on purpose.
//
// A kernel that fails is named by its seed (K1234); -from 1234 -n 1 runs it
// again. The command changes no file of the project.
//
// With -corpus DIR it tests nothing, writes the kernels of every test run to DIR,
// and prints the path of an overlay with them, for go test -c.
package main
