package run

import (
	"context"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/bound"
)

// Timed is a device that measures how long its launches take on this machine, and
// collects what they did by kernel, on all GPUs of a group.
type Timed struct {
	device.Wrapper
	Inside  time.Duration    // launches, so far; with Run, its copies too
	Kernels *bound.Collector // nil: nothing is collected
	all     *Timed           // the group, if this is one of its GPUs
	number  int              // of the GPU
	gpus    map[int]busy     // by number
}

// busy is what a GPU did.
type busy struct {
	launches int
	seconds  float64
}

// NewTimed returns a device that also collects.
func NewTimed(d device.Device) *Timed {
	return &Timed{Wrapper: device.Wrapper{Device: d}, Kernels: &bound.Collector{}, gpus: map[int]busy{}}
}

// took adds the time since start.
func (t *Timed) took(start time.Time) { t.whole().Inside += time.Since(start) }

// whole returns the group that a GPU belongs to, or the device itself.
func (t *Timed) whole() *Timed {
	if t.all != nil {
		return t.all
	}
	return t
}

// collect takes launches on a GPU with their reports to the collector.
func (t *Timed) collect(gpu int, r *device.Report, l device.Launch) {
	all := t.whole()
	if r != nil {
		b := all.gpus[gpu]
		all.gpus[gpu] = busy{b.launches + r.Launches, b.seconds + r.Seconds}
	}
	if all.Kernels != nil {
		all.Kernels.Add(l, r)
	}
}

// Launch runs the device's Launch and measures its time.
func (t *Timed) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	start := time.Now()
	r, err := t.Device.Launch(ctx, l)
	t.took(start)
	t.collect(t.number, r, l)
	return r, err
}

// LaunchAll runs the device's LaunchAll, if it has streams, and measures its
// time.
func (t *Timed) LaunchAll(ctx context.Context, ls []device.Launch) ([]*device.Report, error) {
	start := time.Now()
	all, err := device.LaunchAll(ctx, t.Device, ls)
	t.took(start)
	for i, r := range all {
		t.collect(t.number, r, ls[i])
	}
	return all, err
}

// LaunchRead runs the device's LaunchRead and measures its time.
func (t *Timed) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	start := time.Now()
	r, err := device.LaunchRead(ctx, t.Device, l, a)
	t.took(start)
	t.collect(t.number, r, l)
	return r, err
}

// LaunchChain runs the device's LaunchChain and measures its time.
func (t *Timed) LaunchChain(ctx context.Context, c device.Chain) ([]device.Started, error) {
	start := time.Now()
	all, err := device.LaunchChain(ctx, t.Device, c)
	t.took(start)
	for _, s := range all {
		t.collect(t.number, s.Report, s.Launch)
	}
	return all, err
}

// GPU returns a GPU of a group, whose launches count for the group.
func (t *Timed) GPU(i int) device.Device {
	return &Timed{Wrapper: device.Wrapper{Device: t.Wrapper.GPU(i)}, all: t.whole(), number: i}
}

// Run runs the commands on the group and measures their time.
func (t *Timed) Run(ctx context.Context, cmds []device.Command) ([]device.Timing, error) {
	start := time.Now()
	times, err := t.Wrapper.Run(ctx, cmds)
	t.took(start)
	for i := range times {
		if l := cmds[i].Launch; l != nil {
			t.collect(cmds[i].GPU, times[i].Report, *l)
		}
	}
	return times, err
}
