package calibration

import (
	"fmt"
	"slices"
)

// Step fits one parameter to the rows that isolate it.
type Step struct {
	Parameter string
	Rows      []Measure
	Why       string   // these rows isolate it
	After     []string // parameters that move the rows as well, and are fitted before
	Also      []string // parameters that move the rows a little and are fitted later: the step is repeated when they have moved
	// Apart is how far the values that the rows ask for may lie apart, as a share of the largest; values that are whole numbers may
	// always differ by 1.
	Apart       float64
	Least, Most float64 // bounds, where they are narrower than those of the parameter; 0: they are not
	// Hidden: the rows show the value only if what it belongs to is slower than the rest; else they tell the most that it can be.
	Hidden bool
	Rough  bool // the rows tell whether the value is small or large, and little more
	// Close is the share by which a row may differ from the recorded one where that is more than usual: a row of all SMs is not smooth in
	// the parameter, and takes half a minute to simulate.
	Close float64
}

// Measure is a row, or what one row has more than another.
type Measure struct{ Row, Less string }

// String returns the names of the rows.
func (m Measure) String() string {
	if m.Less == "" {
		return m.Row
	}
	return m.Row + ", less " + m.Less
}

// names returns the names of the rows.
func (m Measure) names() []string {
	if m.Less == "" {
		return []string{m.Row}
	}
	return []string{m.Row, m.Less}
}

// names returns the names of all rows of the step.
func (s *Step) names() (list []string) {
	for _, m := range s.Rows {
		list = append(list, m.names()...)
	}
	return list
}

// whole reports whether the parameter is a whole number.
func (s *Step) whole() bool { return described()[s.Parameter].Whole() }

// rows makes measures of rows of one group.
func rows(group string, names ...string) (list []Measure) {
	for _, n := range names {
		list = append(list, Measure{Row: nameOf(group, n)})
	}
	return list
}

// less makes a measure of two rows of one group.
func less(group, row, other string) Measure {
	return Measure{nameOf(group, row), nameOf(group, other)}
}

// The groups of rows.
const (
	latencies = "latency"
	sharing   = "shared memory"
	atomics   = "global atomics"
	arith     = "arithmetic"
	barriers  = "barriers"
	launches  = "launch"
	stage     = "data stage"
	memories  = "memory"
	cached    = "caches"
)

