//go:build !kernel

package micro

import (
	"context"
	"fmt"
	"sort"

	"github.com/weft-gpu/weft/device"
)

// Row is one row of the table: a measurement with its parameters.
type Row struct {
	Group string // "latency", "shared", "atomic", ...
	Name  string // "chase through L2, 16 MiB"
	Unit  string // "cycle", "Gop/s", "GB/s", "us"
	// Heavy rows take long on a simulator and are skipped there by default.
	Heavy bool
	run   func(r *Runner) (float64, error)
}

// Value is the result of a row. If Runs is 0, Error says why.
type Value struct {
	Group  string  `json:"group"`
	Name   string  `json:"name"`
	Unit   string  `json:"unit"`
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Runs   int     `json:"runs"`
	Error  string  `json:"error,omitempty"`
	Err    error   `json:"-"` // the same error, for callers that examine it
}

// Runner measures rows on a device.
type Runner struct {
	Device  device.Device
	Kernels device.Kernels
	// Repeats is the number of measurements of each row, after one warm-up run. 0 means one
	// measurement without warm-up, which is enough if runs do not differ.
	Repeats int
	// Progress, if set, is called before each row.
	Progress func(done, rows int, row Row)

	ctx     context.Context
	group   device.Group // that GPU 0 belongs to, for rows of a group
	buffers []placed
	begun   bool // the current row has launched a kernel
}

// placed is a buffer with its GPU.
type placed struct {
	device.Buffer
	gpu device.Device
}

// Run measures the rows in order. If a row fails, its Value has the Error; the returned
// error is that of ctx.
func (r *Runner) Run(ctx context.Context, rows []Row) ([]Value, error) {
	r.ctx = ctx
	var out []Value
	for i, row := range rows {
		if r.Progress != nil {
			r.Progress(i, len(rows), row)
		}
		out = append(out, r.measure(row))
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
	}
	return out, nil
}

func (r *Runner) measure(row Row) Value {
	v := Value{Group: row.Group, Name: row.Name, Unit: row.Unit}
	r.begun = false
	var xs []float64
	for i := range max(r.Repeats+1, 1) {
		x, err := row.run(r)
		if ferr := r.free(); err == nil {
			err = ferr
		}
		if err != nil {
			v.Error, v.Err = err.Error(), err
			return v
		}
		if i > 0 || r.Repeats == 0 {
			xs = append(xs, x)
		}
	}
	sort.Float64s(xs)
	v.Runs, v.Min, v.Max, v.Median = len(xs), xs[0], xs[len(xs)-1], xs[len(xs)/2]
	return v
}

// alloc allocates n elements and initializes them by fill; if fill is nil they are zero.
func alloc[T any](r *Runner, name string, kind device.Kind, n int, fill func(i int) T) (device.Buffer, error) {
	return allocOn(r, r.Device, name, kind, n, fill)
}

// allocOn is alloc on another GPU of a group.
func allocOn[T any](r *Runner, gpu device.Device, name string, kind device.Kind, n int, fill func(i int) T) (device.Buffer, error) {
	b, err := gpu.Alloc(name, kind, n)
	if err != nil {
		return b, err
	}
	r.buffers = append(r.buffers, placed{b, gpu})
	host := make([]T, n)
	if fill != nil {
		for i := range host {
			host[i] = fill(i)
		}
	}
	return b, gpu.Write(b, host)
}

func (r *Runner) free() error {
	var first error
	for _, b := range r.buffers {
		if err := b.gpu.Free(b.Buffer); err != nil && first == nil {
			first = err
		}
	}
	r.buffers = r.buffers[:0]
	return first
}

// words allocates n zero words.
func (r *Runner) words(name string, n int) (device.Buffer, error) {
	return alloc[uint32](r, name, device.U32, n, nil)
}

