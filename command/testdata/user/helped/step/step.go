// Package step counts hops.
package step

// Far is no hop count.
const Far = 1 << 30

// On is a hop more, at most Far.
func On(hops uint32) uint32 { return min(hops, Far-1) + 1 }
