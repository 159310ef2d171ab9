package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/measure/series"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/service/bound"
	"github.com/weft-gpu/weft/internal/service/cpu"
	"github.com/weft-gpu/weft/internal/service/launch"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/profile"
)

// outcome is the result of a task: of an algorithm, of a kernel, or neither if nothing was run.
type outcome struct {
	run    *run.Result
	launch *launch.Result
	graph  string         // hash of the graph's arcs and weights; "" if it was not loaded
	origin []byte         // Origin as JSON; nil unless the run was on a real GPU
	trace  *profile.Trace // nil unless the setting trace asks for it
}

// record returns the row for a run of a task.
func (t *Task) record(o outcome, err error, wall time.Duration) (*store.Run, error) {
	s := t.settings
	row := &store.Run{
		Point: t.Key.Point, Repeat: t.Repeat, Status: store.OK, Algorithm: s.algorithm, Scheduler: s.scheduler,
		Graph: t.graphName(), GraphHash: o.graph, Device: t.device.Name, Machine: t.machine, Seed: s.options.Seed, KernelHash: t.kernels,
		Version: Version(), Date: time.Now(), Command: s.command(false), Wall: wall.Seconds(), Spellings: t.spellings(),
	}
	row.Settings, row.Defaults = t.values(o.run)
	if s.kernel != nil {
		row.Scheduler, row.Graph, row.Kernel = "", "", s.kernel.name
	}
	if host, err := os.Hostname(); err == nil {
		row.Host = host
	}
	if err != nil {
		row.Status, row.Error = statusOf(err), err.Error()
	}
	var result any
	var failure *run.Failure
	switch {
	case o.launch != nil:
		r := o.launch
		if wrong := r.Err(); err == nil && wrong != nil {
			row.Status, row.Error = store.Wrong, wrongBuffers(r, wrong)
		}
		row.Metrics, r.Command = launchMetrics(r), row.Command
		result, failure = r, r.Error
	case o.run != nil:
		r := o.run
		if wrong := r.Err(); err == nil && wrong != nil {
			row.Status, row.Error = store.Wrong, wrong.Error()
		}
		row.Kernel, row.Vertices, row.Arcs = r.Kernel, int(r.Graph.Vertices), int(r.Graph.Arcs)
		row.Metrics, r.Command = metrics(r), row.Command
		result, failure = r, r.Error
	default:
		return row, nil
	}
	text, jsonErr := json.Marshal(result)
	if jsonErr != nil {
		return nil, jsonErr
	}
	row.Attachments = map[string][]byte{"result": text}
	trace, traceErr := t.traceText(o.trace, row.Command)
	if traceErr != nil {
		return nil, traceErr
	}
	if o.origin != nil {
		row.Attachments[OriginAttachment] = o.origin
	}
	if trace != nil {
		row.Attachments[series.Attachment] = trace
	}
	if failure != nil && failure.Details != nil {
		details, jsonErr := json.Marshal(failure.Details)
		if jsonErr != nil {
			return nil, jsonErr
		}
		row.Attachments[failure.Kind] = details
	}
	return row, nil
}

// wrongBuffers says where the buffers of a launch differ from those of another device.
func wrongBuffers(r *launch.Result, wrong error) string {
	d := r.Comparison.Differences[0]
	return fmt.Sprintf("%v; the first is %s: %s, and %s on %s", wrong, d.Where, d.Texts[0], d.Texts[1], r.Comparison.Device)
}

// statusOf returns what became of a run that ended with an error.
func statusOf(err error) store.Status {
	var hang *device.HangError
	var undecided *device.UndecidedError
	switch {
	case errors.As(err, &hang):
		return store.Hang
	case errors.As(err, &undecided), errors.Is(err, errTimeout):
		return store.Undecided
	}
	return store.Failed
}

