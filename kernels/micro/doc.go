// Package micro holds micro-kernels: each measures one thing about a machine,
// in a few lines, on the simulator and on silicon alike. The host half runs
// them and makes the table of `weft micro`.
//
// Latencies are read from the SM's clock around a chain of dependent steps;
// the chains are unrolled by hand, so that the loop itself costs little.
// Throughputs are the time of a launch that fills the machine.
package micro
