package bound

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/sim/config"
)

// Kernel summarises all launches of one kernel. Numbers that a device does not
// have are left out.
type Kernel struct {
	Name     string  `json:"name"`
	Launches int     `json:"launches"`
	Seconds  float64 `json:"seconds,omitempty"` // on the GPU
	// Share is the kernel's fraction of the GPU time of all kernels, or of
	// their warp instructions on a device without a clock.
	Share       float64 `json:"share"`
	Grid        Range   `json:"blocks"`            // per launch
	Block       Range   `json:"threads_per_block"` // range over the launches
	Registers   int     `json:"registers_per_thread,omitempty"`
	Estimated   bool    `json:"registers_estimated,omitempty"` // estimated here, not taken from the GPU's compiler
	SharedBytes int     `json:"shared_bytes_per_block"`
	// Occupancy is the occupancy of the configuration with the most time.
	Occupancy *Occupancy `json:"occupancy,omitempty"`
	Stalls    []Stall    `json:"stalls,omitempty"`   // the most frequent first
	Peaks     []Peak     `json:"of_peak,omitempty"`  // in the order of the units
	Bound     *Bound     `json:"bound_by,omitempty"` // nil if nothing was counted
	Balance   *Balance   `json:"balance,omitempty"`  // of the blocks over the SMs
	Roofline  *Roofline  `json:"roofline,omitempty"`
	ActiveSMs float64    `json:"active_sms,omitempty"` // fraction of the SMs that had a block, averaged over the kernel's time
}

// Range is the minimum and the maximum of a number over the launches of a
// kernel.
type Range struct {
	Least int `json:"least"`
	Most  int `json:"most"`
}

// String returns "64" or "1 to 64".
func (r Range) String() string {
	if r.Least == r.Most {
		return format.Thousands(r.Most)
	}
	return format.Thousands(r.Least) + " to " + format.Thousands(r.Most)
}

// add extends the range to include n.
func (r *Range) add(n int) {
	if r.Most == 0 {
		r.Least = n
	}
	r.Least, r.Most = min(r.Least, n), max(r.Most, n)
}

// Occupancy is how many blocks of a kernel fit on an SM, and the occupancy
// achieved.
type Occupancy struct {
	Blocks   int    `json:"blocks_per_sm"`
	Warps    int    `json:"warps_per_sm"`
	MaxWarps int    `json:"max_warps_per_sm"`
	Limit    string `json:"limited_by"` // "blocks", "warps", "registers", "shared memory", ...
	// Active is the average number of resident warps of an SM in its active
	// cycles, as a fraction of MaxWarps.
	Active *float64 `json:"active,omitempty"`
}

// Stall is a stall reason, with its fraction of the cycles of all resident
// warps.
type Stall struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
	What  string  `json:"meaning"` // "a result of global or local memory"
	// Recorded is what the record of an H200 says of the simulated shares of the reason; "" if it says nothing.
	// Untrusted means that it contradicts them: no advice follows from the reason.
	Recorded  string `json:"recorded,omitempty"`
	Untrusted bool   `json:"untrusted,omitempty"`
}

// Peak is the utilisation of a part of the machine relative to its peak, over
// the time of a kernel.
type Peak struct {
	Unit    string  `json:"unit"`
	Counter string  `json:"counter"`
	Share   float64 `json:"share"`
	Peak    string  `json:"peak"` // "4.80 TB/s"
	// WithWork is the utilisation over the cycles in which an SM had a block, for units of which each SM has its own; 0
	// for the others. Where SMs are empty or end early, it is larger than Share.
	WithWork float64 `json:"share_of_sms_with_blocks,omitempty"`
	kind     string
	of       level
	usable   float64 // fraction of the peak that can be reached in practice
	subCores float64 // as WithWork, over the cycles in which a sub-core had a warp
}

// Bound says what determines how long a kernel, or a run, takes.
type Bound struct {
	Kind  string  `json:"kind"` // one of the constants
	Unit  string  `json:"unit,omitempty"`
	Share float64 `json:"share,omitempty"` // of the unit's peak, or of the time
	// Address is the address whose atomics keep the unit busy, if a profile was
	// recorded.
	Address string `json:"address,omitempty"`
	Text    string `json:"text"` // a sentence
}

// At adds the address whose atomics keep the unit busy: "queue.Count[0]".
func (b *Bound) At(address string) {
	b.Address = address
	b.Text += "; most of its operations are at " + address
}

