// Package results keeps what was measured: the records of real GPUs under hw/,
// and the loader that comparisons read them with.
package results

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"
	"sync"
)

//go:embed all:hw
var recorded embed.FS

// Meta says where a record comes from.
type Meta struct {
	GPU       string  `json:"gpu"`    // "NVIDIA H200"
	Driver    string  `json:"driver"` // "580.159.04"
	CUDA      int     `json:"cuda"`   // of the driver: 1000*major + 10*minor
	SMs       int     `json:"sms"`
	ClockMHz  int     `json:"clock_mhz"`  // highest SM clock
	MemoryMHz int     `json:"memory_mhz"` // highest memory clock
	Clocks    string  `json:"clocks"`     // clocks under load, as nvidia-smi reports them
	EventUS   float64 `json:"event_us"`   // microseconds that events add to a lone launch; times are without it
	Date      string  `json:"date"`       // RFC 3339
	Commit    string  `json:"commit"`     // of the program that measured
	Command   string  `json:"command"`
}

// Timing is a time that was measured several times, in seconds.
type Timing struct {
	Runs   int     `json:"runs"`
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
	// Spread is (Max-Min)/Median.
	Spread float64 `json:"spread"`
}

// NewTiming sums up times in seconds.
func NewTiming(times []float64) Timing {
	if len(times) == 0 {
		return Timing{}
	}
	s := append([]float64(nil), times...)
	sort.Float64s(s)
	t := Timing{Runs: len(s), Min: s[0], Median: s[len(s)/2], Max: s[len(s)-1]}
	if len(s)%2 == 0 {
		t.Median = (s[len(s)/2-1] + s[len(s)/2]) / 2
	}
	if t.Median > 0 {
		t.Spread = (t.Max - t.Min) / t.Median
	}
	return t
}

// Run is one algorithm under one scheme on one graph.
type Run struct {
	Algorithm  string `json:"algorithm"`
	Scheduler  string `json:"scheduler"`
	Graph      string `json:"graph"`
	Vertices   int    `json:"vertices"`
	Arcs       int    `json:"arcs"`
	Source     uint32 `json:"source"`
	Verified   bool   `json:"verified"`
	Error      string `json:"error,omitempty"`
	Iterations int    `json:"iterations"`
	// Kernels is the time of all launches of one run but those that prepare it; Whole
	// the algorithm's, from the first launch until the host has the answer, which older
	// records lack; Wall the run with the copy of the graph to the device, allocations
	// and all that is done on the host.
	Kernels Timing `json:"kernels"`
	Whole   Timing `json:"algorithm_time,omitzero"`
	Wall    Timing `json:"wall"`
	// Counters are those of all launches of a run under ncu, and ByKernel (of
	// newer records, which leave Counters out) those of each kernel's; nil
	// where that was not done. Total reads either.
	Counters map[string]float64 `json:"counters,omitempty"`
	ByKernel []KernelCounters   `json:"by_kernel,omitempty"`
}

// Kernel is what the driver says of a kernel.
type Kernel struct {
	Name      string      `json:"name"`
	Registers int         `json:"registers"` // a thread
	Shared    int         `json:"shared"`    // bytes a block
	Local     int         `json:"local"`     // bytes a thread
	MaxBlock  int         `json:"max_block"` // threads
	Occupancy []Occupancy `json:"occupancy"`
}

// Occupancy is the driver's count of resident blocks.
type Occupancy struct {
	Block   int `json:"block"`   // threads
	Dynamic int `json:"dynamic"` // bytes of dynamic shared memory a block
	Blocks  int `json:"blocks"`  // an SM
}

// Micro is one row of the micro-kernels' table.
type Micro struct {
	Group  string  `json:"group"`
	Name   string  `json:"name"`
	Unit   string  `json:"unit"`
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Runs   int     `json:"runs"`
	Error  string  `json:"error,omitempty"`
}

// ByHand compares a kernel of ours with the same written in CUDA C.
type ByHand struct {
	Kernel          string  `json:"kernel"`
	Graph           string  `json:"graph"`
	Ours            Timing  `json:"ours"`
	Theirs          Timing  `json:"theirs"`
	OursRegisters   int     `json:"ours_registers"`
	TheirsRegisters int     `json:"theirs_registers"`
	Ratio           float64 `json:"ratio"` // of the medians, ours to theirs
}

// Litmus is what the litmus tests showed.
type Litmus struct {
	Date      string                    `json:"date"` // RFC 3339
	Command   string                    `json:"command"`
	Seeds     int                       `json:"seeds"`     // launches of each test
	Instances int                       `json:"instances"` // at most, of a launch
	Outcomes  map[string]map[string]int `json:"outcomes"`  // by test: how often each appeared
}

// Hardware is all that was recorded of one GPU.
type Hardware struct {
	Meta    Meta
	Runs    []Run
	Kernels []Kernel
	Micro   []Micro
	ByHand  []ByHand
	// MicroCounters are of some of the micro-kernels.
	MicroCounters MicroCounters
	Litmus        Litmus
	// Host is what launches, answers and copies cost the host.
	Host []Micro
}

// ErrNoRecord says that a GPU was never recorded.
var ErrNoRecord = errors.New("no record")

// GPUs lists the GPUs that have a record.
func GPUs() []string {
	entries, err := recorded.ReadDir("hw")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// loaded are the records that were read: each simulated machine asks for one.
var loaded sync.Map // of *Hardware, by the GPU's name

// Load is the record of a GPU ("h200") that comes with the program. It is read
// once, and nobody changes it.
func Load(gpu string) (*Hardware, error) {
	if h, ok := loaded.Load(gpu); ok {
		return h.(*Hardware), nil
	}
	sub, err := fs.Sub(recorded, path.Join("hw", gpu))
	if err != nil {
		return nil, err
	}
	h, err := LoadFS(gpu, sub)
	if err == nil {
		loaded.Store(gpu, h)
	}
	return h, err
}

// LoadFS reads a record from a folder. meta.json must be there; other parts
// that are missing stay empty. Kernels have the names of today, see KernelName.
func LoadFS(name string, dir fs.FS) (*Hardware, error) {
	h := &Hardware{}
	for _, part := range []struct {
		file string
		into any
	}{{"meta.json", &h.Meta}, {"runs.json", &h.Runs}, {"kernels.json", &h.Kernels}, {"micro.json", &h.Micro}, {"byhand.json", &h.ByHand}, {"micro-counters.json", &h.MicroCounters}, {"litmus.json", &h.Litmus}, {"host.json", &h.Host}} {
		b, err := fs.ReadFile(dir, part.file)
		if errors.Is(err, fs.ErrNotExist) && part.file != "meta.json" {
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w of GPU %q; there are: %s", ErrNoRecord, name, strings.Join(GPUs(), ", "))
		}
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(b, part.into); err != nil {
			return nil, fmt.Errorf("record of %s: %s: %w", name, part.file, err)
		}
	}
	h.rename()
	return h, nil
}

// Find is the run of an algorithm under a scheme on a graph of that size from
// that source; nil where there is none.
func (h *Hardware) Find(algorithm, scheduler string, vertices, arcs int, source uint32) *Run {
	for i := range h.Runs {
		if r := &h.Runs[i]; r.Algorithm == algorithm && r.Scheduler == scheduler && r.Vertices == vertices && r.Arcs == arcs && r.Source == source {
			return r
		}
	}
	return nil
}
