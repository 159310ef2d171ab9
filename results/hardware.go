package results

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"sort"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/graph"
)

//go:embed all:hw all:pairs all:peers
var recorded embed.FS

// Meta describes the origin of a record.
type Meta struct {
	GPU       string  `json:"gpu"`    // "NVIDIA H200"; "2 x NVIDIA H200"
	Driver    string  `json:"driver"` // "580.159.04"
	CUDA      int     `json:"cuda"`   // CUDA version of the driver: 1000*major + 10*minor
	SMs       int     `json:"sms"`
	ClockMHz  int     `json:"clock_mhz"`  // highest SM clock
	MemoryMHz int     `json:"memory_mhz"` // highest memory clock
	Clocks    string  `json:"clocks"`     // clocks under load, as nvidia-smi reports them
	EventUS   float64 `json:"event_us"`   // microseconds that events add to a single launch; times do not include it
	Date      string  `json:"date"`       // RFC 3339
	Commit    string  `json:"commit"`     // commit of the program that measured
	Command   string  `json:"command"`
	// Properties are what the driver says of the GPU; nil in records from before they were kept.
	Properties *Properties `json:"properties,omitempty"`
	// Peers says how the GPUs reach each other, if there are several: "NVLink 4: copies, remote accesses, remote atomics".
	Peers string `json:"peers,omitempty"`
	// Host are rows of "weft record --parts host" that were measured in the same session.
	Host []Micro `json:"host,omitempty"`
}

// Properties are counts and sizes of a GPU, as its driver says them.
type Properties struct {
	Capability    string `json:"compute_capability"` // "9.0"
	Threads       int    `json:"threads_per_sm"`
	Blocks        int    `json:"blocks_per_sm"`
	Registers     int    `json:"registers_per_sm"`
	SharedBytes   int    `json:"shared_per_sm"`    // bytes
	SharedBlock   int    `json:"shared_per_block"` // bytes, at most
	SharedReserve int    `json:"shared_reserved"`  // bytes that the driver takes of each block's
	L2Bytes       int    `json:"l2_bytes"`
	BusBits       int    `json:"bus_bits"`
	Memory        uint64 `json:"memory_bytes"`
}

// Timing summarizes a time that was measured several times, in seconds.
type Timing struct {
	Runs   int     `json:"runs"`
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
	// Spread is (Max-Min)/Median.
	Spread float64 `json:"spread"`
}

// Later returns the timing of the same runs if each of them took longer by that many seconds.
func (t Timing) Later(by float64) Timing {
	t.Min, t.Median, t.Max = t.Min+by, t.Median+by, t.Max+by
	if t.Median > 0 {
		t.Spread = (t.Max - t.Min) / t.Median
	}
	return t
}

// NewTiming summarizes times in seconds.
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

// Run is one algorithm with one scheme on one graph.
type Run struct {
	Algorithm string `json:"algorithm"`
	Scheduler string `json:"scheduler"`
	// Params are the scheduler's parameters that differ from their defaults.
	Params     map[string]string `json:"parameters,omitempty"`
	Graph      string            `json:"graph"`
	Vertices   int               `json:"vertices"`
	Arcs       int               `json:"arcs"`
	Source     uint32            `json:"source"`
	Verified   bool              `json:"verified"`
	Error      string            `json:"error,omitempty"`
	Iterations int               `json:"iterations"`
	Launches   int               `json:"launches,omitempty"` // of the last run, without those that prepare it; older records lack them
	// Kernels is the time of all launches of one run except those that prepare it. Whole is the algorithm's time, from
	// the first launch until the host has the answer; older records lack it. Wall is the time of the whole run,
	// including the copy of the graph to the device, allocations and all work on the host.
	Kernels Timing `json:"kernels"`
	Whole   Timing `json:"algorithm_time,omitzero"`
	Wall    Timing `json:"wall"`
	// Counters are the counters of all launches of a run under ncu; newer records have ByKernel instead, the counters
	// of each kernel. Both are nil if the run was not profiled. Total reads either.
	Counters map[string]float64 `json:"counters,omitempty"`
	ByKernel []KernelCounters   `json:"by_kernel,omitempty"`

	sourceless bool // the algorithm has no source
}

// Graph is a graph of the record, as its runs name it, with the facts by which --scheduler auto chooses.
type Graph struct {
	Name    string       `json:"graph"`
	Shape   graph.Shape  `json:"shape"`
	Closure *graph.Shape `json:"closure,omitempty"` // of its symmetric closure, if the graph is directed
}