// The kinds of bounds. The units are those of the table in peaks.go.
const (
	Launches = "launches" // starting kernels and waiting for them
	Latency  = "latency"  // warps wait, and there are too few of them to keep a unit busy
	Issue    = "issue"    // issue slots
	Pipe     = "pipe"     // an arithmetic pipe of the sub-cores
	L1       = "l1"
	Shared   = "shared"
	Crossbar = "crossbar"
	L2       = "l2"
	L2Slice  = "l2-slice" // one slice of the L2
	Atomics  = "atomics"  // all atomic units of the L2
	Atomic   = "atomic-unit"
	DRAM     = "dram"
	SubCores = "empty-sub-cores" // blocks have fewer warps than an SM has sub-cores
)

// The thresholds of the rule; see RATIONALE.md.
const (
	near   = 0.6 // a unit bounds a kernel from this fraction of its peak on
	mostly = 0.5 // launches bound a run from this fraction of its time on
)

// Collector collects the launches of a program by kernel. The zero Collector is ready
// to use.
type Collector struct {
	kernels []*collected
	index   map[string]*collected
}

// collected is the data of one kernel so far.
type collected struct {
	Kernel
	sum     counter.Sum
	insts   float64
	cycles  float64 // from the first block to the last store, summed over the launches
	longest device.Launch
	most    uint64 // cycles of the launch with the most, which had so many blocks
	blocks  int
	time    map[[3]int]float64 // by threads, dynamic shared memory and registers
}

// needed is the set of counters that the analysis uses.
var needed = func() map[string]bool {
	names := map[string]bool{counter.Elapsed: true, counter.ActiveCycles: true, counter.UsedCycles: true, counter.SubActive: true, counter.ThreadInsts: true, counter.WarpsActive: true, counter.WarpLatency: true, counter.IssueActive: true}
	for i := range units {
		names[units[i].counter] = true
	}
	for _, l := range levels(&config.GPU{}) {
		for _, name := range l.counters {
			names[name] = true
		}
	}
	for i := range counter.NumStalls {
		names[counter.Stalls[i].Counter()] = true
	}
	return names
}()

// Add adds a launch and the device's report on it. A nil report, of a launch
// that was rejected, is ignored.
func (c *Collector) Add(l device.Launch, r *device.Report) {
	if r == nil || l.Kernel == nil || r.Launches == 0 {
		return
	}
	k := c.index[l.Kernel.Name]
	if k == nil {
		if c.index == nil {
			c.index = map[string]*collected{}
		}
		k = &collected{Kernel: Kernel{Name: l.Kernel.Name}, time: map[[3]int]float64{}}
		c.index[l.Kernel.Name] = k
		c.kernels = append(c.kernels, k)
	}
	shape := l.Shape()
	k.Launches += r.Launches
	k.Grid.add(shape.Blocks())
	k.Block.add(shape.Threads())
	var values map[string]float64 // stays nil on a real GPU, whose host loop waits for this
	seconds := r.Seconds
	for _, v := range r.Counters {
		switch v.Name {
		case counter.Duration:
			seconds = v.Value * 1e-9
		case counter.WarpInstructions:
			k.insts += v.Value
		}
		if needed[v.Name] {
			if values == nil {
				values = make(map[string]float64, len(needed))
			}
			values[v.Name] = v.Value
		}
	}
	k.Seconds += seconds
	if r.Cycles >= k.most {
		k.most, k.blocks = r.Cycles, shape.Blocks()
	}
	if len(values) > 0 {
		k.cycles += float64(r.Cycles)
		k.sum.Add(values)
	}
	key := [3]int{shape.Threads(), l.DynamicShared, l.Regs}
	k.time[key] += seconds
	if k.longest.Kernel == nil || k.time[key] > k.time[[3]int{k.longest.Shape().Threads(), k.longest.DynamicShared, k.longest.Regs}] {
		k.longest = l
		k.longest.Args = nil // the buffers can be freed
	}
}

// List returns the kernels, the one with the most time first. dev is the device
// that ran them; it must still be open, since List queries its occupancy and
// its machine.
func (c *Collector) List(dev device.Device) []Kernel {
	var time, insts float64
	for _, k := range c.kernels {
		time += k.Seconds
		insts += k.insts
	}
	var cfg *config.GPU
	if s, ok := dev.(interface{ Config() *config.GPU }); ok {
		cfg = s.Config()
	}
	list := []Kernel{}
	for _, k := range c.kernels {
		if time > 0 {
			k.Share = k.Seconds / time
		} else if insts > 0 {
			k.Share = k.insts / insts
		}
		k.fit(dev)
		if cfg != nil && k.sum.Of(counter.Elapsed) > 0 {
			k.analyse(cfg)
		}
		list = append(list, k.Kernel)
	}
	slices.SortStableFunc(list, func(a, b Kernel) int { return cmp.Compare(b.Share, a.Share) })
	return list
}

