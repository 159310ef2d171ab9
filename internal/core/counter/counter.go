package counter

import (
	"cmp"
	"slices"
	"strings"
	"unsafe"
)

// Counter describes one counter: a row of the table.
type Counter struct {
	Name string
	Unit string // "inst", "sector", "cycle", "byte", "%", ...
	Desc string // its meaning

	// The simulator computes the counter by the function that is not nil; if both are nil, it does not have the
	// counter.
	Count func(c *Counted) uint64
	Value func(c *Counted) float64

	// Adds and Weight say how the values of several launches are combined: they are added, like those of every name
	// that ends in .sum, their mean is taken, weighted by the counter named by Weight, or the Largest counts. If a row
	// has none of these, the values of several launches cannot be combined.
	Adds    bool
	Weight  string
	Largest bool

	Key      int    // rank among the key counters, which reports show first; 0 if it is not one of them
	Own      bool   // Nsight Compute has no counter of this name
	Recorded bool   // requested from Nsight Compute when a GPU is recorded
	Compared bool   // compared although it is not a count; counts always are
	Column   string // the heading of its error in the table of compared kernels; "" if it has no column
	Apart    string // why it is not comparable with that of a GPU; "" if it is
}

// Counted is what a simulated machine has counted, and the sizes of the machine.
type Counted struct {
	Raw
	SMs      int
	SubCores int // per SM
	Warps    int // per SM, the maximum
	Slices   int // of the L2
	// DRAMPeak is the bandwidth of device memory in bytes per SM cycle.
	DRAMPeak float64
	Queue    uint32 // the longest at a word
}

// TicksPerCycle is the number of ticks, the unit of Raw.AtomicTicks, per cycle.
const TicksPerCycle = 64

// Of returns the value of a counter that the simulator has.
func (r *Counter) Of(c *Counted) float64 {
	if r.Count != nil {
		return float64(r.Count(c))
	}
	return r.Value(c)
}

// Simulated reports whether the simulator has the counter.
func (r *Counter) Simulated() bool { return r.Count != nil || r.Value != nil }

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// Minus returns the difference of two snapshots.
func (r Raw) Minus(b *Raw) Raw {
	x, y := r.Words(), b.Words()
	for i := range x {
		x[i] -= y[i]
	}
	return r
}

// Plus returns the sum of two snapshots.
func (r Raw) Plus(b *Raw) Raw {
	x, y := r.Words(), b.Words()
	for i := range x {
		x[i] += y[i]
	}
	return r
}

// Words returns all fields of r as a slice; a test checks that all of them are uint64.
func (r *Raw) Words() []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(r)), unsafe.Sizeof(*r)/unsafe.Sizeof(uint64(0)))
}

// all is the table, followed by the shares of peak and the stall reasons.
var (
	all    []Counter
	byName = map[string]int{}
)

func init() {
	all = append(append(all, table...), peaks...)
	for i := range Stalls {
		s := &Stalls[i]
		c := Counter{Name: s.Counter(), Unit: "warp", Desc: "warps that wait, per issued instruction: " + s.Desc, Weight: IssueActive, Recorded: true}
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

// All returns every counter, in the order of reports; it must not be modified.
func All() []Counter { return all }

// Find returns the counter of a name.
func Find(name string) (c *Counter, ok bool) {
	i, ok := byName[name]
	if !ok {
		return nil, false
	}
	return &all[i], true
}

// Must returns the counter of a name; it panics if there is none.
func Must(name string) *Counter {
	c, ok := Find(name)
	if !ok {
		panic("counter: there is none called " + name)
	}
	return c
}

// Own reports whether the counter is one of the simulator's own, which Nsight Compute does not have.
func Own(name string) bool {
	c, ok := Find(name)
	return ok && c.Own
}

// Keys returns the counters that reports show first, in order of their rank.
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

// OverLaunches says how the values of a counter over several launches are combined: they are added or the largest
// counts (weight ""), or their mean is weighted by another counter. ok is false if they cannot be combined. Counters that the table does not
// have, which old recordings may contain, are classified by their names.
func OverLaunches(name string) (weight string, ok bool) {
	if c, known := Find(name); known {
		return c.Weight, c.Adds || c.Largest || c.Weight != "" || strings.HasSuffix(name, ".sum")
	}
	if _, stall := StallOf(name); stall {
		return IssueActive, true
	}
	return "", strings.HasSuffix(name, ".sum")
}

// Compared reports whether comparisons of kernels show the counter: counts, and those that the table marks.
func Compared(name string) bool {
	c, ok := Find(name)
	return ok && c.Compared || Counts(name)
}

// Counts reports whether a counter is a count. Small counts are not compared.
func Counts(name string) bool { return strings.HasSuffix(name, ".sum") }

// Apart returns why a counter is not comparable with that of a GPU; "" if it is.
func Apart(name string) string {
	if c, ok := Find(name); ok {
		return c.Apart
	}
	return ""
}
