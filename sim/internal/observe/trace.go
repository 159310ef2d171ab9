package observe

import "github.com/weft-gpu/weft/sim/profile"

// Trace fills a profile.Trace.
type Trace struct {
	into             *profile.Trace
	gpu              int
	launches, copies int // all, including those omitted
	base             float64
	start            uint64
	period           float64
}

// NewTrace returns a Trace that fills t with what a GPU of a group does; gpu is 0 for a single one.
func NewTrace(t *profile.Trace, gpu int) *Trace {
	if t.Interval == 0 { // nothing was recorded: t may be the zero Trace
		*t = *profile.NewTrace(t.MaxSamples, t.MaxSpans)
	}
	return &Trace{into: t, gpu: gpu}
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
	if n%t.into.SpanStep != 0 {
		return
	}
	t.into.Launches = append(t.into.Launches, profile.LaunchSpan{
		GPU: t.gpu, N: n, Kernel: kernel, Stream: stream, Grid: grid, Block: block, Start: t.time(began), End: t.time(ended), Cycles: ended - began,
	})
	t.thinSpans(len(t.into.Launches))
}

// Copy records a copy. way says from where to where it goes in a group; it is "" for a single GPU.
func (t *Trace) Copy(way, buffer string, toHost bool, bytes int, start, end float64) {
	n := t.copies
	t.copies++
	if n%t.into.SpanStep != 0 {
		return
	}
	t.into.Copies = append(t.into.Copies, profile.CopySpan{GPU: t.gpu, Way: way, N: n, Buffer: buffer, ToHost: toHost, Bytes: bytes, Start: start, End: end})
	t.thinSpans(len(t.into.Copies))
}

// thinSpans drops every other launch and copy if there are too many of either.
func (t *Trace) thinSpans(n int) {
	if n < t.into.MaxSpans {
		return
	}
	t.into.SpanStep *= 2
	t.into.Launches = keep(t.into.Launches, func(s *profile.LaunchSpan) bool { return s.N%t.into.SpanStep == 0 })
	t.into.Copies = keep(t.into.Copies, func(s *profile.CopySpan) bool { return s.N%t.into.SpanStep == 0 })
}

// BlockEnded records that a block has left its SM.
func (t *Trace) BlockEnded(kernel string, block, sm, slot int, began, ended uint64) {
	if block%t.into.BlockStep != 0 {
		return
	}
	t.into.Blocks = append(t.into.Blocks, profile.BlockSpan{GPU: t.gpu, Kernel: kernel, Block: block, SM: sm, Slot: slot, Start: t.time(began), End: t.time(ended)})
	if len(t.into.Blocks) < t.into.MaxSpans {
		return
	}
	before := len(t.into.Blocks)
	for t.into.BlockStep < 1<<30 && len(t.into.Blocks) > before/2 {
		t.into.BlockStep *= 2
		t.into.Blocks = keep(t.into.Blocks, func(b *profile.BlockSpan) bool { return b.Block%t.into.BlockStep == 0 })
	}
	if len(t.into.Blocks) == before { // all grids have one block
		t.into.Blocks = everyOther(t.into.Blocks)
	}
}

// Sampled records a sample at a cycle, and returns the cycle of the next one.
func (t *Trace) Sampled(cycle uint64, s profile.Sample) (next uint64) {
	s.At, s.GPU = t.time(cycle), t.gpu
	t.into.Samples = append(t.into.Samples, s)
	if len(t.into.Samples) >= t.into.MaxSamples {
		t.into.Samples = everyOtherOfEach(t.into.Samples)
		t.into.Interval *= 2
	}
	return cycle + t.into.Interval
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

// everyOtherOfEach drops every other sample of each GPU.
func everyOtherOfEach(s []profile.Sample) []profile.Sample {
	odd := map[int]bool{}
	return keep(s, func(x *profile.Sample) bool {
		odd[x.GPU] = !odd[x.GPU]
		return odd[x.GPU]
	})
}