// steps are all steps. Those whose parameters depend on no other parameter that is fitted come first; waves follow from After.
var steps = []Step{
	{Parameter: "latency.imad", Apart: 0.1, Also: []string{"issue.branch"}, Why: "each multiplication waits for the one before; the loop around eight of them adds less than half a cycle to each",
		Rows: rows(arith, "uint32 multiply, latency", "uint32 multiply-add, latency")},
	{Parameter: "latency.fp32", Apart: 0.1, Also: []string{"issue.branch"}, Why: "as latency.imad",
		Rows: rows(arith, "float32 add, latency", "float32 multiply, latency", "float32 fused multiply-add, latency")},
	{Parameter: "latency.fp64", Apart: 0.1, Why: "as latency.imad",
		Rows: rows(arith, "float64 add, latency", "float64 fused multiply-add, latency")},
	{Parameter: "issue.branch", Apart: 0.25, After: []string{"latency.imad", "latency.fp32", "interval.alu"}, Why: "the branch is what is left of a chain of eight when the latency, a whole number, is known",
		Rows: rows(arith, "uint32 multiply, latency", "uint32 multiply-add, latency", "float32 add, latency", "float32 multiply, latency")},
	{Parameter: "latency.alu", Apart: 0.1, After: []string{"issue.branch"}, Why: "two dependent operations a step",
		Rows: rows(arith, "uint32 add and xor, latency")},
	{Parameter: "latency.sfu", Apart: 0.1, After: []string{"issue.branch", "latency.alu"}, Why: "a population count and an exclusive or a step",
		Rows: rows(arith, "population count and xor, latency")},
	{Parameter: "latency.div", Apart: 0.1, After: []string{"issue.branch", "latency.alu"}, Why: "a division and an or a step",
		Rows: rows(arith, "uint32 divide, latency")},
	{Parameter: "latency.fdiv", Apart: 0.1, After: []string{"issue.branch"}, Why: "each division waits for the one before",
		Rows: rows(arith, "float32 divide, latency")},
	{Parameter: "latency.sqrt", Apart: 0.1, After: []string{"issue.branch", "latency.fp32"}, Why: "a root and an addition a step",
		Rows: rows(arith, "float32 square root and add, latency")},
	{Parameter: "latency.vote", Apart: 0.1, After: []string{"issue.branch", "latency.alu"}, Why: "a ballot, a shift and a test a step",
		Rows: rows("warp", "ballot, shift and test")},
	{Parameter: "latency.shuffle", Apart: 0.1, After: []string{"issue.branch", "latency.alu"}, Why: "a shuffle, an addition and a mask a step",
		Rows: rows("warp", "shuffle, add and mask")},
	{Parameter: "interval.imad", Apart: 0.1, Why: "32 warps with four independent chains each keep the pipe busy",
		Rows: rows(arith, "uint32 multiply, cycles a warp and SM", "uint32 multiply-add, cycles a warp and SM")},
	{Parameter: "interval.fp32", Apart: 0.1, Why: "as interval.imad",
		Rows: rows(arith, "float32 add, cycles a warp and SM", "float32 fused multiply-add, cycles a warp and SM")},
	{Parameter: "interval.fp64", Apart: 0.1, Why: "as interval.imad",
		Rows: rows(arith, "float64 fused multiply-add, cycles a warp and SM")},
	{Parameter: "interval.sfu", Apart: 0.1, Why: "as interval.imad",
		Rows: rows(arith, "population count and xor, cycles a warp and SM")},
	{Parameter: "interval.alu", Apart: 0.1, After: []string{"interval.imad"}, Why: "as interval.imad; every second addition is a multiply-add, as ptxas makes them",
		Rows: rows(arith, "uint32 add and xor, cycles a warp and SM")},

	{Parameter: "barrier.warp", Apart: 0.1, Why: "each warp more at the barrier takes the unit for this time",
		Rows: []Measure{less(barriers, "Sync, 32 warps", "Sync, 1 warps"), less(barriers, "Sync, 16 warps", "Sync, 2 warps")}},
	{Parameter: "barrier.base", Apart: 0.1, After: []string{"barrier.warp", "issue.branch", "latency.alu"}, Why: "what a barrier takes beside its warps",
		Rows: rows(barriers, "Sync, 1 warps", "Sync, 2 warps")},
	{Parameter: "fence.block", Apart: 0.1, After: []string{"issue.branch", "latency.alu"}, Why: "the fence waits for nothing; the store and the loop are known",
		Rows: rows(barriers, "store and block fence")},

	{Parameter: "shared.latency", Apart: 0.1, After: []string{"latency.imad"}, Why: "each load waits for the address that the one before has found",
		Rows: rows(sharing, "dependent load, 1 lanes on one bank")},
	{Parameter: "shared.conflict", Apart: 0.1, Why: "each lane more on a bank adds this",
		Rows: []Measure{less(sharing, "dependent load, 32 lanes on one bank", "dependent load, 1 lanes on one bank"), less(sharing, "dependent load, 16 lanes on one bank", "dependent load, 2 lanes on one bank")}},
	{Parameter: "shared.way", Apart: 0.1, Why: "32 warps keep the data stage busy, with 8 and with 32 passes each",
		Rows: rows(sharing, "load of 4 bytes, 32 words apart, 32 warps", "load of 16 bytes, 8 words apart, 32 warps")},
	{Parameter: "shared.issue", Apart: 0.1, Hidden: true, After: []string{"shared.way", "shared.latency", "latency.imad"}, Why: "a load of one pass is limited by the paths of the sub-cores, if these are slower than the data stage",
		Rows: rows(sharing, "load of 4 bytes, 1 words apart, 32 warps")},
	{Parameter: "shared.atomic_issue", Apart: 0.1, Hidden: true, After: []string{"shared.way"}, Why: "as shared.issue",
		Rows: rows(sharing, "atomic add of a number without result, 1 lanes an address, 32 warps", "atomic minimum without result, 1 lanes an address, 32 warps")},
	{Parameter: "shared.atomic_latency", Apart: 0.1, After: []string{"shared.atomic_issue", "shared.conflict", "issue.branch"}, Why: "the last of eight atomics of a loop is waited for, and passes of two lanes on an address hide what limits their issue",
		Rows: rows(sharing, "atomic add with result, 2 lanes an address", "atomic add with result, 4 lanes an address")},
	{Parameter: "shared.cas_hold", Apart: 0.1, Why: "many warps wait for one word, and all lanes for each other",
		Rows: rows(sharing, "atomic add of float32, 8 lanes an address, 32 warps")},
	{Parameter: "shared.cas_wide", Apart: 0.1, After: []string{"shared.cas_hold"}, Why: "as shared.cas_hold, with values of 8 bytes",
		Rows: rows(sharing, "atomic add of 8 bytes, 8 lanes an address, 32 warps")},
	{Parameter: "shared.cas_bank", Apart: 0.1, After: []string{"shared.cas_hold", "shared.way"}, Why: "many warps wait for eight words of one bank",
		Rows: rows(sharing, "atomic add of float32, 8 words of one bank, 32 warps")},
	{Parameter: "l1.latency", Apart: 0.1, After: []string{"latency.imad"}, Why: "each load waits for the one before, and L1 has all",
		Rows: append(rows(latencies, "dependent load, plain, L1, 16 KiB"), rows(cached, "dependent load, second walk over 64 KiB")...)},
	{Parameter: "lsu.line", Apart: 0.1, Hidden: true, After: []string{"shared.way"}, Why: "32 warps keep the load-store unit busy with four lines each, if it is slower than the data stage",
		Rows: rows(stage, "16-byte load of L1, 32 warps")},

	{Parameter: "l2.latency", Apart: 0.15, After: []string{"latency.imad", "latency.alu", "issue.branch", "l2.spread"}, Why: "each load waits for the one before, and L1 has none: plain ones over 2 MiB, relaxed ones of words of both halves",
		Rows: rows(latencies, "dependent load, plain, L2, 2 MiB", "dependent load, relaxed, near half of the L2", "dependent load, relaxed, far half of the L2")},
	{Parameter: "l2.spread", Apart: 0.1, Why: "the same loads of the line that is farthest and of the one that is nearest",
		Rows: []Measure{less(latencies, "dependent load, relaxed, farthest of 256 lines in the L2", "dependent load, relaxed, nearest of 256 lines in the L2")}},
	{Parameter: "l2.far", Apart: 0.1, Why: "the same atomics of words in the far and in the near half; atomic.far, which is small, is not told apart",
		Rows: []Measure{less(atomics, "dependent add, 1 lanes an address, far half of the L2", "dependent add, 1 lanes an address, near half of the L2")}},
	{Parameter: "l2.sector", Apart: 0.1, Why: "all warps load one word, which one slice of each half has",
		Rows: rows(memories, "relaxed loads of one word, a warp each")},
	{Parameter: "l2.merge", Apart: 0.1, After: []string{"l2.sector"}, Why: "every store writes a part of another sector",
		Rows: rows(cached, "one word stored in each sector of 16 MiB")},
	{Parameter: "xbar.send_flit", Apart: 0.1, Why: "one SM sends 33 flits for each atomic of 32 lanes on a word, 65 for a compare-and-swap",
		Rows: rows(atomics, "one SM, add without result of 4 bytes, 32 lanes an address", "one SM, compare and swap of 4 bytes, 32 lanes an address")},
	{Parameter: "xbar.recv_flit", Apart: 0.1, Hidden: true, After: []string{"xbar.send_flit"}, Also: []string{"xbar.recv_head", "l2.latency", "atomic.latency"}, Why: "one SM gets answers of eight sectors each",
		Rows: rows(atomics, "one SM, add with result of 8 bytes, 2 lanes an address", "one SM, exchange of 8 bytes, 2 lanes an address")},
	{Parameter: "xbar.recv_head", Apart: 0.1, Close: 0.005, After: []string{"xbar.recv_flit"}, Why: "all SMs get answers of one sector each; the header counts as much as the sector here, and a fifth as much in the rows of xbar.recv_flit",
		Rows: rows(memories, "random 4-byte gather, 4 MiB")},
	{Parameter: "atomic.step", Apart: 0.1, Why: "one unit performs all operations, which are on one word",
		Rows: rows(atomics, "all threads, one address, no result", "all threads, one address, with result")},
	{Parameter: "atomic.load", Apart: 0.1, After: []string{"atomic.step", "l2.sector"}, Why: "one unit performs the atomics, and turns to a load after each of them",
		Rows: rows(memories, "relaxed load and atomic add of one word in turn, a warp each")},
	{Parameter: "atomic.replay", Apart: 0.1, After: []string{"atomic.step"}, Why: "256 operations more on each of two words of a sector; launches and packets are the same in both rows",
		Rows: []Measure{less("WolfGraph figure 5.3", "global atomicMin, 512 threads a location", "global atomicMin, 256 threads a location")}},
	{Parameter: "atomic.queue", Apart: 0.25, Least: 1, Rough: true, After: []string{"atomic.step", "xbar.send_flit"}, Why: "all units are busy, and what waits there keeps packets to others from leaving; the row tells a short queue from a long one",
		Rows: rows(atomics, "a warp a line of its own, no result")},
	{Parameter: "atomic.result", Apart: 0.1, After: []string{"atomic.queue", "xbar.recv_head", "xbar.recv_flit"}, Why: "as atomic.queue, with results",
		Rows: rows(atomics, "a warp a line of its own, with result")},
	{Parameter: "atomic.latency", Apart: 0.1, After: []string{"l2.latency", "l2.spread", "xbar.send_flit", "xbar.recv_flit", "latency.alu", "issue.branch", "atomic.step"}, Also: []string{"dram.latency"}, Why: "each atomic waits for the one before; what a load takes is known",
		Rows: rows(atomics, "dependent add, 1 lanes an address, near half of the L2")},
	{Parameter: "fence.device", Apart: 0.1, Hidden: true, After: []string{"issue.branch", "latency.alu"}, Also: []string{"fence.access"}, Why: "the fence has no access to wait for; fence.access shows only where it is longer",
		Rows: rows(barriers, "device fence alone")},
	{Parameter: "fence.access", Apart: 0.1, After: []string{"l2.latency", "l2.spread", "xbar.send_flit", "latency.alu", "issue.branch", "fence.device"}, Why: "the fence waits for a store, whose way to the L2 and back is known",
		Rows: rows(barriers, "store and device fence, near half of the L2")},
	{Parameter: "fence.acquire", Apart: 0.1, After: []string{"issue.branch", "latency.alu", "l2.far"}, Also: []string{"dram.latency"}, Why: "the same loads with acquire and without",
		Rows: []Measure{less(latencies, "dependent load, acquire, near half of the L2", "dependent load, relaxed, near half of the L2")}},

	{Parameter: "dram.latency", Apart: 0.1, After: []string{"l2.latency", "l2.spread", "l2.far", "latency.imad"}, Why: "each load waits for the one before, and neither cache has any; dram.row_miss, which is in each of them, is not told apart",
		Rows: rows(latencies, "dependent load, plain, DRAM, 512 MiB")},
	{Parameter: "launch.rate", Apart: 0.1, Why: "launches that wait for nothing but the launch before",
		Rows: rows(launches, "empty kernel")},
	{Parameter: "launch.kernel", Apart: 0.1, Why: "the device is idle, and the kernel takes no time",
		Rows: rows(launches, "empty kernel, alone")},
	{Parameter: "launch.gap", Apart: 0.5, After: []string{"shared.way", "shared.atomic_issue", "latency.div", "barrier.base", "barrier.warp", "interval.alu", "xbar.send_flit", "l2.latency", "l2.far"}, Why: "launches in a queue whose time on the SM is known, since the data stage of shared memory is busy all the time",
		Rows: rows("WolfGraph figure 5.3", "shared atomicMin, 64 threads a location", "shared atomicMin, 128 threads a location", "shared atomicMin, 256 threads a location")},
	{Parameter: "dram.efficiency", Apart: 0.1, After: []string{"dram.latency", "launch.rate", "launch.gap", "l2.latency", "l2.sector", "xbar.recv_flit", "xbar.recv_head"}, Why: "more is read than the L2 holds, by all SMs",
		Rows: rows(cached, "66 MiB read again, by all SMs")},
}

// Steps returns all steps, in the order of the waves in which they are fitted.
func Steps() []Step {
	var list []Step
	for _, w := range waves(steps) {
		list = append(list, w...)
	}
	return list
}

// waves returns the steps in waves: those of a wave come after all steps on which they depend. It panics if steps depend on each other
// in a circle.
func waves(all []Step) (list [][]Step) {
	fitted, left := map[string]bool{}, all
	for len(left) > 0 {
		var wave, later []Step
		for _, s := range left {
			if slices.ContainsFunc(s.After, func(p string) bool { return !fitted[p] }) {
				later = append(later, s)
			} else {
				wave = append(wave, s)
			}
		}
		if len(wave) == 0 {
			panic(fmt.Sprintf("calibration: %s comes after itself or after what is not fitted", later[0].Parameter))
		}
		for _, s := range wave {
			fitted[s.Parameter] = true
		}
		list, left = append(list, wave), later
	}
	return list
}