// fit adds the occupancy that the device reports for the launch with the most
// time. The occupancy of a device without a clock is not that of a machine that
// a user knows, so it is left out.
func (k *collected) fit(dev device.Device) {
	l := k.longest
	k.SharedBytes = l.Kernel.Shared + l.DynamicShared
	if !dev.Capabilities().Has(device.Clock) {
		return
	}
	o, err := device.Fit(dev, l)
	if err != nil {
		return // a device that has failed reports nothing
	}
	k.Registers, k.Estimated, k.SharedBytes = o.Regs, o.Estimated, o.Shared
	k.Occupancy = &Occupancy{Blocks: o.BlocksPerSM, Warps: o.WarpsPerSM, MaxWarps: o.MaxWarps, Limit: o.Limit}
}

// analyse evaluates the counters.
func (k *collected) analyse(cfg *config.GPU) {
	elapsed := k.sum.Of(counter.Elapsed)
	k.ActiveSMs = min(1, k.sum.Of(counter.ActiveCycles)/elapsed)
	if k.Occupancy != nil {
		active := k.sum.Of(counter.WarpsActive) / 100
		k.Occupancy.Active = &active
	}
	if all := k.sum.Of(counter.WarpLatency); all > 0 {
		for i := range counter.NumStalls {
			s := &counter.Stalls[i]
			if v := k.sum.Of(s.Counter()) / all; v > 0 && i != counter.StallSelected {
				x := Stall{Name: s.Name, Share: v, What: s.Desc, Untrusted: counter.Untrusted(s.Name)}
				if known, ok := counter.StallErrorOf(s.Name); ok {
					x.Recorded = known.String()
				}
				k.Stalls = append(k.Stalls, x)
			}
		}
		slices.SortStableFunc(k.Stalls, func(a, b Stall) int { return cmp.Compare(b.Share, a.Share) })
	}
	for i := range units {
		u := &units[i]
		p := Peak{Unit: u.name, Counter: u.counter, Share: k.sum.Of(u.counter) / 100, Peak: u.peak(cfg), kind: u.kind, of: u.of, usable: 1}
		if u.kind == DRAM {
			p.usable = cfg.DRAM.Efficiency
		}
		if active := k.sum.Of(counter.ActiveCycles); active > 0 && u.of != ofGPU {
			p.WithWork = min(1, p.Share*elapsed/active)
		}
		if active := k.sum.Of(counter.SubActive); active > 0 && u.of == ofSubCore {
			p.subCores = min(1, p.Share*elapsed/active)
		}
		k.Peaks = append(k.Peaks, p)
	}
	k.Balance, k.Roofline = k.balance(cfg), k.roofline(cfg)
	k.Bound = k.decide(elapsed, cfg.SM.SubCores)
}

// decide applies the rule. The first that holds is the bound: the launch
// consists mostly of its own start and end; a unit is near its peak (the
// nearest one, if there are several); SMs have no block for more of the time
// than the most used unit of those that have one is idle; a unit is near its
// peak on the SMs that have a block, or on the sub-cores that have a warp; else
// latency.
func (k *collected) decide(elapsed float64, subCores int) *Bound {
	if outside := 1 - k.cycles/elapsed; outside >= mostly {
		return &Bound{Kind: Launches, Share: outside,
			Text: fmt.Sprintf("launches: %s of the kernel's time is its start and end, before its first block and after its last store", Percent(outside))}
	}
	if top := k.top(func(p *Peak) float64 { return p.Share }); top != nil && top.Share/top.usable >= near {
		text := fmt.Sprintf("%s: %s of %s", top.Unit, Percent(top.Share), top.Peak)
		if top.usable < 1 {
			text += fmt.Sprintf(", of which %s can be reached", Percent(top.usable))
		}
		return &Bound{Kind: top.kind, Unit: top.Unit, Share: top.Share, Text: text}
	}
	unit := k.top(func(p *Peak) float64 { return p.WithWork })
	rest := k.waits()
	if unit != nil && unit.WithWork >= near {
		rest = fmt.Sprintf("%s, %s of peak", unit.Unit, Percent(unit.WithWork))
	}
	b := k.Balance
	if b != nil && b.Class != Even && unit != nil && b.Active < unit.WithWork {
		return &Bound{Kind: b.Class, Share: 1 - b.Active, Text: className[b.Class] + ": " + b.Text + "; on SMs with a block: " + rest}
	}
	if unit != nil && unit.WithWork >= near {
		return &Bound{Kind: unit.kind, Unit: unit.Unit, Share: unit.WithWork,
			Text: fmt.Sprintf("%s: on SMs with a block %s of peak", unit.Unit, Percent(unit.WithWork)) + k.uneven()}
	}
	if unit := k.top(func(p *Peak) float64 { return p.subCores }); unit != nil && unit.subCores >= near {
		return &Bound{Kind: SubCores, Unit: unit.Unit, Share: unit.subCores,
			Text: fmt.Sprintf("empty sub-cores: %s of %d sub-cores of an SM have a warp; there: %s, %s of peak",
				count(float64(subCores)*unit.WithWork/unit.subCores), subCores, unit.Unit, Percent(unit.subCores)) + k.uneven()}
	}
	return &Bound{Kind: Latency, Text: "latency: " + k.waits() + k.uneven()}
}