// metrics returns the numbers that a run of an algorithm measured.
func metrics(r *run.Result) []store.Metric {
	list := workMetrics(&r.Work, r.Kernel)
	list = append(list, store.Metric{Name: "launches", Unit: "launch", Meaning: "kernel launches", Value: float64(r.Launches)})
	if r.DeviceBytes > 0 {
		list = append(list, store.Metric{Name: "device_memory", Unit: "byte", Meaning: "buffers in device memory", Value: float64(r.DeviceBytes)})
	}
	list = append(list, verified(r.Verified != nil && *r.Verified))
	if r.Iterations > 0 {
		list = append(list, store.Metric{Name: "iterations", Unit: "iteration", Meaning: "times that all active vertices were processed", Value: float64(r.Iterations)})
	}
	if r.KernelSeconds > 0 {
		list = append(list, store.Metric{Name: "arcs_per_second", Unit: "1/s", Meaning: "arcs of the graph divided by kernel_seconds", Value: float64(r.Graph.Arcs) / r.KernelSeconds})
	}
	if w := r.HostWork; w != (device.HostWork{}) {
		list = append(list, store.Metric{Name: "host_steps", Unit: "step", Meaning: "steps of the host loop in solve_seconds, on a simulated host", Value: float64(w.Steps)},
			store.Metric{Name: "host_waits", Unit: "wait", Meaning: "times that a simulated host waited for kernels to end", Value: float64(w.Waits)},
			store.Metric{Name: "host_answers", Unit: "answer", Meaning: "answers of launches to a simulated host", Value: float64(w.Answers)},
			store.Metric{Name: "host_first_launches", Unit: "launch", Meaning: "launches that were the first of their kernel", Value: float64(w.First)},
			store.Metric{Name: "host_cold", Unit: "launch", Meaning: "launches that were the first of all, by the share of the host's caches that the data had taken", Value: w.Cold},
			store.Metric{Name: "host_copies", Unit: "copy", Meaning: "copies by a simulated host in solve_seconds", Value: float64(w.Copies)},
			store.Metric{Name: "host_copied_bytes", Unit: "byte", Meaning: "bytes of these copies", Value: float64(w.Bytes)})
	}
	if c := r.CPU; c != nil {
		list = append(list, store.Metric{Name: "cpu_sequential_seconds", Unit: "s", Meaning: "wall time of the best sequential code on the processor of this machine, the median of several runs", Value: c.Sequential.Seconds},
			store.Metric{Name: "cpu_sequential_code", Meaning: "which code that is", Text: c.Sequential.Code},
			store.Metric{Name: "cpu_cores", Unit: "core", Meaning: "cores of this machine that the program may use", Value: float64(c.Cores)})
		if c.Processor != "" {
			list = append(list, store.Metric{Name: "cpu_name", Meaning: "the processor of this machine", Text: c.Processor})
		}
		if c.Parallel != nil {
			list = append(list, store.Metric{Name: "cpu_parallel_seconds", Unit: "s", Meaning: "wall time of the code for all cores of this machine, the median of several runs", Value: c.Parallel.Seconds},
				store.Metric{Name: "cpu_parallel_code", Meaning: "which code that is", Text: c.Parallel.Code})
		}
	}
	if r.Group != nil {
		for _, m := range r.Group.Measures {
			list = append(list, store.Metric{Name: m.Name, Unit: m.Unit, Meaning: m.What, Value: m.Value})
		}
	}
	return list
}

// verified returns the metric that says whether status ok also means a right answer.
func verified(right bool) store.Metric {
	m := store.Metric{Name: "verified", Meaning: "1 if the answer was compared with the CPU's, or the buffers with those of another device, and is right, else 0"}
	if right {
		m.Value = 1
	}
	return m
}

// launchWall is the metric of the time that the host spent inside launches.
const launchWall = "launch_wall_seconds"

