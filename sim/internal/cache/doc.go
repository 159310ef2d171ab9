// Package cache models the lines of the L1 and L2 caches of a simulated machine: which lines are present, and which
// line is evicted. Requests in flight and timing are part of package sim.
package cache
