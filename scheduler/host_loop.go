//go:build !kernel

package scheduler

import (
	"context"
	"errors"

	"github.com/weft-gpu/weft/device"
)

// Loop is what host loops have in common: the memory of a run, its launches and
// their record. A loop begins with Begin, then places the graph and what else
// it needs in Memory, launches, and ends with Finish, whatever happened.
type Loop struct {
	Job
	Memory *Memory
	// Instance and Values are the algorithm on the device and the values of the
	// vertices, once Place was called.
	Instance *Instance
	Values   device.Buffer

	resident map[residency]int
	outcome  *Outcome
}

// residency is a kernel with a number of threads a block.
type residency struct {
	kernel *device.Kernel
	block  int
}

// Begin checks the job.
func Begin(j Job) (*Loop, error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	return &Loop{Job: j, Memory: NewMemory(j.Device), resident: map[residency]int{}, outcome: &Outcome{}}, nil
}

// Vertices is how many the graph has.
func (l *Loop) Vertices() int { return l.Graph.Vertices() }

// AllocValues reserves a value for each vertex.
func (l *Loop) AllocValues() device.Buffer {
	kind, _ := device.KindOfType(l.Algorithm.Value)
	return l.Memory.Alloc("values", kind, l.Vertices())
}

// Place makes the algorithm's instance.
func (l *Loop) Place() (err error) {
	l.Instance, err = l.Algorithm.New(l.Memory, l.Vertices(), l.AlgorithmParams)
	return err
}

// Grid is a block for each team's share of work vertices, but no more blocks
// than the device holds at once: kernels stride over the rest.
func (l *Loop) Grid(k *device.Kernel, block int, team Team, work int) (int, error) {
	limit, err := l.Resident(k, block)
	if err != nil {
		return 0, err
	}
	perBlock := block
	switch team {
	case OneWarp:
		perBlock = block / 32
	case OneBlock:
		perBlock = 1
	}
	return min(max((work+perBlock-1)/perBlock, 1), limit), nil
}

// Resident is how many blocks of a kernel the device holds at once, at least 1:
// the grid of a persistent kernel.
func (l *Loop) Resident(k *device.Kernel, block int) (int, error) {
	key := residency{k, block}
	limit, ok := l.resident[key]
	if !ok {
		occ, err := l.Device.Occupancy(k, block)
		if err != nil {
			return 0, err
		}
		limit = max(occ.BlocksPerSM*occ.SMs, 1)
		l.resident[key] = limit
	}
	return limit, nil
}

// Launch runs a kernel to its end. It is not begun where ctx has ended, and
// then there is no report.
func (l *Loop) Launch(ctx context.Context, d device.Launch) (*device.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.Device.Launch(ctx, d)
}

// LaunchAll runs launches to their end, those of different streams at a time
// where the device can do that, and else one after the other: the streams of a
// scheme must not wait for each other. Reports are as many as launches began.
func (l *Loop) LaunchAll(ctx context.Context, ls []device.Launch) ([]*device.Report, error) {
	if l.Device.Capabilities().Has(device.Streams) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return device.LaunchAll(ctx, l.Device, ls)
	}
	var reports []*device.Report
	for _, d := range ls {
		rep, err := l.Launch(ctx, d)
		if rep != nil {
			reports = append(reports, rep)
		}
		if err != nil {
			return reports, err
		}
	}
	return reports, nil
}

// LaunchRead is Launch with the read of a few words that decide how to go on.
func (l *Loop) LaunchRead(ctx context.Context, d device.Launch, a device.Answer) (*device.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return device.LaunchRead(ctx, l.Device, d, a)
}

// Record notes a step and tells Progress: kernel and times come from the launch
// and its report. A report of nil is a launch that was not even begun.
func (l *Loop) Record(k *device.Kernel, rep *device.Report, s Step) {
	if rep == nil {
		return
	}
	s.Kernel, s.Cycles, s.Seconds = k.Name, rep.Cycles, rep.Seconds
	l.outcome.Steps = append(l.outcome.Steps, s)
	l.outcome.Iterations = max(l.outcome.Iterations, s.Iteration)
	if l.Progress != nil {
		l.Progress(s)
	}
}

// Finish reads the results and frees the device's memory; err is how the loop
// ended. After an error the outcome holds the steps so far and no values.
func (l *Loop) Finish(err error) (*Outcome, error) {
	if err == nil {
		l.outcome.Values, err = l.Memory.ReadSlice(l.Values, l.Algorithm.Value, l.Vertices())
	}
	if err == nil {
		l.outcome.Arrays, err = l.Instance.Arrays(l.Memory)
	}
	return l.outcome, errors.Join(err, l.Memory.Free())
}
