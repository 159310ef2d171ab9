package profile

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// The processes shown in a trace, in this order: the host, then each GPU with its SMs, then the links of a group.
const (
	processHost = iota + 1
	processGPU
)

// layout numbers the processes of a trace.
type layout struct {
	gpus, sms int
	group     bool
}

// layoutOf returns the layout for what a trace has. It is a group's if it has links.
func (t *Trace) layoutOf() layout {
	l := layout{gpus: 1, group: t.Links != nil}
	for i := range t.Launches {
		l.gpus = max(l.gpus, t.Launches[i].GPU+1)
	}
	for i := range t.Copies {
		l.gpus = max(l.gpus, t.Copies[i].GPU+1)
		l.group = l.group || t.Copies[i].Way != ""
	}
	for i := range t.Blocks {
		l.gpus, l.sms = max(l.gpus, t.Blocks[i].GPU+1), max(l.sms, t.Blocks[i].SM+1)
	}
	return l
}

func (l layout) gpu(i int) int     { return processGPU + i*(l.sms+1) }
func (l layout) sm(gpu, i int) int { return l.gpu(gpu) + 1 + i }
func (l layout) links() int        { return l.gpu(l.gpus) }

// name returns the name of a part of a GPU, with the number of the GPU in a group.
func (l layout) name(gpu int, part string) string {
	if l.group {
		return strings.TrimSpace(fmt.Sprintf("GPU %d %s", gpu, part))
	}
	return cmp.Or(part, "GPU")
}

