// Package counter is the table of all counters: what each is called, what it
// means, how the simulator makes its value of what it counts, how the values of
// several launches become one, and what comparisons and reports do with it.
//
// Names are those of Nsight Compute where it counts the same thing. In a name, the
// part before the two underscores is the unit of the GPU that counts: sm an SM,
// smsp one of its sub-cores, l1tex the L1 of an SM, lts a slice of the L2. What
// follows the dot says what is made of the instances: .sum adds them up, .avg is
// the sum by their number (those that were idle included), .max the largest;
// .avg.per_cycle_active is the sum by the sum of the cycles in which an instance was
// active, and .avg.pct_of_peak_sustained_active that in percent of what an
// instance can do; _elapsed instead of _active refers to all cycles of the launch.
package counter

import (
	"cmp"
	"slices"
	"strings"
	"unsafe"
)

// Counter is one counter: a row of the table.
type Counter struct {
	Name string
	Unit string // "inst", "sector", "cycle", "byte", "%", ...
	Desc string // what it means

	// Of these the simulator has the one that is not nil; none where it does not
	// count this.
	Count func(c *Counted) uint64
	Value func(c *Counted) float64

	// Adds and Weight say how the values of several launches become one: they add
	// up, as those of every name that ends in .sum do, or their mean is taken,
	// weighted by the counter called Weight. Where a row has neither, nothing can be said but
	// launch by launch.
	Adds   bool
	Weight string

	Key      int    // its place among the counters that most people look at first; 0: it is none of them
	Own      bool   // Nsight Compute has no counter of that name
	Recorded bool   // is asked of Nsight Compute where a GPU is recorded
	Compared bool   // no count, and compared all the same; counts are anyway
	Column   string // the heading of its error in the table of compared kernels; "": it is not there
	Apart    string // why it does not compare with that of a GPU; "": it does
}

// Counted is what a simulated machine counted, and how large that is.
type Counted struct {
	Raw
	SMs      int
	SubCores int // of an SM
	Warps    int // that an SM can hold
	Slices   int // of the L2
	// DRAMPeak is the bandwidth of the device memory in bytes for each cycle of the SMs.
	DRAMPeak float64
}

// TicksPerCycle is how many ticks of Raw.AtomicTicks make a cycle.
const TicksPerCycle = 64

// Of is the value of a counter that the simulator has.
func (r *Counter) Of(c *Counted) float64 {
	if r.Count != nil {
		return float64(r.Count(c))
	}
	return r.Value(c)
}

// Simulated reports a counter that the simulator has.
func (r *Counter) Simulated() bool { return r.Count != nil || r.Value != nil }

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// Minus is what was counted since r was b.
func (r Raw) Minus(b *Raw) Raw {
	x, y := r.words(), b.words()
	for i := range x {
		x[i] -= y[i]
	}
	return r
}

// words is all that r holds; a test holds that it is made of uint64.
func (r *Raw) words() []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(r)), unsafe.Sizeof(*r)/unsafe.Sizeof(uint64(0)))
}

// all has the reasons for which warps wait behind the table.
var (
	all    []Counter
	byName = map[string]int{}
)

func init() {
	all = append(append(all, table...), peaks...)
	for i := range Stalls {
		s := &Stalls[i]
		c := Counter{Name: s.Counter(), Unit: "warp", Desc: "warps that wait, for each instruction issued: " + s.Desc, Weight: issueActive, Recorded: true}
		if i < int(NumStalls) {
			c.Value = func(c *Counted) float64 { return ratio(float64(c.Stalled[i]), float64(c.issued())) }
		}
		all = append(all, c)
	}
	for i, c := range all {
		if _, twice := byName[c.Name]; twice {
			panic("counter: " + c.Name + " is there twice")
		}
		byName[c.Name] = i
	}
}

// All is every counter, in the order of reports; not to be changed.
func All() []Counter { return all }

// Find is the counter of a name.
func Find(name string) (c *Counter, ok bool) {
	i, ok := byName[name]
	if !ok {
		return nil, false
	}
	return &all[i], true
}

// Must is the counter of a name that the table has.
func Must(name string) *Counter {
	c, ok := Find(name)
	if !ok {
		panic("counter: there is none called " + name)
	}
	return c
}

// Own reports that the name is ours, and no counter of Nsight Compute.
func Own(name string) bool {
	c, ok := Find(name)
	return ok && c.Own
}

// Keys are the counters that most people look at first, in the order of their
// importance.
func Keys() []*Counter {
	var list []*Counter
	for i := range all {
		if all[i].Key > 0 {
			list = append(list, &all[i])
		}
	}
	slices.SortFunc(list, func(a, b *Counter) int { return cmp.Compare(a.Key, b.Key) })
	return list
}

// OverLaunches says how the values of a counter over several launches become one: they add
// up (weight ""), or are a mean weighted by another counter. ok is false for a
// counter that nothing can be said of but launch by launch. Counters that the table does
// not have, which old recordings may hold, go by their names.
func OverLaunches(name string) (weight string, ok bool) {
	if c, known := Find(name); known {
		return c.Weight, c.Adds || c.Weight != "" || strings.HasSuffix(name, ".sum")
	}
	if _, stall := StallOf(name); stall {
		return issueActive, true
	}
	return "", strings.HasSuffix(name, ".sum")
}

// Compared reports that comparisons of kernels show the counter: counts, and what the
// table says.
func Compared(name string) bool {
	c, ok := Find(name)
	return ok && c.Compared || Counts(name)
}

// Counts reports a counter that is a count: of few, a difference says nothing.
func Counts(name string) bool { return strings.HasSuffix(name, ".sum") }

// Apart is why a counter does not compare with that of a GPU; "" where it does.
func Apart(name string) string {
	if c, ok := Find(name); ok {
		return c.Apart
	}
	return ""
}
