//go:build !kernel

package litmus

import "fmt"

// Test is a litmus test: a shape, the strength of its accesses, where its threads are, and
// whether PTX's memory model allows its weak outcome.
type Test struct {
	Shape string // "MP"
	Mode  string // "AcqRel"
	// Together is set if the threads are warps of one block. Otherwise each has its own
	// block (or shares it with the thread that it meets at a Sync), on one SM or on
	// several.
	Together bool
	// Weak is the outcome that a sequentially consistent machine never shows, in the form
	// of a Histogram's keys.
	Weak string
	// Forbidden is set if PTX's memory model forbids the weak outcome.
	Forbidden bool
	// Why is the rule that allows or forbids it, in a few words.
	Why string
	// Needs is the property by which a machine can show the weak outcome, if it is allowed.
	Needs Cause
}

// Cause is the part of a machine that makes a weak outcome possible.
type Cause uint8

// The causes.
const (
	// Never: the simulated machines are stronger than the model here.
	Never Cause = iota
	// Stale: plain loads and block-scope ordered loads may hit a line in L1 to which
	// another SM has written.
	Stale
	// Far: accesses to L2 halves at different distances overtake each other.
	Far
)

// Name returns "MP+AcqRel", with "/block" appended if the threads are in one block.
func (t Test) Name() string {
	if t.Together {
		return t.Shape + "+" + t.Mode + "/block"
	}
	return t.Shape + "+" + t.Mode
}

// Kernel returns the name of the test's entry point.
func (t Test) Kernel() string { return "kernels/litmus." + t.Shape + t.Mode }

// shape is what the host must know of a Shape.
type shape struct {
	threads int
	reads   []read // the reads that make up the outcome
	final   bool   // the final value of x is part of the outcome
	weak    string
	pairs   bool // threads 0 and 1 share a block, threads 2 and 3 too
}

// read is a value that a thread has read.
type read struct{ role, reg int }

func (r read) String() string { return fmt.Sprintf("%d:r%d", r.role, r.reg) }

var shapes = map[string]shape{
	"MP":     {threads: 2, reads: []read{{1, 0}, {1, 1}}, weak: "1:r0=1 1:r1=0"},
	"SB":     {threads: 2, reads: []read{{0, 0}, {1, 0}}, weak: "0:r0=0 1:r0=0"},
	"LB":     {threads: 2, reads: []read{{0, 0}, {1, 0}}, weak: "0:r0=1 1:r0=1"},
	"IRIW":   {threads: 4, reads: []read{{2, 0}, {2, 1}, {3, 0}, {3, 1}}, weak: "2:r0=1 2:r1=0 3:r0=1 3:r1=0"},
	"WRC":    {threads: 3, reads: []read{{1, 0}, {2, 0}, {2, 1}}, weak: "1:r0=1 2:r0=1 2:r1=0"},
	"RWC":    {threads: 3, reads: []read{{1, 0}, {1, 1}, {2, 0}}, weak: "1:r0=1 1:r1=0 2:r0=0"},
	"MPSync": {threads: 4, reads: []read{{2, 0}, {3, 1}}, weak: "2:r0=1 3:r1=0", pairs: true},
	"LBSync": {threads: 4, reads: []read{{0, 0}, {2, 0}}, weak: "0:r0=1 2:r0=1", pairs: true},
	"CoRR":   {threads: 2, reads: []read{{1, 0}, {1, 1}}, weak: "1:r0=1 1:r1=0"},
	"CoWW":   {threads: 2, final: true, weak: "x=1"},
	"CoWR":   {threads: 2, reads: []read{{0, 0}}, weak: "0:r0=0"},
	"CoRW":   {threads: 2, reads: []read{{0, 0}}, weak: "0:r0=1"},
}

const (
	racy     = "plain accesses that race promise nothing"
	unsynced = "relaxed accesses order nothing else"
	narrow   = "the scope leaves out threads of other blocks"
	pattern  = "release and acquire patterns synchronize"
	noSC     = "fence.acq_rel, release and acquire do not order a store before a later load of another word"
	noMCA    = "without fence.sc, readers need not agree on the order of independent stores"
	cycle    = "release and acquire on both sides would make a cycle in causality order"
	ordered  = "fences of fence.sc have one order, which orders what is before and behind them"
	causal   = "causality order is transitive: over a thread that has seen the write, and over a Sync"
	perWord  = "morally strong accesses to one word agree with program order"
	own      = "a thread's own accesses to one word keep program order"
)