// Kernel is what the driver reports about a kernel.
type Kernel struct {
	Name      string      `json:"name"`
	Registers int         `json:"registers"` // per thread
	Shared    int         `json:"shared"`    // bytes per block
	Local     int         `json:"local"`     // bytes per thread
	MaxBlock  int         `json:"max_block"` // threads
	Occupancy []Occupancy `json:"occupancy"`
}

// Needs is what a scheme's kernel takes of an SM, according to the driver.
type Needs struct {
	Scheduler string         `json:"scheduler"`
	Kernel    string         `json:"kernel"`         // as the compiler accepts it
	Bind      map[string]any `json:"bind,omitempty"` // values of parameters that are bound at compile time
	Registers int            `json:"registers"`      // per thread
	Shared    int            `json:"shared"`         // bytes per block
	Local     int            `json:"local"`          // bytes per thread
	MaxBlock  int            `json:"max_block"`      // threads
}

// Occupancy is the number of resident blocks according to the driver.
type Occupancy struct {
	Block   int `json:"block"`   // threads
	Dynamic int `json:"dynamic"` // bytes of dynamic shared memory per block
	Blocks  int `json:"blocks"`  // per SM
}

// Micro is one row of the table of micro-kernels.
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

// ByHand compares one of our kernels with the same kernel written in CUDA C.
type ByHand struct {
	Kernel          string  `json:"kernel"`
	Graph           string  `json:"graph"`
	Ours            Timing  `json:"ours"`
	Theirs          Timing  `json:"theirs"`
	OursRegisters   int     `json:"ours_registers"`
	TheirsRegisters int     `json:"theirs_registers"`
	Ratio           float64 `json:"ratio"` // ratio of the medians, ours to theirs
}

// Litmus are the outcomes of the litmus tests.
type Litmus struct {
	Date      string                    `json:"date"` // RFC 3339
	Command   string                    `json:"command"`
	Seeds     int                       `json:"seeds"`     // launches per test
	Instances int                       `json:"instances"` // maximum per launch
	Outcomes  map[string]map[string]int `json:"outcomes"`  // by test: how often each outcome occurred
}

// Hardware is the complete record of one GPU.
type Hardware struct {
	Meta    Meta
	Runs    []Run
	Graphs  []Graph // those of Runs; older records lack them
	Kernels []Kernel
	Needs   []Needs // of the kernels of each scheme; older records lack them
	Micro   []Micro
	ByHand  []ByHand
	// MicroCounters are the counters of some of the micro-kernels.
	MicroCounters MicroCounters
	Litmus        Litmus
	// Host are the host's costs of launches, answers and copies.
	Host []Micro
}

// ErrNoRecord means that a GPU has no record.
var ErrNoRecord = errors.New("no record")

// GPUs returns the names of the GPUs that have a record.
func GPUs() []string {
	entries, err := recorded.ReadDir("hw")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if _, err := fs.Stat(recorded, path.Join("hw", e.Name(), "meta.json")); err == nil { // the others are records of several GPUs
			names = append(names, e.Name())
		}
	}
	return names
}

// loaded are the records read so far: each simulated machine loads one.
var loaded sync.Map // of *Hardware, by the GPU's name

// Load returns the embedded record of a GPU ("h200"). It is read once, and must not be modified.
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

// LoadFS reads a record from a folder. The folder must contain meta.json; the other files are optional, and their
// parts stay empty if they are missing. Kernels are renamed to their current names; see KernelName.
func LoadFS(name string, dir fs.FS) (*Hardware, error) {
	h := &Hardware{}
	for _, part := range []struct {
		file string
		into any
	}{{"meta.json", &h.Meta}, {"runs.json", &h.Runs}, {"graphs.json", &h.Graphs}, {"kernels.json", &h.Kernels}, {"registers.json", &h.Needs}, {"micro.json", &h.Micro}, {"byhand.json", &h.ByHand}, {"micro-counters.json", &h.MicroCounters}, {"litmus.json", &h.Litmus}, {"host.json", &h.Host}} {
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

// Find returns the run of an algorithm with a scheme with its default parameters, on a graph of the given size and from
// the given source; nil if there is none.
func (h *Hardware) Find(algorithm, scheduler string, vertices, arcs int, source uint32) *Run {
	return h.FindWith(algorithm, scheduler, nil, vertices, arcs, source)
}

// FindWith is Find for a scheme of which some parameters differ from their defaults.
func (h *Hardware) FindWith(algorithm, scheduler string, params map[string]string, vertices, arcs int, source uint32) *Run {
	for i := range h.Runs {
		r := &h.Runs[i]
		if r.Algorithm == algorithm && r.Scheduler == scheduler && maps.Equal(r.Params, params) && r.Vertices == vertices && r.Arcs == arcs && r.Source == source {
			return r
		}
	}
	return nil
}
