package config

import (
	"fmt"
	"strings"
)

// Validate checks the range of each parameter and whether the parameters are consistent. If the machine was loaded
// from a file, the error is Errors, with the places of the inconsistent values.
func (g *GPU) Validate() error {
	var errs []string
	for _, p := range table() {
		v, _ := g.Get(p.Path)
		c := *g
		if err := c.assign(p.Path, v); err != nil {
			errs = append(errs, err.Error())
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("machine %s: %s", g.Name, strings.Join(errs, "; "))
	}
	var placed Errors
	for _, c := range g.conflicts() {
		at, text := g.explain(c)
		placed = append(placed, FileError{at, text})
		errs = append(errs, text)
	}
	switch {
	case len(errs) == 0:
		return nil
	case len(g.files) > 0:
		return placed.sorted()
	}
	return fmt.Errorf("machine %s: %s", g.Name, strings.Join(errs, "; "))
}

// conflict is a rule that the machine violates.
type conflict struct {
	rule string // with %s for each parameter
	of   []string
}

// explain returns the rule with the parameters' values and where they come from. Its place is that of the first value
// given in a file, whose place the text omits.
func (g *GPU) explain(c conflict) (Place, string) {
	first := Place{File: "machine " + g.Name}
	args := make([]any, len(c.of))
	for i, path := range c.of {
		value, _ := g.Get(path)
		o := g.origins[path]
		switch {
		case len(g.files) == 0:
		case o.text != value:
			value += ", set"
		case o.at.Line == 0:
			value += ", from preset " + o.from
		case first.Line == 0:
			first = o.at
		default:
			value += ", " + o.at.String()
		}
		args[i] = fmt.Sprintf("%s (%s)", path, value)
	}
	return first, fmt.Sprintf(c.rule, args...)
}

// conflicts returns the rules that the machine violates, in addition to the range of each parameter.
func (g *GPU) conflicts() (list []conflict) {
	check := func(ok bool, rule string, of ...string) {
		if !ok {
			list = append(list, conflict{rule, of})
		}
	}
	power := func(v int) bool { return v > 0 && v&(v-1) == 0 }
	s, l1, l2, d := &g.SM, &g.L1, &g.L2, &g.DRAM
	check(s.Warps%s.SubCores == 0, "%s is not a multiple of %s", "sm.warps", "sm.subcores")
	check(s.Warps/s.SubCores <= 64, "%s is more than 64 for each of %s", "sm.warps", "sm.subcores")
	check(s.Threads <= 32*s.Warps, "%s is more than 32 for each of %s", "sm.threads", "sm.warps")
	check(s.BlockThreads <= s.Threads, "%s is more than %s", "sm.block_threads", "sm.threads")
	check(s.Registers%s.SubCores == 0, "%s is not a multiple of %s", "sm.registers", "sm.subcores")
	check(s.SharedBlock+s.SharedReserve <= s.SharedBytes || s.SharedBytes == 0, "%s and %s together are more than %s", "sm.shared_block", "sm.shared_reserve", "sm.shared_bytes")
	check(!l1.Unified || l1.Bytes > s.SharedBytes, "%s is not more than %s, which it includes; set l1.unified to false for an L1 beside shared memory, or sm.shared_bytes and sm.shared_block to less", "l1.bytes", "sm.shared_bytes")
	check(l1.Bytes >= l1.Ways*LineBytes, "%s holds less than one set of %s lines", "l1.bytes", "l1.ways")
	check(l2.Bytes >= l2.Slices*l2.Ways*LineBytes, "%s holds less than one set of %s lines in each of %s", "l2.bytes", "l2.ways", "l2.slices")
	if l1.Unified {
		check(l1.Reserve < l1.Bytes-s.SharedBytes || l1.Bytes <= s.SharedBytes, "%s leaves nothing of %s beside %s", "l1.reserve", "l1.bytes", "sm.shared_bytes")
	} else {
		check(l1.Reserve < l1.Bytes, "%s leaves nothing of %s", "l1.reserve", "l1.bytes")
	}
	check(power(l2.Interleave), "%s is not a power of two", "l2.interleave")
	check(power(g.Shared.Locks) || g.Shared.Locks == 0, "%s is not a power of two", "shared.locks")
	check(!g.Barrier.ByWarp || s.Divergence == "stack", "%s counts whole warps, which requires stack, not %s", "barrier.by_warp", "sm.divergence")
	check(l2.Partitions == 1 || l2.Slices%2 == 0, "%s is not even, with %s", "l2.slices", "l2.partitions")
	check(l2.Pair == 0 || power(l2.Pair) && l2.Pair > l2.Interleave, "%s is not a power of two that holds two times %s", "l2.pair", "l2.interleave")
	check(l2.Pair == 0 || l2.Slices%(2*l2.Partitions) == 0, "%s cannot be paired in %s", "l2.slices", "l2.partitions")
	check(power(l2.Page) && l2.Page >= l2.Interleave, "%s is not a power of two that holds %s", "l2.page", "l2.interleave")
	check(l2.Page >= l2.Pair, "%s is less than %s", "l2.page", "l2.pair")
	check(l2.Spread/2 < l2.Latency, "%s is not less than twice %s", "l2.spread", "l2.latency")
	check(l2.Far <= l2.Latency-l2.Spread/2+g.Xbar.Reply, "%s is more than %s less half of %s, and %s", "l2.far", "l2.latency", "l2.spread", "xbar.reply")
	check(power(g.Shared.Banks), "%s is not a power of two", "shared.banks")
	check(power(d.RowBytes), "%s is not a power of two", "dram.row_bytes")
	check(power(l2.Fetch) && l2.Fetch <= LineBytes, "%s is not 32, 64 or 128", "l2.fetch")
	check(power(d.Burst) && d.Burst <= LineBytes, "%s is not 32, 64 or 128", "dram.burst")
	check(power(s.RegisterUnit), "%s is not a power of two", "sm.register_unit")
	l := &g.Link
	check(l.Payload%l.Flit == 0, "%s is not a multiple of %s", "link.payload", "link.flit")
	check(l.Chunk%l.Payload == 0, "%s is not a multiple of %s", "link.chunk", "link.payload")
	check(l.PeerAccess || !l.PeerAtomics, "%s requires %s", "link.peer_atomics", "link.peer_access")
	g.checkRates(check)
	return list
}
