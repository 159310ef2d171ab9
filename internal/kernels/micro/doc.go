// Package micro contains microbenchmarks: kernels of a few lines, each of which measures
// one property of a machine, on the simulator and on hardware alike. The host half
// ([Runner], [Rows]) runs them and produces the table of `weft micro`.
//
// A latency is measured by reading the SM's cycle counter around a chain of dependent
// steps. The chains are unrolled by hand, so that the loop itself costs little. A
// throughput is measured by the time of a launch that fills the machine.
package micro
