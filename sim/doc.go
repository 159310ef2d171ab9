// Package sim is a cycle-level simulator of an NVIDIA GPU. It executes compiled kernels and reports how many cycles
// they take, with the counters, stall reasons, profile and trace that explain the time.
//
// # Use
//
// New creates a Device from a machine description (package sim/config). A Device implements device.Device, so every
// host program of this module runs on it:
//
//	cfg, err := config.Load("h200")                  // or a file: config.Load("./my-gpu.yaml")
//	err = cfg.Set("l2.latency", "300")               // optional: override parameters
//	d, err := sim.New(cfg, sim.Options{Seed: 1})
//	report, err := d.Launch(ctx, device.Launch{Kernel: k, Grid: 64, Block: 256, Args: args})
//
// Options configures a simulation: the seed, a limit on cycles, progress reports, a profile (package sim/profile) and
// a trace. Replacement policies, warp schedulers, block dispatch, address hashes and atomic units can be replaced by
// user code; see package sim/policy.
//
// NewGroup creates a Group of several GPUs, which implements device.Group: launches and copies of its commands run at
// the same time, and kernels may use the memory of other GPUs over the links.
//
// # What is modelled
//
// The dispatcher places blocks on SMs within the limits of occupancy. Each SM has sub-cores, each with a warp
// scheduler, a scoreboard and pipelines, which issue one warp instruction per cycle (two with issue.dual); a
// load-store unit with a sectored L1 cache and MSHRs; shared memory with bank conflicts; a barrier unit; and a port to
// the crossbar. The L2 is divided into slices with atomic units, and optionally into two halves; DRAM channels follow,
// with row buffers. Warps diverge by a reconvergence stack or by independent thread scheduling. Launches, copies and
// the host's waiting take time as well. A kernel that cannot finish is reported as a hang.
//
// # What is not modelled
//
// There is no instruction cache or instruction fetch, no TLB, no contention inside the crossbar beyond the ports of
// SMs and slices, no power, and no clock changes. Kernels are executed as the operations of package internal/compiler/ir, not
// as SASS; with issue.lowering set to sass, each operation takes as many issue slots as the machine instructions that
// ptxas generates for it.
//
// # How it works
//
// A GPU is one Akita component; those of a group share an engine, and package sim/internal/link joins them. One event of
// the component, or of all those of a group, simulates many cycles: in each cycle only the parts that can act are visited, and cycles in which
// nothing can act are skipped. Inside the GPU, events are kept in a timing wheel and handled in the order in which they
// were scheduled, those that links bring after the others of a cycle. Ports, slices, banks and atomic units record the
// time at which they are next free and are reserved in order of arrival. The result of a simulation therefore depends
// only on the machine, the kernels, the input and the seed.
//
// The parts, each with the state that is its own:
//
//	machine        puts launches on the parts, goes from cycle to cycle          machine.go, launches.go
//	dispatcher     places blocks on SMs                                          dispatcher.go, jobs.go
//	sm             its blocks and warps; what their waits are for                sm.go, warp.go, fence.go, its.go
//	subcore        picks a warp, issues its instruction                          subcore.go, memory.go, dual.go
//	decoded        what an instruction takes of the machine code's slots         decode.go, lower.go, narrow.go, constant.go
//	lsu            accesses line by line, and all that are in flight             lsu.go, access.go
//	l1             lines with their bytes; MSHRs                                 l1.go, stale.go
//	sharedMemory   passes over banks, locks of words                             shared.go, locks.go
//	barrierUnit    barriers of blocks                                            barrier.go
//	crossbar       ports, ways, reads that are merged                            crossbar.go, merge.go
//	l2             slices: what a packet does there, tags, atomic units          service.go, l2.go, atomic.go
//	linkPort       accesses to the memory of other GPUs                          remote.go, parcel.go
//	hooks          who watches or steers: profile, trace, races, schedule        hooks.go, observe.go, race.go, gate.go
//	diagnosis      why launches do not end                                       diagnosis.go, repeat.go, livelock.go, hang.go
//	Device, Group  the host: launches, copies, lists of commands, their times    device.go, group.go, plan.go, transfer.go
//	groupRounds    simulates the GPUs of a group, one or several at a time       grouprounds.go
//
// They share a chip (chip.go): the parameters, the clock, the launches that run. What goes from one part to another over
// a distance is an event with a time; see event.go.
//
// Memory contents are part of the simulation, and timing decides the order of accesses: a load reads its value where
// it hits (a line of L1, which may be stale) or when it reaches its L2 slice; stores and atomics take effect when they
// reach their slice. Shared memory belongs to one SM and local memory to one thread; accesses to them take effect in
// issue order.
package sim
