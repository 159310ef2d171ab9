// Package profile collects what the simulator observes during a run in addition to counters: by instruction (stall
// reasons, memory requests, bank conflicts), by address (contention of atomics, waits at L2 slices), by launch, and
// over time.
//
// A Profile and a Trace are passed to sim.New in sim.Options, filled during launches, and read afterwards:
//
//	p := profile.New(0)
//	d, err := sim.New(cfg, sim.Options{Profile: p})
//	...                                     // launch kernels on d
//	for _, k := range p.Kernels {
//		for _, line := range k.Lines() {    // stalls and requests by source line
//			...
//		}
//	}
//	for _, a := range p.Addresses(10) {     // the ten most contended addresses
//		...
//	}
//
// Profile.WritePprof writes the format of go tool pprof, Trace.WriteJSON the format of Perfetto and Chrome.
package profile
