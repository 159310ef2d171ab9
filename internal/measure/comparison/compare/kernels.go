package compare

import (
	"math"
	"slices"
	"sort"

	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/results"
)

// KernelRow has the counters of both sides for one kernel in one run.
type KernelRow struct {
	Run      string    `json:"run"` // "bfs by warp on wiki-Vote.txt.gz"
	Kernel   string    `json:"kernel"`
	Launches [2]int    `json:"launches"` // of a and of b; 0 if it is not known
	Counters []Counter `json:"counters"`
	// Waits are the shares of the stall reasons in the warps' time.
	Waits []Counter `json:"waits,omitempty"`
}

// Few is the count that at least one side must reach for the error of a counter to be meaningful.
const Few = 100

// KernelRows compares the kernels of a run that both sides counted. It includes the ratios and means that package
// counter marks for comparison, and converts stall reasons to shares.
func KernelRows(run string, a, b []results.KernelCounters) []KernelRow {
	var rows []KernelRow
	for _, y := range b {
		for _, x := range a {
			if x.Kernel == y.Kernel {
				rows = append(rows, kernelRow(run, x, y))
			}
		}
	}
	return rows
}

// Lone returns the names of the kernels of a that b does not have.
func Lone(a, b []results.KernelCounters) []string {
	var names []string
	for _, x := range a {
		if !slices.ContainsFunc(b, func(y results.KernelCounters) bool { return y.Kernel == x.Kernel }) {
			names = append(names, x.Kernel)
		}
	}
	return names
}

func kernelRow(run string, a, b results.KernelCounters) KernelRow {
	row := KernelRow{Run: run, Kernel: b.Kernel, Launches: [2]int{a.Launches, b.Launches}, Waits: waits(a.Counters, b.Counters)}
	for _, c := range Counters(Side{Kind: Simulated, Counters: a.Counters}, Side{Kind: Record, Counters: b.Counters}) {
		if counter.Compared(c.Name) && (!counter.Counts(c.Name) || max(c.A, c.B) >= Few) {
			row.Counters = append(row.Counters, c)
		}
	}
	return row
}

// TotalRow compares the totals of a run, if kernels were not counted separately.
func TotalRow(run string, a, b map[string]float64) KernelRow {
	return kernelRow(run, results.KernelCounters{Counters: a}, results.KernelCounters{Kernel: "all", Counters: b})
}

