package series

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/service/option"
)

// Attachment is the kind of attachment of a run in a store that has its trace.
const Attachment = "trace"

// Trace is a run over time.
type Trace struct {
	About    map[string]string // what was run: "command", "device", "machine hash"
	Counters []Counter
	Launches []Launch // in the order of their beginning; some are missing if there were too many to record
	Missing  bool     // some launches are missing
	End      float64  // seconds from the beginning of the run until the last of all
}

// Counter is a quantity over time. Values[i] holds from At[i] until At[i+1], the last one until Trace.End.
type Counter struct {
	GPU    string // "GPU", in a group "GPU 1"; "links" for the links of a group
	Name   string // "occupancy", "DRAM bandwidth"
	Unit   string // "%", "GB/s"
	At     []float64
	Values []float64
}

// Launch is a launch of a kernel. Times are in seconds.
type Launch struct {
	GPU, Kernel string
	Start, End  float64
}

// event is an event of Chrome's trace format. Times are in microseconds.
type event struct {
	Name  string                     `json:"name"`
	Phase string                     `json:"ph"`
	Proc  int                        `json:"pid"`
	At    float64                    `json:"ts"`
	Dur   float64                    `json:"dur"`
	Args  map[string]json.RawMessage `json:"args"`
}

// processes returns the names of the processes, and whether the rows of launches lack some.
func processes(events []event) (names map[int]string, missing bool, err error) {
	names = map[int]string{}
	for _, e := range events {
		if e.Phase != "M" || e.Name != "process_name" && e.Name != "thread_name" {
			continue
		}
		var name string
		if err := json.Unmarshal(e.Args["name"], &name); err != nil {
			return nil, false, fmt.Errorf("%s: %w", e.Name, err)
		}
		if e.Name == "process_name" {
			names[e.Proc] = name
		} else {
			missing = missing || strings.HasPrefix(name, "launches ") && strings.Contains(name, "(one of ")
		}
	}
	return names, missing, nil
}

// Read reads a trace.
func Read(r io.Reader) (*Trace, error) {
	var file struct {
		About  map[string]string `json:"otherData"`
		Events []event           `json:"traceEvents"`
	}
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, fmt.Errorf("not a trace: %w", err)
	}
	names, missing, err := processes(file.Events)
	if err != nil {
		return nil, fmt.Errorf("not a trace: %w", err)
	}
	t := &Trace{About: file.About, Missing: missing}
	at := map[[2]string]int{}
	for _, e := range file.Events {
		const micro = 1e-6
		gpu := names[e.Proc]
		switch {
		case e.Phase == "X":
			t.End = max(t.End, (e.At+e.Dur)*micro)
			if _, launch := e.Args["launch"]; launch {
				t.Launches = append(t.Launches, Launch{gpu, e.Name, e.At * micro, (e.At + e.Dur) * micro})
			}
		case e.Phase == "C" && len(e.Args) == 1:
			t.End = max(t.End, e.At*micro)
			for unit, text := range e.Args {
				var v float64
				if err := json.Unmarshal(text, &v); err != nil {
					return nil, fmt.Errorf("not a trace: %s: %w", e.Name, err)
				}
				k := [2]string{gpu, e.Name}
				i, ok := at[k]
				if !ok {
					i = len(t.Counters)
					at[k] = i
					t.Counters = append(t.Counters, Counter{GPU: gpu, Name: e.Name, Unit: unit})
				}
				t.Counters[i].At, t.Counters[i].Values = append(t.Counters[i].At, e.At*micro), append(t.Counters[i].Values, v)
			}
		}
	}
	if len(t.Counters) == 0 {
		return nil, fmt.Errorf(`not a trace of "weft run %s": it has no counters`, option.Trace)
	}
	slices.SortStableFunc(t.Launches, func(a, b Launch) int {
		switch {
		case a.Start < b.Start:
			return -1
		case a.Start > b.Start:
			return 1
		}
		return 0
	})
	return t, nil
}

// Names returns the names of the counters, in order.
func (t *Trace) Names() (names []string) {
	for _, c := range t.Counters {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Begin returns when the first launch or sample was: a run begins with copies, which no counter shows.
func (t *Trace) Begin() float64 {
	begin := t.End
	for _, c := range t.Counters {
		begin = min(begin, c.At[0])
	}
	for _, l := range t.Launches {
		begin = min(begin, l.Start)
	}
	return begin
}

// Means returns the means of the counter over n intervals of equal length from begin to end; 0 where the counter has no
// value.
func (c *Counter) Means(begin, end float64, n int) []float64 {
	means := make([]float64, n)
	wide := (end - begin) / float64(n)
	if !(wide > 0) {
		return means
	}
	for i, v := range c.Values {
		from, to := c.At[i], end
		if i+1 < len(c.At) {
			to = c.At[i+1]
		}
		from, to = max(from, begin), min(to, end)
		for k := int((from - begin) / wide); k < n && to > from; k++ {
			lo, hi := begin+float64(k)*wide, begin+float64(k+1)*wide
			if part := min(hi, to) - max(lo, from); part > 0 {
				means[k] += v * part / wide
			}
			if hi >= to {
				break
			}
		}
	}
	return means
}