// traceEvent is an event in Chrome's trace format; times are in microseconds.
type traceEvent struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	Proc  int            `json:"pid"`
	Track int            `json:"tid"`
	At    float64        `json:"ts"`
	Dur   *float64       `json:"dur,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// WriteJSON writes the trace as Chrome JSON, which Perfetto can open. warps is the number of warps that the whole
// machine can hold, for the occupancy; about is written to the file's metadata.
func (t *Trace) WriteJSON(w io.Writer, warps int, about map[string]string) error {
	out := &traceWriter{w: bufio.NewWriter(w)}
	head, err := json.Marshal(about)
	if err != nil {
		return err
	}
	fmt.Fprintf(out.w, "{\"displayTimeUnit\":\"ns\",\"otherData\":%s,\"traceEvents\":[", head)
	at := t.layoutOf()
	t.names(out, at)
	if at.group {
		t.ways(out, at)
	} else {
		for _, c := range t.Copies {
			what := "to the device: "
			if c.ToHost {
				what = "to the host: "
			}
			out.span(what+c.Buffer, processHost, 0, c.Start, c.End, map[string]any{"bytes": c.Bytes})
		}
	}
	for _, l := range t.Launches {
		out.span(l.Kernel, at.gpu(l.GPU), l.Stream, l.Start, l.End, map[string]any{"launch": l.N, "grid": l.Grid, "block": l.Block, "cycles": l.Cycles})
	}
	for _, b := range t.Blocks {
		out.span(fmt.Sprintf("block %d", b.Block), at.sm(b.GPU, b.SM), b.Slot, b.Start, b.End, map[string]any{"kernel": b.Kernel})
	}
	t.counters(out, at, warps)
	fmt.Fprint(out.w, "\n]}\n")
	if out.err != nil {
		return out.err
	}
	return out.w.Flush()
}

// process and track name a process and a track of one.
func (o *traceWriter) process(id int, name string) {
	o.event(traceEvent{Name: "process_name", Phase: "M", Proc: id, Args: map[string]any{"name": name}})
	o.event(traceEvent{Name: "process_sort_index", Phase: "M", Proc: id, Args: map[string]any{"sort_index": id}})
}

func (o *traceWriter) track(id, track int, name string) {
	o.event(traceEvent{Name: "thread_name", Phase: "M", Proc: id, Track: track, Args: map[string]any{"name": name}})
}

// names adds the names of processes and tracks, but those of links.
func (t *Trace) names(out *traceWriter, at layout) {
	if !at.group {
		out.process(processHost, "host")
		out.track(processHost, 0, "copies"+every(t.SpanStep))
	}
	for gpu := range at.gpus {
		out.process(at.gpu(gpu), at.name(gpu, ""))
		streams := 0
		for _, l := range t.Launches {
			if l.GPU == gpu {
				streams = max(streams, l.Stream+1)
			}
		}
		for i := range streams {
			out.track(at.gpu(gpu), i, fmt.Sprintf("launches of stream %d%s", i, every(t.SpanStep)))
		}
		slots := map[int]int{}
		for _, b := range t.Blocks {
			if b.GPU == gpu {
				slots[b.SM] = max(slots[b.SM], b.Slot+1)
			}
		}
		for sm := range at.sms {
			if slots[sm] == 0 {
				continue
			}
			out.process(at.sm(gpu, sm), at.name(gpu, fmt.Sprintf("SM %d", sm)))
			for s := range slots[sm] {
				out.track(at.sm(gpu, sm), s, fmt.Sprintf("slot %d%s", s, every(t.BlockStep)))
			}
		}
	}
}

// ways writes the copies of a group: a row for each pair of places, and more where copies of one pair overlap.
func (t *Trace) ways(out *traceWriter, at layout) {
	copies := slices.Clone(t.Copies)
	slices.SortStableFunc(copies, func(a, b CopySpan) int { return cmp.Compare(a.Start, b.Start) })
	var names []string
	for _, c := range copies {
		if !slices.Contains(names, c.Way) {
			names = append(names, c.Way)
		}
	}
	slices.Sort(names)
	out.process(at.links(), "links")
	row := 0
	for _, name := range names {
		var ends []float64 // of the last copy in each row
		for _, c := range copies {
			if c.Way != name {
				continue
			}
			i := slices.IndexFunc(ends, func(end float64) bool { return end <= c.Start })
			if i < 0 {
				i = len(ends)
				ends = append(ends, 0)
				out.track(at.links(), row+i, name+every(t.SpanStep))
			}
			ends[i] = c.End
			out.span(c.Buffer, at.links(), row+i, c.Start, c.End, map[string]any{"bytes": c.Bytes, "GPU": c.GPU})
		}
		row += len(ends)
	}
}

// every returns a note that only one of step events is included.
func every(step int) string {
	if step == 1 {
		return ""
	}
	return fmt.Sprintf(" (one of %d)", step)
}

// counters writes the samples; rates, and what is resident or busy, are averages until the next sample.
func (t *Trace) counters(out *traceWriter, at layout, warps int) {
	next := t.followers()
	for i, s := range t.Samples {
		counter := func(name, unit string, v float64) {
			out.event(traceEvent{Name: name, Phase: "C", Proc: at.gpu(s.GPU), At: s.At * 1e6, Args: map[string]any{unit: rounded(v)}})
		}
		n, d := s, 1.0
		if f := t.Samples[next[i]]; next[i] > 0 && f.At > s.At {
			n, d = f, f.At-s.At
		}
		counter("occupancy", "%", 100*(n.WarpSeconds-s.WarpSeconds)/d/float64(max(warps, 1)))
		counter("SMs with blocks", "SMs", (n.SMSeconds-s.SMSeconds)/d)
		counter("warp instructions", "G/s", float64(n.Instructions-s.Instructions)/d/1e9)
		counter("thread instructions", "G/s", float64(n.ThreadInstructions-s.ThreadInstructions)/d/1e9)
		counter("L2 bandwidth", "GB/s", float64(n.L2Sectors-s.L2Sectors)*32/d/1e9)
		counter("L2 atomics", "G/s", float64(n.L2Atomics-s.L2Atomics)/d/1e9)
		counter("DRAM bandwidth", "GB/s", float64(n.DRAMBytes-s.DRAMBytes)/d/1e9)
		counter("load-store queues", "instructions", float64(s.LSUQueue))
		counter("longest atomic queue", "operations", s.AtomicQueue)
		counter("longest L2 queue", "sectors", s.L2Queue)
		counter("DRAM backlog", "cycles", s.DRAMQueue)
	}
	t.linkRates(out, at)
}

// rounded returns a value with six digits, which are more than a sample means: files are smaller.
func rounded(v float64) float64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		return v
	}
	return x
}

// followers returns the index of the next sample of the same GPU, for each sample; 0 if there is none.
func (t *Trace) followers() []int {
	next := make([]int, len(t.Samples))
	last := map[int]int{}
	for i := len(t.Samples) - 1; i >= 0; i-- {
		next[i] = last[t.Samples[i].GPU]
		last[t.Samples[i].GPU] = i
	}
	return next
}

// linkRates writes how busy each link of a group is: averages until the next sample of any GPU.
func (t *Trace) linkRates(out *traceWriter, at layout) {
	var samples []*Sample
	for i := range t.Samples {
		if s := &t.Samples[i]; len(s.LinkBytes) == len(t.Links) {
			samples = append(samples, s)
		}
	}
	slices.SortStableFunc(samples, func(a, b *Sample) int { return cmp.Compare(a.At, b.At) })
	for l, name := range t.Links {
		var carried uint64
		for i, s := range samples {
			carried = max(carried, s.LinkBytes[l])
			rate := 0.0
			if i+1 < len(samples) {
				if n := samples[i+1]; n.At > s.At && n.LinkBytes[l] > carried {
					rate = float64(n.LinkBytes[l]-carried) / (n.At - s.At) / 1e9
				}
			}
			out.event(traceEvent{Name: name, Phase: "C", Proc: at.links(), At: s.At * 1e6, Args: map[string]any{"GB/s": rounded(rate)}})
		}
	}
}

type traceWriter struct {
	w   *bufio.Writer
	any bool
	err error
}

func (o *traceWriter) span(name string, proc, track int, start, end float64, args map[string]any) {
	d := (end - start) * 1e6
	o.event(traceEvent{Name: name, Phase: "X", Proc: proc, Track: track, At: start * 1e6, Dur: &d, Args: args})
}

func (o *traceWriter) event(e traceEvent) {
	b, err := json.Marshal(e)
	if err != nil && o.err == nil {
		o.err = err
	}
	if o.any {
		_ = o.w.WriteByte(',')
	}
	o.any = true
	_ = o.w.WriteByte('\n')
	_, _ = o.w.Write(b) // Flush returns the error
}
