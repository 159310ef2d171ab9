package profile

// The bounds of a trace, unless NewTrace is given others.
const (
	DefaultSamples = 1 << 13
	DefaultSpans   = 1 << 16
)

// Trace collects what happens over time: launches, copies, blocks on SMs, and
// samples of how busy the parts of the machine are. Its size is bounded: where
// there are too many samples their interval doubles, and where there are too
// many blocks or launches every other one of them is left out.
type Trace struct {
	Launches []LaunchSpan
	Copies   []CopySpan
	Blocks   []BlockSpan
	Samples  []Sample
	// BlockStep says that of the blocks of a grid only those are in Blocks
	// whose number is a multiple of it; SpanStep, the same of launches and copies.
	BlockStep, SpanStep int
	// Interval is the cycles between two samples.
	Interval uint64

	maxSamples, maxSpans int
	launches, copies     int // all, also those left out
	base                 float64
	start                uint64
	period               float64
}

// LaunchSpan is a launch that ended. Times are simulated seconds since the
// device was made.
type LaunchSpan struct {
	N          int // number of the launch, from 0
	Kernel     string
	Stream     int
	Grid       int // blocks
	Block      int // threads a block
	Start, End float64
	Cycles     uint64
}

// CopySpan is a copy between host and device.
type CopySpan struct {
	N          int // number of the copy, from 0
	Buffer     string
	ToHost     bool
	Bytes      int
	Start, End float64
}

// BlockSpan is a block on an SM.
type BlockSpan struct {
	Kernel     string
	Block      int // in the grid
	SM, Slot   int
	Start, End float64
}

// Sample is the machine at one time. Counts are since the device was made.
type Sample struct {
	At    float64 // simulated seconds
	Warps int     // resident
	Busy  int     // SMs with blocks
	// Instructions of warps; sectors that the L2 looked up; bytes that DRAM moved.
	Instructions, L2Sectors, DRAMBytes uint64
	LSUQueue                           int     // instructions in the queues of all load-store units
	AtomicQueue                        float64 // operations that wait for the atomic unit with the most
	L2Queue                            float64 // sectors that wait at the port of the L2 slice with the most
	DRAMQueue                          float64 // cycles of work that the DRAM channels have in front of them, mean
}

// NewTrace is an empty trace of at most samples samples and spans blocks,
// launches and copies each; 0 is DefaultSamples, DefaultSpans.
func NewTrace(samples, spans int) *Trace {
	if samples <= 0 {
		samples = DefaultSamples
	}
	if spans <= 0 {
		spans = DefaultSpans
	}
	return &Trace{BlockStep: 1, SpanStep: 1, Interval: 64, maxSamples: max(samples, 2), maxSpans: max(spans, 2)}
}

// Begin notes that launches begin: cycle start is at second at, and a cycle
// takes period seconds.
func (t *Trace) Begin(at float64, start uint64, period float64) {
	t.base, t.start, t.period = at, start, period
}

// time is a cycle since Begin in seconds.
func (t *Trace) time(cycle uint64) float64 { return t.base + float64(cycle-t.start)*t.period }

// LaunchEnded notes a launch from its cycle began to ended.
func (t *Trace) LaunchEnded(kernel string, stream, grid, block int, began, ended uint64) {
	n := t.launches
	t.launches++
	if n%t.SpanStep != 0 {
		return
	}
	t.Launches = append(t.Launches, LaunchSpan{n, kernel, stream, grid, block, t.time(began), t.time(ended), ended - began})
	t.thinSpans(len(t.Launches))
}

// Copy notes a copy.
func (t *Trace) Copy(buffer string, toHost bool, bytes int, start, end float64) {
	n := t.copies
	t.copies++
	if n%t.SpanStep != 0 {
		return
	}
	t.Copies = append(t.Copies, CopySpan{n, buffer, toHost, bytes, start, end})
	t.thinSpans(len(t.Copies))
}

// thinSpans halves launches and copies when one of them has become too many.
func (t *Trace) thinSpans(n int) {
	if n < t.maxSpans {
		return
	}
	t.SpanStep *= 2
	t.Launches = keep(t.Launches, func(s *LaunchSpan) bool { return s.N%t.SpanStep == 0 })
	t.Copies = keep(t.Copies, func(s *CopySpan) bool { return s.N%t.SpanStep == 0 })
}

// BlockEnded notes that a block has left its SM.
func (t *Trace) BlockEnded(kernel string, block, sm, slot int, began, ended uint64) {
	if block%t.BlockStep != 0 {
		return
	}
	t.Blocks = append(t.Blocks, BlockSpan{kernel, block, sm, slot, t.time(began), t.time(ended)})
	if len(t.Blocks) < t.maxSpans {
		return
	}
	before := len(t.Blocks)
	for t.BlockStep < 1<<30 && len(t.Blocks) > before/2 {
		t.BlockStep *= 2
		t.Blocks = keep(t.Blocks, func(b *BlockSpan) bool { return b.Block%t.BlockStep == 0 })
	}
	if len(t.Blocks) == before { // grids of one block, all of them
		t.Blocks = everyOther(t.Blocks)
	}
}

// Sampled takes a sample at a cycle, and returns the
// cycle of the next one.
func (t *Trace) Sampled(cycle uint64, s Sample) (next uint64) {
	s.At = t.time(cycle)
	t.Samples = append(t.Samples, s)
	if len(t.Samples) >= t.maxSamples {
		t.Samples = everyOther(t.Samples)
		t.Interval *= 2
	}
	return cycle + t.Interval
}

func keep[T any](s []T, ok func(*T) bool) []T {
	out := s[:0]
	for i := range s {
		if ok(&s[i]) {
			out = append(out, s[i])
		}
	}
	return out
}

func everyOther[T any](s []T) []T {
	out := s[:0]
	for i := 0; i < len(s); i += 2 {
		out = append(out, s[i])
	}
	return out
}