// className has the classes of a balance as sentences begin with them.
var className = map[string]string{EmptySMs: "empty SMs", Tail: "tail", Imbalance: "imbalance"}

// uneven returns the end of a sentence that says how blocks are distributed over the SMs; "" if they are evenly.
func (k *collected) uneven() string {
	if b := k.Balance; b != nil && b.Class != Even {
		return "; " + b.Text
	}
	return ""
}

// top returns the unit of which a share is nearest to what can be reached; nil if none was used. The busiest of several
// equal units is the one only if their mean is not near its peak as well.
func (k *collected) top(share func(p *Peak) float64) (top *Peak) {
	for i := range k.Peaks {
		p := &k.Peaks[i]
		switch x := share(p) / p.usable; {
		case x == 0:
		case top == nil, x > share(top)/top.usable && !(p.part(top) && share(top)/top.usable >= near):
			top = p
		}
	}
	return top
}

// Always reports whether a unit is shown even if it was hardly used.
func (p *Peak) Always() bool { return p.kind == Issue || p.kind == L2 || p.kind == DRAM }

// part reports whether p is the busiest of the units whose mean is q.
func (p *Peak) part(q *Peak) bool {
	return p.kind == L2Slice && q.kind == L2 || p.kind == Atomic && q.kind == Atomics
}

// waits describes what warps wait for, and how many warps there are.
func (k *collected) waits() string {
	words := fmt.Sprintf("no unit is at %.0f%% of its peak", 100*near)
	told := func(s *Stall) string {
		if s.Untrusted {
			return fmt.Sprintf("%s (%s, not trusted)", s.Name, Percent(s.Share))
		}
		return fmt.Sprintf("%s (%s)", s.Name, Percent(s.Share))
	}
	switch {
	case len(k.Stalls) == 0:
	case k.Stalls[0].Share > mostly:
		words += "; most stalls are " + told(&k.Stalls[0])
	case len(k.Stalls) == 1:
		words += "; the most frequent stall is " + told(&k.Stalls[0])
	default:
		words += fmt.Sprintf("; no stall is the reason for most: %s, %s", told(&k.Stalls[0]), told(&k.Stalls[1]))
	}
	if o := k.Occupancy; o != nil && o.Active != nil {
		words += fmt.Sprintf("; %s of the warps that fit are resident", Percent(*o.Active))
	}
	return words
}

// OfRun returns what bounds a whole run. It is launches if the kernels run for
// less than half of seconds, the time from the first launch until the host has
// the answer; else it is the bound of the kernel with the most time. OfRun
// returns nil if neither is known.
func OfRun(kernels []Kernel, seconds float64) *Bound {
	if len(kernels) == 0 {
		return nil
	}
	var busy float64
	for i := range kernels {
		busy += kernels[i].Seconds
	}
	if seconds > 0 && busy > 0 && busy < mostly*seconds {
		return &Bound{Kind: Launches, Share: 1 - busy/seconds,
			Text: fmt.Sprintf("launches: the GPU time of the kernels is %s of the algorithm time, the rest is launching them, waiting and copying", Percent(busy/seconds))}
	}
	return kernels[0].Bound
}

// Percent formats a fraction as a percentage: "84.2%".
func Percent(share float64) string {
	switch p := 100 * share; {
	case p > 0 && p < 0.05:
		return "<0.1%"
	case p < 99.95 && p > 0:
		return fmt.Sprintf("%.1f%%", p)
	default:
		return fmt.Sprintf("%.0f%%", p)
	}
}