// Tests returns all tests.
func Tests() []Test {
	var out []Test
	add := func(shapeName, mode, where string, forbidden bool, needs Cause, why string) {
		for _, together := range []bool{false, true} {
			if where == "both" || together == (where == "block") {
				t := Test{Shape: shapeName, Mode: mode, Together: together, Weak: shapes[shapeName].weak, Forbidden: forbidden, Why: why, Needs: needs}
				if together {
					// The threads share one L1, which stores of its SM update; and a word
					// is equally far from all of them, so no access overtakes another.
					t.Needs = Never
				}
				out = append(out, t)
			}
		}
	}
	add("MP", "Plain", "both", false, Stale, racy)
	add("MP", "Relaxed", "both", false, Far, unsynced)
	add("MP", "RelaxedBlock", "apart", false, Stale, narrow)
	add("MP", "RelaxedBlock", "block", false, Never, unsynced)
	add("MP", "Fenced", "both", true, Never, pattern)
	add("MP", "FencedBlock", "apart", false, Stale, narrow)
	add("MP", "FencedBlock", "block", true, Never, pattern)
	add("MP", "FencedData", "both", true, Never, pattern)
	add("MP", "AcqRel", "both", true, Never, pattern)
	add("MP", "AcqRelBlock", "apart", false, Stale, narrow)
	add("MP", "AcqRelBlock", "block", true, Never, pattern)

	add("SB", "Plain", "both", false, Stale, racy)
	add("SB", "Relaxed", "both", false, Far, unsynced)
	add("SB", "RelaxedBlock", "apart", false, Stale, narrow)
	add("SB", "RelaxedBlock", "block", false, Never, unsynced)
	add("SB", "Fenced", "both", false, Never, noSC)
	add("SB", "FencedBlock", "apart", false, Stale, narrow)
	add("SB", "FencedBlock", "block", false, Never, noSC)
	add("SB", "AcqRel", "both", false, Far, noSC)
	add("SB", "AcqRelBlock", "apart", false, Stale, narrow)
	add("SB", "AcqRelBlock", "block", false, Never, noSC)

	add("LB", "Plain", "both", false, Far, racy)
	add("LB", "Relaxed", "both", false, Far, unsynced)
	add("LB", "RelaxedBlock", "apart", false, Far, narrow)
	add("LB", "RelaxedBlock", "block", false, Never, unsynced)
	add("LB", "Fenced", "both", true, Never, cycle)
	add("LB", "FencedBlock", "apart", false, Never, narrow)
	add("LB", "FencedBlock", "block", true, Never, cycle)
	add("LB", "AcqRel", "both", true, Never, cycle)
	add("LB", "AcqRelBlock", "apart", false, Never, narrow)
	add("LB", "AcqRelBlock", "block", true, Never, cycle)

	add("IRIW", "Plain", "both", false, Stale, racy)
	add("IRIW", "Relaxed", "both", false, Far, unsynced)
	add("IRIW", "RelaxedBlock", "apart", false, Stale, narrow)
	add("IRIW", "RelaxedBlock", "block", false, Never, unsynced)
	add("IRIW", "Fenced", "both", false, Never, noMCA)
	add("IRIW", "FencedBlock", "apart", false, Stale, narrow)
	add("IRIW", "FencedBlock", "block", false, Never, noMCA)
	add("IRIW", "AcqRel", "both", false, Never, noMCA)
	add("IRIW", "AcqRelBlock", "apart", false, Stale, narrow)
	add("IRIW", "AcqRelBlock", "block", false, Never, noMCA)

	add("WRC", "Plain", "both", false, Stale, racy)
	add("WRC", "Relaxed", "both", false, Far, unsynced)
	add("WRC", "RelaxedBlock", "apart", false, Stale, narrow)
	add("WRC", "RelaxedBlock", "block", false, Never, unsynced)
	add("WRC", "Fenced", "both", true, Never, causal)
	add("WRC", "FencedBlock", "apart", false, Stale, narrow)
	add("WRC", "FencedBlock", "block", true, Never, causal)
	add("WRC", "AcqRel", "both", true, Never, causal)
	add("WRC", "AcqRelBlock", "apart", false, Stale, narrow)
	add("WRC", "AcqRelBlock", "block", true, Never, causal)

	for _, s := range []string{"MP", "SB", "LB", "IRIW", "WRC", "RWC"} {
		add(s, "SC", "both", true, Never, ordered)
		add(s, "SCBlock", "apart", false, map[bool]Cause{true: Never, false: Stale}[s == "LB"], narrow)
		add(s, "SCBlock", "block", true, Never, ordered)
	}
	add("SB", "SCPlain", "both", true, Never, ordered)
	add("SB", "SCPlainBlock", "apart", false, Stale, narrow)
	add("SB", "SCPlainBlock", "block", true, Never, ordered)
	add("RWC", "Relaxed", "both", false, Far, unsynced)
	add("RWC", "Fenced", "both", false, Never, noSC)

	for _, s := range []string{"MPSync", "LBSync"} {
		add(s, "Plain", "apart", false, map[string]Cause{"MPSync": Stale, "LBSync": Far}[s], racy)
		add(s, "Relaxed", "apart", false, Far, unsynced)
		add(s, "Fenced", "apart", true, Never, causal)
		add(s, "FencedData", "apart", true, Never, causal)
		add(s, "AcqRel", "apart", true, Never, causal)
	}

	add("CoRR", "Plain", "both", false, Never, racy)
	add("CoRR", "Relaxed", "both", true, Never, perWord)
	add("CoRR", "RelaxedBlock", "apart", false, Never, narrow)
	add("CoRR", "RelaxedBlock", "block", true, Never, perWord)
	for _, s := range []string{"CoWW", "CoWR", "CoRW"} {
		for _, m := range []string{"Plain", "Relaxed", "RelaxedBlock"} {
			add(s, m, "both", true, Never, own)
		}
	}
	return out
}
