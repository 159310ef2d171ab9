package profile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// The processes shown in a trace, in this order; SM i is processSM + i.
const (
	processHost = iota + 1
	processGPU
	processSM
)

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
	t.names(out)
	for _, c := range t.Copies {
		what := "to the device: "
		if c.ToHost {
			what = "to the host: "
		}
		out.span(what+c.Buffer, processHost, 0, c.Start, c.End, map[string]any{"bytes": c.Bytes})
	}
	for _, l := range t.Launches {
		out.span(l.Kernel, processGPU, l.Stream, l.Start, l.End, map[string]any{"launch": l.N, "grid": l.Grid, "block": l.Block, "cycles": l.Cycles})
	}
	for _, b := range t.Blocks {
		out.span(fmt.Sprintf("block %d", b.Block), processSM+b.SM, b.Slot, b.Start, b.End, map[string]any{"kernel": b.Kernel})
	}
	t.counters(out, warps)
	fmt.Fprint(out.w, "\n]}\n")
	if out.err != nil {
		return out.err
	}
	return out.w.Flush()
}

// names adds the names of processes and tracks.
func (t *Trace) names(out *traceWriter) {
	process := func(id int, name string) {
		out.event(traceEvent{Name: "process_name", Phase: "M", Proc: id, Args: map[string]any{"name": name}})
		out.event(traceEvent{Name: "process_sort_index", Phase: "M", Proc: id, Args: map[string]any{"sort_index": id}})
	}
	track := func(id, track int, name string) {
		out.event(traceEvent{Name: "thread_name", Phase: "M", Proc: id, Track: track, Args: map[string]any{"name": name}})
	}
	process(processHost, "host")
	track(processHost, 0, "copies"+every(t.SpanStep))
	process(processGPU, "GPU")
	streams := 0
	for _, l := range t.Launches {
		streams = max(streams, l.Stream+1)
	}
	for i := range streams {
		track(processGPU, i, fmt.Sprintf("launches of stream %d%s", i, every(t.SpanStep)))
	}
	slots := map[int]int{}
	sms := 0
	for _, b := range t.Blocks {
		slots[b.SM] = max(slots[b.SM], b.Slot+1)
		sms = max(sms, b.SM+1)
	}
	for sm := range sms {
		if slots[sm] == 0 {
			continue
		}
		process(processSM+sm, fmt.Sprintf("SM %d", sm))
		for s := range slots[sm] {
			track(processSM+sm, s, fmt.Sprintf("slot %d%s", s, every(t.BlockStep)))
		}
	}
}

// every returns a note that only one of step events is included.
func every(step int) string {
	if step == 1 {
		return ""
	}
	return fmt.Sprintf(" (one of %d)", step)
}

// counters writes the samples; rates are averages until the next sample.
func (t *Trace) counters(out *traceWriter, warps int) {
	for i, s := range t.Samples {
		counter := func(name, unit string, v float64) {
			out.event(traceEvent{Name: name, Phase: "C", Proc: processGPU, At: s.At * 1e6, Args: map[string]any{unit: v}})
		}
		counter("occupancy", "%", 100*float64(s.Warps)/float64(max(warps, 1)))
		counter("SMs with blocks", "SMs", float64(s.Busy))
		var insts, sectors, bytes float64
		if i+1 < len(t.Samples) {
			n := t.Samples[i+1]
			if d := n.At - s.At; d > 0 {
				insts = float64(n.Instructions-s.Instructions) / d / 1e9
				sectors = float64(n.L2Sectors-s.L2Sectors) * 32 / d / 1e9
				bytes = float64(n.DRAMBytes-s.DRAMBytes) / d / 1e9
			}
		}
		counter("warp instructions", "G/s", insts)
		counter("L2 bandwidth", "GB/s", sectors)
		counter("DRAM bandwidth", "GB/s", bytes)
		counter("load-store queues", "instructions", float64(s.LSUQueue))
		counter("longest atomic queue", "operations", s.AtomicQueue)
		counter("longest L2 queue", "sectors", s.L2Queue)
		counter("DRAM backlog", "cycles", s.DRAMQueue)
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