// waits returns the share of each stall reason in the sum of all reasons of a side; nil if a side has none.
func waits(a, b map[string]float64) []Counter {
	var names []string
	for _, side := range []map[string]float64{a, b} {
		for name := range side {
			if _, wait := counter.StallOf(name); wait && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names) // sums of floats depend on the order
	var sums [2]float64
	for _, name := range names {
		sums[0], sums[1] = sums[0]+a[name], sums[1]+b[name]
	}
	if sums[0] == 0 || sums[1] == 0 {
		return nil
	}
	var list []Counter
	for _, name := range names {
		x, y := a[name]/sums[0], b[name]/sums[1]
		if x != 0 || y != 0 {
			reason, _ := counter.StallOf(name)
			list = append(list, Counter{Name: reason, A: x, B: y, Error: Part(x - y)})
		}
	}
	return list
}

// CounterSummary summarizes the errors of one counter over kernels.
type CounterSummary struct {
	Name string `json:"name"`
	Summary
	// Over is the ratio of the sums of a and b over all kernels.
	Over  float64 `json:"over"`
	Where string  `json:"where"` // the kernel and run with the largest error
	// Lone is the number of kernels for which only one side is not 0.
	Lone int `json:"lone,omitempty"`
	// Apart is why the counter is not comparable, in which case there are no errors; SumA and SumB are the total
	// counts of both sides.
	Apart string  `json:"apart,omitempty"`
	SumA  float64 `json:"sum_a"`
	SumB  float64 `json:"sum_b"`
}

// SummarizeCounters summarizes the counters of rows, by name.
func SummarizeCounters(rows []KernelRow) []CounterSummary {
	pairs := map[string][][2]float64{}
	worst := map[string]float64{}
	out := map[string]*CounterSummary{}
	for _, r := range rows {
		for _, c := range r.Counters {
			s := out[c.Name]
			if s == nil {
				s = &CounterSummary{Name: c.Name}
				out[c.Name] = s
			}
			s.SumA, s.SumB, s.Apart = s.SumA+c.A, s.SumB+c.B, c.Apart
			if c.Apart != "" {
				continue
			}
			if c.A <= 0 || c.B <= 0 {
				s.Lone++
				continue
			}
			pairs[c.Name] = append(pairs[c.Name], [2]float64{c.A, c.B})
			if f := max(c.A/c.B, c.B/c.A); f > worst[c.Name] {
				worst[c.Name], s.Where = f, r.Kernel+", "+r.Run
			}
		}
	}
	var list []CounterSummary
	for name, s := range out {
		s.Summary = Summarize(pairs[name])
		var a, b float64
		for _, p := range pairs[name] {
			a, b = a+p[0], b+p[1]
		}
		if b > 0 {
			s.Over = a / b
		}
		list = append(list, *s)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// WaitSummary is the share of a stall reason, averaged over kernels.
type WaitSummary struct {
	Name string  `json:"name"`
	A    float64 `json:"a"`
	B    float64 `json:"b"`
	Mean float64 `json:"mean"` // mean absolute difference of the shares
}

// SummarizeWaits summarizes stall reasons, the most important reason of b first.
func SummarizeWaits(rows []KernelRow) []WaitSummary {
	sums := map[string]*WaitSummary{}
	n := 0.0
	for _, r := range rows {
		if len(r.Waits) == 0 {
			continue
		}
		n++
		for _, w := range r.Waits {
			s := sums[w.Name]
			if s == nil {
				s = &WaitSummary{Name: w.Name}
				sums[w.Name] = s
			}
			s.A, s.B, s.Mean = s.A+w.A, s.B+w.B, s.Mean+math.Abs(w.A-w.B)
		}
	}
	var list []WaitSummary
	for _, s := range sums {
		list = append(list, WaitSummary{s.Name, s.A / n, s.B / n, s.Mean / n})
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].B != list[j].B {
			return list[i].B > list[j].B
		}
		return list[i].Name < list[j].Name
	})
	return list
}

// MicroRows compares launches of micro-kernels: those of a have the rows to which they belong as labels, and the k-th
// launch of a kernel in a corresponds to the k-th in b. uneven lists kernels whose numbers of launches differ.
func MicroRows(a []Counted, b []results.KernelCounters) (rows []KernelRow, uneven []string) {
	theirs := map[string][]results.KernelCounters{}
	for _, l := range b {
		theirs[l.Kernel] = append(theirs[l.Kernel], l)
	}
	count := map[string]int{}
	for _, l := range a {
		count[l.Kernel]++
	}
	var order []string
	mine, other := map[string][]results.KernelCounters{}, map[string][]results.KernelCounters{}
	told := map[string]bool{}
	seen := map[string]int{}
	for _, l := range a {
		if count[l.Kernel] != len(theirs[l.Kernel]) {
			if !told[l.Kernel] {
				told[l.Kernel] = true
				uneven = append(uneven, l.Kernel)
			}
			continue
		}
		if mine[l.Label] == nil {
			order = append(order, l.Label)
		}
		mine[l.Label] = append(mine[l.Label], l.KernelCounters)
		other[l.Label] = append(other[l.Label], theirs[l.Kernel][seen[l.Kernel]])
		seen[l.Kernel]++
	}
	for _, label := range order {
		rows = append(rows, KernelRows(label, merge(mine[label]), merge(other[label]))...)
	}
	return rows, uneven
}
