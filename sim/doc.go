// Package sim is the cycle-level GPU.
//
// One GPU is one Akita component. Its event runs many cycles at once: only
// what can act in a cycle is touched, and a cycle in which nothing can act is
// jumped over. Inside are plain structs: the dispatcher places blocks on SMs;
// each SM has sub-cores that issue one warp instruction a cycle, a load-store
// unit with an L1 cache, shared memory and a port to the crossbar; L2 slices
// with their atomic units and DRAM channels follow.
//
// Events inside the GPU stand in a timing wheel and are handled in the order
// in which they were scheduled. Ports, slices, banks and atomic units keep the
// time at which they are free next and are reserved in the order of arrival.
// So a simulation depends on nothing but machine, kernel, input and seed.
//
// Values live in memory, and timing decides who comes first: a load reads
// where it hits (a line of L1, which may be stale) or when it reaches its L2
// slice; stores and atomics take effect when they reach their slice. Shared
// and local memory belong to one SM and one thread, where the order of issue
// is the order of effect.
//
// What needs no machine has a package of its own: ticks and the wheel (timing), the lines of the
// caches (cache), DRAM timing (dram), how many blocks fit an SM (occupancy), the choices that users
// can replace (policy).
package sim
