//go:build !kernel

package scheduler

import (
	"context"
	"errors"

	"github.com/weft-gpu/weft/device"
)

// Loop is the common part of host loops: the memory of a run, its launches and their
// record. A host loop calls Begin, places the graph and its other data in Memory, launches
// kernels, and always ends with Finish.
type Loop struct {
	Job
	Memory *Memory
	// Instance and Values are the algorithm on the device and the values of the vertices.
	// Place sets Instance.
	Instance *Instance
	Values   device.Buffer

	resident map[residency]int
	outcome  *Outcome
}

// residency is a kernel with a number of threads per block.
type residency struct {
	kernel *device.Kernel
	block  int
}

// Begin checks the job and returns its loop.
func Begin(j Job) (*Loop, error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	return &Loop{Job: j, Memory: NewMemory(j.Device), resident: map[residency]int{}, outcome: &Outcome{}}, nil
}

// Vertices returns the number of vertices of the graph.
func (l *Loop) Vertices() int { return l.Graph.Vertices() }

// AllocValues allocates one value per vertex.
func (l *Loop) AllocValues() device.Buffer {
	kind, _ := device.KindOfType(l.Algorithm.Value)
	return l.Memory.Alloc("values", kind, l.Vertices())
}

// Place creates the algorithm's instance on the device.
func (l *Loop) Place() (err error) {
	l.Instance, err = l.Algorithm.New(l.Memory, l.Vertices(), l.AlgorithmParams)
	return err
}

// Grid returns the number of blocks to launch: enough teams for work vertices, but no more
// blocks than the device holds at the same time, since kernels stride over the rest.
func (l *Loop) Grid(k *device.Kernel, block int, team Team, work int) (int, error) {
	limit, err := l.Resident(k, block)
	if err != nil {
		return 0, err
	}
	perBlock := max(block/max(int(team), 1), 1) // teams
	return min(max((work+perBlock-1)/perBlock, 1), limit), nil
}

// Resident returns the number of blocks of a kernel that the device holds at the same time,
// at least 1: the grid of a persistent kernel.
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

// Launch runs a kernel to its end. If ctx is done before the launch, there is no report.
func (l *Loop) Launch(ctx context.Context, d device.Launch) (*device.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	device.HostStep(l.Device)
	return l.Device.Launch(ctx, d)
}

// LaunchAll runs launches to their end. Launches of different streams run concurrently if
// the device supports that, and one after another otherwise, so the streams of a scheme
// must not wait for each other. There is one report for each launch that began.
func (l *Loop) LaunchAll(ctx context.Context, ls []device.Launch) ([]*device.Report, error) {
	if l.Device.Capabilities().Has(device.Streams) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		device.HostStep(l.Device)
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

// LaunchRead is Launch followed by a read of a few words on which the next step depends.
func (l *Loop) LaunchRead(ctx context.Context, d device.Launch, a device.Answer) (*device.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	device.HostStep(l.Device)
	return device.LaunchRead(ctx, l.Device, d, a)
}

// LaunchAllRead is LaunchAll followed by a read of a few words on which the next step depends. Where launches run one after
// another, the read is the answer of the last one: a read of its own is a further request of the host.
func (l *Loop) LaunchAllRead(ctx context.Context, ls []device.Launch, a device.Answer) ([]*device.Report, error) {
	if len(ls) == 0 || len(ls) > 1 && l.Device.Capabilities().Has(device.Streams) {
		reports, err := l.LaunchAll(ctx, ls)
		if err == nil {
			err = l.Device.Read(a.Buffer, a.To)
		}
		return reports, err
	}
	last := len(ls) - 1
	reports, err := l.LaunchAll(ctx, ls[:last])
	if err != nil {
		return reports, err
	}
	rep, err := l.LaunchRead(ctx, ls[last], a)
	if rep != nil {
		reports = append(reports, rep)
	}
	return reports, err
}

// LaunchChain is LaunchRead of a kernel that may start further ones.
func (l *Loop) LaunchChain(ctx context.Context, c device.Chain) ([]device.Started, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	device.HostStep(l.Device)
	return device.LaunchChain(ctx, l.Device, c)
}

// Record adds a step to the outcome and calls Progress. The kernel and the times come from
// the launch and its report. If rep is nil, the launch did not begin and Record does
// nothing.
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

// Finish reads the results and frees the device memory. err is the error that ended the
// loop, or nil. After an error the outcome has the steps so far and no values.
func (l *Loop) Finish(err error) (*Outcome, error) {
	return l.FinishAs(err, func(out *Outcome) (err error) {
		if l.Instance == nil || l.Values.Len < l.Vertices() {
			return errors.New("the host loop ended without the values of the vertices; it needs Values, from AllocValues, and Place")
		}
		if out.Values, err = l.Memory.ReadSlice(l.Values, l.Algorithm.Value, l.Vertices()); err == nil {
			out.Arrays, err = l.Instance.Arrays(l.Memory)
		}
		return err
	})
}

// FinishAs is Finish for a loop whose results are elsewhere: result reads them, and is not
// called after an error.
func (l *Loop) FinishAs(err error, result func(out *Outcome) error) (*Outcome, error) {
	l.outcome.Solved, l.outcome.HostWork, l.outcome.DeviceBytes = device.Known(l.Device), device.HostWorkOf(l.Device), l.Memory.Bytes()
	if err == nil {
		err = result(l.outcome)
	}
	return l.outcome, errors.Join(err, l.Memory.Free())
}

// Unfinished is the error, a *NotConverged, of a run that would exceed its limit of iterations with the iteration next. stamps
// has a u32 for each vertex, which is next if the vertex is active then: a count of updates would count a vertex several times.
func (l *Loop) Unfinished(stamps device.Buffer, next, limit int) error {
	list := make([]uint32, l.Vertices())
	if err := l.Device.Read(stamps, list); err != nil {
		return err
	}
	active := 0
	for _, s := range list {
		if s == uint32(next) {
			active++
		}
	}
	return &NotConverged{Algorithm: l.Algorithm.Name, Iterations: limit, Active: active}
}
