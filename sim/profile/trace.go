package profile

// The default limits of a trace.
const (
	DefaultSamples = 1 << 13
	DefaultSpans   = 1 << 16
)

// Trace records events over time: launches, copies, blocks on SMs, and samples of how busy the parts of the machine
// are. Its size is bounded: if there are too many samples, their interval doubles; if there are too many blocks or
// launches, every other one is omitted.
type Trace struct {
	Launches []LaunchSpan
	Copies   []CopySpan
	Blocks   []BlockSpan
	Samples  []Sample
	// BlockStep means that Blocks contains only the blocks whose number in the grid is a multiple of it; SpanStep
	// means the same for launches and copies.
	BlockStep, SpanStep int
	// Interval is the number of cycles between two samples.
	Interval uint64

	maxSamples, maxSpans int
	launches, copies     int // all, including those omitted
	base                 float64
	start                uint64
	period               float64
}

// LaunchSpan is a launch that has ended. Times are simulated seconds since the device was created.
type LaunchSpan struct {
	N          int // number of the launch, from 0
	Kernel     string
	Stream     int
	Grid       int // blocks
	Block      int // threads per block
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
	Block      int // number in the grid
	SM, Slot   int
	Start, End float64
}

// Sample is the state of the machine at one time. Counts are since the device was created.
type Sample struct {
	At    float64 // simulated seconds
	Warps int     // resident warps
	Busy  int     // SMs with resident blocks
	// Warp instructions; sectors looked up in the L2; bytes transferred by DRAM.
	Instructions, L2Sectors, DRAMBytes uint64
	LSUQueue                           int     // instructions in the queues of all load-store units
	AtomicQueue                        float64 // operations that wait for the atomic unit with the longest queue
	L2Queue                            float64 // sectors that wait at the port of the L2 slice with the longest queue
	DRAMQueue                          float64 // cycles of work pending in the DRAM channels, averaged
}

// NewTrace returns an empty trace of at most samples samples and at most spans blocks, launches and copies each; 0
// means DefaultSamples or DefaultSpans.
func NewTrace(samples, spans int) *Trace {
	if samples <= 0 {
		samples = DefaultSamples
	}
	if spans <= 0 {
		spans = DefaultSpans
	}
	return &Trace{BlockStep: 1, SpanStep: 1, Interval: 64, maxSamples: max(samples, 2), maxSpans: max(spans, 2)}
}

// Begin records that launches begin: cycle start is at second at, and a cycle takes period seconds.
func (t *Trace) Begin(at float64, start uint64, period float64) {
	t.base, t.start, t.period = at, start, period
}

// time converts a cycle since Begin to seconds.
func (t *Trace) time(cycle uint64) float64 { return t.base + float64(cycle-t.start)*t.period }

// LaunchEnded records a launch from cycle began to cycle ended.
func (t *Trace) LaunchEnded(kernel string, stream, grid, block int, began, ended uint64) {
	n := t.launches
	t.launches++
	if n%t.SpanStep != 0 {
		return
	}
	t.Launches = append(t.Launches, LaunchSpan{n, kernel, stream, grid, block, t.time(began), t.time(ended), ended - began})
	t.thinSpans(len(t.Launches))
}

// Copy records a copy.
func (t *Trace) Copy(buffer string, toHost bool, bytes int, start, end float64) {
	n := t.copies
	t.copies++
	if n%t.SpanStep != 0 {
		return
	}
	t.Copies = append(t.Copies, CopySpan{n, buffer, toHost, bytes, start, end})
	t.thinSpans(len(t.Copies))
}

// thinSpans drops every other launch and copy if there are too many of either.
func (t *Trace) thinSpans(n int) {
	if n < t.maxSpans {
		return
	}
	t.SpanStep *= 2
	t.Launches = keep(t.Launches, func(s *LaunchSpan) bool { return s.N%t.SpanStep == 0 })
	t.Copies = keep(t.Copies, func(s *CopySpan) bool { return s.N%t.SpanStep == 0 })
}

// BlockEnded records that a block has left its SM.
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
	if len(t.Blocks) == before { // all grids have one block
		t.Blocks = everyOther(t.Blocks)
	}
}

// Sampled records a sample at a cycle, and returns the cycle of the next one.
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
