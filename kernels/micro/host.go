//go:build !kernel

package micro

import (
	"context"
	"fmt"
	"sort"

	"github.com/weft-gpu/weft/device"
)

// Row is one line of the table: what is measured, with which parameter.
type Row struct {
	Group string // "latency", "shared", "atomic", ...
	Name  string // "chase through L2, 16 MiB"
	Unit  string // "cycle", "Gop/s", "GB/s", "us"
	// Heavy rows take long on a simulator and are left out there unless asked for.
	Heavy bool
	run   func(r *Runner) (float64, error)
}

// Value is a measured row.
type Value struct {
	Group  string  `json:"group"`
	Name   string  `json:"name"`
	Unit   string  `json:"unit"`
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Runs   int     `json:"runs"`
	Error  string  `json:"error,omitempty"`
	Err    error   `json:"-"` // the same, for who wants to know of which kind it is
}

// Runner measures rows on a device.
type Runner struct {
	Device  device.Device
	Kernels device.Kernels
	// Repeats is how often each row is measured, after one run to warm up; 0 is 1
	// without warm-up, which is enough where runs do not differ.
	Repeats int
	// Progress, where set, is called before each row.
	Progress func(done, rows int, row Row)

	ctx     context.Context
	buffers []device.Buffer
	begun   bool // the row has launched something
}

// Run measures rows in order. A row that fails says so in its Error; the error
// returned is that of ctx.
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

// alloc reserves n words (or elements of another kind) filled by fill.
func alloc[T any](r *Runner, name string, kind device.Kind, n int, fill func(i int) T) (device.Buffer, error) {
	b, err := r.Device.Alloc(name, kind, n)
	if err != nil {
		return b, err
	}
	r.buffers = append(r.buffers, b)
	host := make([]T, n)
	if fill != nil {
		for i := range host {
			host[i] = fill(i)
		}
	}
	return b, r.Device.Write(b, host)
}

func (r *Runner) free() error {
	var first error
	for _, b := range r.buffers {
		if err := r.Device.Free(b); err != nil && first == nil {
			first = err
		}
	}
	r.buffers = r.buffers[:0]
	return first
}

// words is a buffer of n zeros.
func (r *Runner) words(name string, n int) (device.Buffer, error) {
	return alloc[uint32](r, name, device.U32, n, nil)
}

// launch runs a kernel of this package. The first launch of a row is a fresh one,
// so that what a simulated device measures does not depend on the rows before.
func (r *Runner) launch(l device.Launch, kernel string, bind map[string]any) (*device.Report, error) {
	k, err := r.Kernels.Kernel(r.ctx, "kernels/micro."+kernel, bind)
	if err != nil {
		return nil, err
	}
	l.Kernel = k
	l.Fresh, r.begun = !r.begun, true
	return r.Device.Launch(r.ctx, l)
}

// clocked runs a kernel that stores its cycles in its argument cycles, and
// returns them by the number of steps. args makes the arguments from cycles.
func (r *Runner) clocked(kernel string, grid, block, steps int, cooperative bool, args func(cycles device.Buffer) []any) (float64, error) {
	cycles, err := alloc[uint64](r, "cycles", device.U64, 1, nil)
	if err != nil {
		return 0, err
	}
	if _, err := r.launch(device.Launch{Grid: grid, Block: block, Args: args(cycles), Cooperative: cooperative}, kernel, nil); err != nil {
		return 0, err
	}
	var c [1]uint64
	if err := r.Device.Read(cycles, c[:]); err != nil {
		return 0, err
	}
	return float64(c[0]) / float64(steps), nil
}

// alone is the seconds of a launch on an idle device, after others.
func (r *Runner) alone(kernel string, grid, block int, args ...any) (float64, error) {
	n := aloneRepeats
	if r.Repeats == 0 {
		n = 2 // the first warms up
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

// aloneRepeats is how many lone launches a row takes the median of.
const aloneRepeats = 9

// timer is a device that can time launches back to back, so that the cost of
// asking for the time does not count.
type timer interface {
	Time(ctx context.Context, l device.Launch, repeat int) (*device.Report, error)
}

// timedRepeats is how many launches a timer times together.
const timedRepeats = 20

// timed runs a kernel once to warm up and returns the seconds of a launch that
// follows another, which finds caches and code as a kernel in use does.
func (r *Runner) timed(kernel string, bind map[string]any, grid, block int, args ...any) (float64, error) {
	l := device.Launch{Grid: grid, Block: block, Args: args}
	if _, err := r.launch(l, kernel, bind); err != nil {
		return 0, err
	}
	var rep *device.Report
	var err error
	n := 1
	if d, ok := r.Device.(timer); ok {
		k, kerr := r.Kernels.Kernel(r.ctx, "kernels/micro."+kernel, bind)
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
