// Package cluster has the barrier of a cluster of blocks (PTX ISA, "barrier.cluster"): arrivals and waits of warps, apart from each
// other, in rounds. The executors and package gpu share it.
package cluster