// launch launches a kernel of this package. The first launch of a row is a fresh one, so
// that a simulated result does not depend on earlier rows.
func (r *Runner) launch(l device.Launch, kernel string, bind map[string]any) (*device.Report, error) {
	k, err := r.Kernels.Kernel(r.ctx, "internal/kernels/micro."+kernel, bind)
	if err != nil {
		return nil, err
	}
	l.Kernel = k
	l.Fresh, r.begun = !r.begun, true
	return r.Device.Launch(r.ctx, l)
}

// clocked launches a kernel that stores its cycles to its argument cycles, and returns
// cycles per step. args makes the arguments from the buffer for the cycles.
func (r *Runner) clocked(kernel string, grid, block, steps int, cooperative bool, args func(cycles device.Buffer) []any) (float64, error) {
	return r.clockedLaunch(device.Launch{Grid: grid, Block: block, Cooperative: cooperative}, kernel, nil, steps, args)
}

// clockedAs is clocked for a kernel with parameters that are bound at compile time.
func (r *Runner) clockedAs(kernel string, bind map[string]any, grid, block, steps int, args func(cycles device.Buffer) []any) (float64, error) {
	return r.clockedLaunch(device.Launch{Grid: grid, Block: block}, kernel, bind, steps, args)
}

func (r *Runner) clockedLaunch(l device.Launch, kernel string, bind map[string]any, steps int, args func(cycles device.Buffer) []any) (float64, error) {
	cycles, err := alloc[uint64](r, "cycles", device.U64, 1, nil)
	if err != nil {
		return 0, err
	}
	l.Args = args(cycles)
	if _, err := r.launch(l, kernel, bind); err != nil {
		return 0, err
	}
	var c [1]uint64
	if err := r.Device.Read(cycles, c[:]); err != nil {
		return 0, err
	}
	return float64(c[0]) / float64(steps), nil
}

// alone returns the seconds of a launch on an idle device after earlier launches.
func (r *Runner) alone(kernel string, grid, block int, args ...any) (float64, error) {
	n := aloneRepeats
	if r.Repeats == 0 {
		n = 2 // the first one warms up
	}
	var times []float64
	for range n {
		rep, err := r.launch(device.Launch{Grid: grid, Block: block, Args: args}, kernel, nil)
		if err != nil {
			return 0, err
		}
		if rep.Seconds == 0 {
			return 0, r.noClock()
		}
		times = append(times, rep.Seconds)
	}
	if r.Repeats == 0 {
		return times[1], nil
	}
	sort.Float64s(times)
	return times[len(times)/2], nil
}

func (r *Runner) noClock() error { return fmt.Errorf("device %s has no clock", r.Device.Name()) }

// aloneRepeats is the number of separate launches of which a row takes the median.
const aloneRepeats = 9

// timer is a device that can time launches back to back, so that the cost of reading the
// time does not count.
type timer interface {
	Time(ctx context.Context, l device.Launch, repeat int) (*device.Report, error)
}

// timedRepeats is the number of launches that a timer times together.
const timedRepeats = 20

// timed launches a kernel once to warm up, and returns the seconds of a launch that follows
// another one, with warm caches and code.
func (r *Runner) timed(kernel string, bind map[string]any, grid, block int, args ...any) (float64, error) {
	l := device.Launch{Grid: grid, Block: block, Args: args}
	if _, err := r.launch(l, kernel, bind); err != nil {
		return 0, err
	}
	var rep *device.Report
	var err error
	n := 1
	if d, ok := r.Device.(timer); ok {
		k, kerr := r.Kernels.Kernel(r.ctx, "internal/kernels/micro."+kernel, bind)
		if kerr != nil {
			return 0, kerr
		}
		if l.Kernel = k; r.Repeats > 0 {
			n = timedRepeats
		}
		rep, err = d.Time(r.ctx, l, n)
	} else {
		rep, err = r.launch(l, kernel, bind)
	}
	if err != nil {
		return 0, err
	}
	if rep.Seconds == 0 {
		return 0, r.noClock()
	}
	return rep.Seconds / float64(n), nil
}