// workMetrics returns what a device measured; kernel is the one that does the work.
func workMetrics(r *run.Work, kernel string) []store.Metric {
	var list []store.Metric
	add := func(name, unit, meaning string, value float64, has bool) {
		if has {
			list = append(list, store.Metric{Name: name, Unit: unit, Meaning: meaning, Value: value})
		}
	}
	add("cycles", "cycle", "SM cycles of all launches", float64(r.Cycles), r.Cycles > 0)
	add("seconds", "s", "device time: launches, copies and waiting", r.SimulatedSeconds, r.SimulatedSeconds > 0)
	add("kernel_seconds", "s", "time of the launches that do the work", r.KernelSeconds, r.KernelSeconds > 0)
	add("algorithm_seconds", "s", "time from the first launch until the host has the answer", r.AlgorithmSeconds, r.AlgorithmSeconds > 0)
	add("solve_seconds", "s", "time from the first launch until the answer is complete in device memory", r.SolveSeconds, r.SolveSeconds > 0)
	add(launchWall, "s", "time of this machine inside launches", r.LaunchWallSeconds, true)
	for _, k := range r.Kernels {
		if k.Name == kernel || len(r.Kernels) == 1 {
			add("registers_per_thread", "register", "of the kernel that does the work", float64(k.Registers), k.Registers > 0)
			add("blocks_per_sm", "block", "of the kernel that does the work, at the same time", float64(blocks(k.Occupancy)), k.Occupancy != nil)
		}
	}
	for _, c := range r.All {
		add(c.Name, c.Unit, c.Desc, c.Value, true)
	}
	if x := r.Sampled; x != nil {
		add("sample_error", "1", "half of the interval's width of the time of kernels, relative to it, with a confidence of 95%", x.Error, true)
		add("sample_simulated", "1", "part of the warp instructions that was simulated", x.Share(), true)
		list = append(list, store.Metric{Name: "sample_choice", Text: x.Choice, Meaning: "which launches were simulated: points with equal ones left out the same"})
		within := func(name, unit string, half float64) {
			add(name+store.Within, unit, "half of the width of the interval of "+name+", with a confidence of 95%", half, true)
		}
		within("cycles", "cycle", x.Error*float64(r.Cycles))
		for _, m := range list {
			if m.Unit == "s" && m.Name != launchWall { // what the host does is no estimate
				within(m.Name, "s", x.Error*r.KernelSeconds)
			}
		}
		for _, c := range r.All {
			if half := x.Intervals[c.Name]; half > 0 {
				within(c.Name, c.Unit, half)
			}
		}
	}
	for i, w := range r.Contended {
		rank := fmt.Sprintf("contended_%d", i+1)
		list = append(list, store.Metric{Name: rank, Text: w.String(), Meaning: "word of device memory, by buffer and index: 1 is the one for which atomics waited longest"})
		add(rank+"_operations", "operation", "atomic operations of lanes on the word "+rank, float64(w.Operations), true)
		add(rank+"_wait_cycles", "cycle", "cycles for which these operations waited for their atomic unit, summed over them", w.WaitCycles, true)
		add(rank+"_queue", "operation", "longest queue at the word "+rank, float64(w.Queue), true)
	}
	return list
}

// blocks returns the blocks per SM of an occupancy; 0 if there is none.
func blocks(o *bound.Occupancy) int {
	if o == nil {
		return 0
	}
	return o.Blocks
}

// Metrics returns the names of what runs measure besides the counters of devices.
func Metrics() (names []string) {
	full := &run.Result{Kernel: "k", Iterations: 1}
	full.DeviceBytes, full.Cycles, full.SimulatedSeconds, full.KernelSeconds, full.AlgorithmSeconds, full.SolveSeconds = 1, 1, 1, 1, 1, 1
	full.HostWork.Steps = 1
	full.CPU = &cpu.Times{Processor: "x", Parallel: &cpu.Time{}}
	full.Contended = make([]device.ContendedWord, sim.ContendedWords)
	full.Kernels = []bound.Kernel{{Name: "k", Registers: 1, Occupancy: &bound.Occupancy{}}}
	for _, m := range metrics(full) {
		names = append(names, m.Name)
	}
	return append(names, run.MeasureNames()...)
}
