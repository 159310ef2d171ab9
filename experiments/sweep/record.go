package sweep

import (
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/bound"
	"github.com/weft-gpu/weft/internal/run"
	"github.com/weft-gpu/weft/results/store"
)

// record returns the row for a run of a task. r is nil if nothing was run.
func (t *Task) record(r *run.Result, err error, wall time.Duration) (*store.Run, error) {
	s := t.settings
	row := &store.Run{
		Point: t.Key.Point, Repeat: t.Repeat, Status: store.OK, Algorithm: s.algorithm, Scheduler: s.scheduler,
		Graph: s.graph.Spec, GraphHash: t.graph, Device: t.device.Name, Machine: t.machine, Seed: s.options.Seed, KernelHash: t.kernels,
		Version: Version(), Date: time.Now(), Command: s.command(), Wall: wall.Seconds(), Settings: t.Point.Map(),
	}
	if host, err := os.Hostname(); err == nil {
		row.Host = host
	}
	if err != nil {
		row.Status, row.Error = statusOf(err), err.Error()
	}
	if r == nil {
		return row, nil
	}
	row.Kernel, row.Vertices, row.Arcs = r.Kernel, int(r.Graph.Vertices), int(r.Graph.Arcs)
	if wrong := r.Err(); err == nil && wrong != nil {
		row.Status, row.Error = store.Wrong, wrong.Error()
	}
	row.Metrics = metrics(r)
	r.Command = row.Command
	text, jsonErr := json.Marshal(r)
	if jsonErr != nil {
		return nil, jsonErr
	}
	row.Attachments = map[string][]byte{"result": text}
	if r.Error != nil && r.Error.Details != nil {
		details, jsonErr := json.Marshal(r.Error.Details)
		if jsonErr != nil {
			return nil, jsonErr
		}
		row.Attachments[r.Error.Kind] = details
	}
	return row, nil
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

// metrics returns the numbers that a run measured.
func metrics(r *run.Result) []store.Metric {
	var list []store.Metric
	add := func(name, unit, meaning string, value float64, has bool) {
		if has {
			list = append(list, store.Metric{Name: name, Unit: unit, Meaning: meaning, Value: value})
		}
	}
	clock := r.SimulatedSeconds > 0
	add("cycles", "cycle", "SM cycles of all launches", float64(r.Cycles), r.Cycles > 0)
	add("seconds", "s", "device time: launches, copies and waiting", r.SimulatedSeconds, clock)
	add("kernel_seconds", "s", "time of the launches that do the algorithm's work", r.KernelSeconds, clock)
	add("algorithm_seconds", "s", "time from the first launch until the host has the answer", r.AlgorithmSeconds, clock)
	add("solve_seconds", "s", "time from the first launch until the answer is complete in device memory", r.SolveSeconds, clock)
	add("iterations", "iteration", "times that all active vertices were processed", float64(r.Iterations), r.Iterations > 0)
	add("launches", "launch", "kernel launches", float64(r.Launches), true)
	add("launch_wall_seconds", "s", "time of this machine inside launches", r.LaunchWallSeconds, true)
	if clock && r.KernelSeconds > 0 {
		add("arcs_per_second", "1/s", "arcs of the graph divided by kernel_seconds", float64(r.Graph.Arcs)/r.KernelSeconds, true)
	}
	for _, k := range r.Kernels {
		add("registers_per_thread", "register", "of the kernel that does the work", float64(k.Registers), k.Name == r.Kernel && k.Registers > 0)
		add("blocks_per_sm", "block", "of the kernel that does the work, at the same time", float64(blocks(k.Occupancy)), k.Name == r.Kernel && k.Occupancy != nil)
	}
	for _, c := range r.All {
		add(c.Name, c.Unit, c.Desc, c.Value, true)
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
