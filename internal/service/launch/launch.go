package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/types"
	"math"
	"math/big"
	"reflect"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/diagnosis/cure"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
)

// Request describes a launch of one kernel: everything that affects its result.
type Request struct {
	Compiler Compiler
	Kernel   string // in the form that Compiler.Kernel accepts
	Shown    string // the kernel as the user named it; "" for Kernel

	Grid, Block [3]int // blocks, and threads per block, along x, y and z
	Cluster     int    // blocks of a cluster along x; 0 means 1
	Shared      int    // bytes of dynamic shared memory per block
	Cooperative bool   // all blocks must be resident at the same time
	Registers   int    // registers per thread, for occupancy; 0 for the kernel's own
	Repeat      int    // number of launches, each on the buffers that the previous one left; 0 means 1

	Args []Assignment // by parameter, field or element
	Bind []Assignment // parameters that are constants of the compiled kernel
	Seed uint64       // of random arguments
}

// Compiler compiles kernels and returns their Go types, as catalog.Compiler
// does.
type Compiler interface {
	device.Kernels
	Signature(ctx context.Context, kernel string) (*types.Signature, error)
}

// Job is a launch with parsed arguments.
type Job struct {
	Request
	Params []*Param

	kernel   *device.Kernel
	resolved *resolver
	buffers  []*Data // before the launch, in the order of the parameters, without nil ones
}

// Prepare compiles the kernel and evaluates the arguments. An error in them is
// a *usage.Error.
func Prepare(ctx context.Context, q Request) (*Job, error) {
	q.Repeat, q.Shown = max(q.Repeat, 1), cmp.Or(q.Shown, q.Kernel)
	sig, err := q.Compiler.Signature(ctx, q.Kernel)
	if err != nil {
		return nil, err
	}
	j := &Job{Request: q, Params: Params(sig)}
	r, err := newResolver(ctx, q.Shown, j.Params, q.Seed, q.Args, q.Bind)
	if err != nil {
		return nil, err
	}
	j.resolved = r
	bound, err := r.bound(j.Params)
	if err != nil {
		return nil, err
	}
	if j.kernel, err = q.Compiler.Kernel(ctx, q.Kernel, bound); err != nil {
		return nil, err
	}
	if err := r.missing(j.Params); err != nil {
		return nil, err
	}
	r.copies = 3 // the content before the launch, on the device, and after the launch
	for _, name := range r.names {
		if err := r.resolve(name); err != nil {
			return nil, err
		}
		if d := r.data[name]; d != nil {
			j.buffers = append(j.buffers, d)
		}
	}
	return j, nil
}

// Shaped returns a launch of the same kernel on the same arguments with the grid, the block and all
// else of q that they do not depend on. Both share the memory of the arguments, which no run
// changes.
func (j *Job) Shaped(q Request) *Job {
	shaped := *j
	shaped.Grid, shaped.Block, shaped.Shared, shaped.Cluster, shaped.Cooperative, shaped.Registers, shaped.Repeat = q.Grid, q.Block, q.Shared, q.Cluster, q.Cooperative, q.Registers, max(q.Repeat, 1)
	return &shaped
}

// Integer returns the value of an expression of integers, of the kernel's arguments and their lengths, such as
// "4 * len(bins)".
func (j *Job) Integer(text string) (*big.Int, error) {
	return expression(text, j.resolved.integer)
}

// CheckInteger returns what is wrong with an expression, whatever the arguments are.
func CheckInteger(text string) error {
	_, err := expression(text, func(string, bool) (*big.Int, error) { return big.NewInt(1), nil })
	return err
}

// Bytes returns the memory of the arguments.
func (j *Job) Bytes() (n uint64) {
	for _, d := range j.buffers {
		n += uint64(len(d.bytes))
	}
	return n
}

// Compiled returns the kernel.
func (j *Job) Compiled() *device.Kernel { return j.kernel }

// FromPTX reports whether the kernel was read from PTX.
func (j *Job) FromPTX() bool { return isPTX(j.kernel) }

// Files returns the files that arguments were read from.
func (j *Job) Files() (paths []string) {
	for _, name := range j.resolved.names {
		if v, err := ParseValue(j.resolved.given[name].part); err == nil && v.Source == "file" {
			paths = append(paths, v.Items[0])
		}
	}
	return paths
}

// Random reports whether an argument depends on Request.Seed.
func (j *Job) Random() bool {
	for _, name := range j.resolved.names {
		if v, err := ParseValue(j.resolved.given[name].part); err == nil && v.Source == "random" {
			return true
		}
	}
	return false
}

// buffer returns the index of the buffer with this name.
func (j *Job) buffer(name string) (int, error) {
	var names []string
	for i, d := range j.buffers {
		if d.leaf.name == name {
			return i, nil
		}
		names = append(names, d.leaf.name)
	}
	if len(names) == 0 {
		return 0, usage.Errorf("", "unknown buffer %q: the launch has none", name)
	}
	return 0, usage.Unknown("buffer", name, names, "")
}

// HasBuffers reports whether the kernel has a buffer among its arguments.
func (j *Job) HasBuffers() bool { return len(j.buffers) > 0 }

// Answer checks the names of buffers that are the answer of the kernel.
func (j *Job) Answer(names []string) ([]string, error) {
	for _, name := range names {
		if _, err := j.buffer(name); err != nil {
			return nil, prefixed(option.AnswerBuffers, err)
		}
	}
	return names, usage.Once(option.AnswerBuffers, names)
}

// each is the report of one launch.
type each struct {
	Cycles           uint64  `json:"cycles,omitempty"`
	Seconds          float64 `json:"seconds,omitempty"`
	WarpInstructions float64 `json:"warp_instructions"`
}

// outcome is the result of the launches on one device.
type outcome struct {
	work    run.Work
	each    []each
	buffers []*Data // after the launches; nil if they cannot be read
	printed string  // by printf
}

// on launches the kernel on a device. The outcome is nil if nothing was
// launched.
func (j *Job) on(ctx context.Context, spec *devices.Spec, watch devices.Watch, progress func(*device.Report)) (out *outcome, err error) {
	return j.launchOn(ctx, spec, watch, progress, nil)
}

// changed is on with all launches changed.
func (j *Job) changed(ctx context.Context, spec *devices.Spec, watch devices.Watch, change cure.Change) (out *outcome, err error) {
	return j.launchOn(ctx, spec, watch, nil, change)
}

func (j *Job) launchOn(ctx context.Context, spec *devices.Spec, watch devices.Watch, progress func(*device.Report), change cure.Change) (out *outcome, err error) {
	if spec.Options.Race && watch.Races == nil {
		watch.Races = device.NewRaces()
	}
	dev, err := spec.Open(ctx, watch)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	opened := dev
	if change != nil {
		dev = cure.Wrap(dev, change)
	}
	began, timed := time.Now(), run.NewTimed(dev)
	l, buffers, err := j.launch(dev)
	if err != nil {
		return nil, err
	}
	out = &outcome{}
	for range j.Repeat {
		var rep *device.Report
		rep, err = timed.Launch(ctx, l)
		if arg := new(device.ArgError); errors.As(err, &arg) {
			return nil, usage.Errorf("", "launch of %s: %s", j.Shown, arg.What)
		}
		if rep != nil {
			e := each{Cycles: rep.Cycles, Seconds: rep.Seconds}
			e.WarpInstructions, _ = rep.Counter(run.WarpInstructions)
			out.each = append(out.each, e)
			out.work.KernelSeconds += rep.Seconds
		}
		if err != nil {
			if isPTX(j.kernel) {
				err = spec.AdvisePTX(err, true)
			} else {
				err = spec.Advise(err, true)
			}
			break
		}
		if progress != nil {
			progress(rep)
		}
	}
	for i, d := range j.buffers {
		after := d.like()
		if e := dev.Read(buffers[i], after.typed); e != nil {
			out.buffers = nil
			if err == nil { // a device that failed may have lost them
				err = e
			}
			break
		}
		out.buffers = append(out.buffers, after)
	}
	text, failed := printed(dev, j.kernel)
	if out.printed = text; err == nil {
		err = failed
	}
	out.work.Take(dev.Total(), time.Since(began), timed.Inside)
	out.work.TakeSampled(opened)
	if x := out.work.Sampled; x != nil {
		out.work.KernelSeconds += x.Corrected
	}
	out.work.Races, out.work.RacesForgotten = watch.Races.List(), watch.Races.Forgotten()
	out.work.Explain(timed.Kernels.List(dev))
	return out, err
}

// launch allocates the buffers on a device and fills them.
func (j *Job) launch(dev device.Device) (l device.Launch, buffers []device.Buffer, err error) {
	l = device.Launch{
		Kernel: j.kernel,
		Grid:   j.Grid[0], GridY: j.Grid[1], GridZ: j.Grid[2], Block: j.Block[0], BlockY: j.Block[1], BlockZ: j.Block[2],
		DynamicShared: j.Shared, Cluster: j.Cluster, Cooperative: j.Cooperative, Regs: j.Registers,
	}
	values := map[string]any{}
	for _, d := range j.buffers {
		typed := reflect.ValueOf(d.typed)
		elem, _ := device.KindOfType(typed.Type().Elem())
		b, err := dev.Alloc(d.leaf.name, elem, typed.Len())
		if err == nil {
			err = dev.Write(b, d.typed)
		}
		if err != nil {
			return l, nil, err
		}
		buffers, values[d.leaf.name] = append(buffers, b), b
	}
	for _, p := range j.Params {
		if j.isBound(p) {
			continue
		}
		args := reflect.New(reflect.ArrayOf(len(p.leaves), reflect.TypeFor[any]())).Elem()
		for i, leaf := range p.leaves {
			v := values[leaf.name]
			if leaf.form == scalar {
				v = leaf.kind().value(j.resolved.scalars[leaf.name])
			}
			if v != nil {
				args.Index(i).Set(reflect.ValueOf(v))
			}
		}
		if len(p.leaves) == 1 && p.leaves[0].name == p.Name {
			l.Args = append(l.Args, args.Index(0).Interface())
		} else {
			l.Args = append(l.Args, args.Interface()) // a struct or an array takes the values of its parts in order
		}
	}
	return l, buffers, nil
}

// Bind allocates the buffers on a device, fills them, and returns the launch
// without launching it.
func (j *Job) Bind(dev device.Device) (device.Launch, error) {
	l, _, err := j.launch(dev)
	return l, err
}

func (j *Job) isBound(p *Param) bool {
	return len(p.leaves) > 0 && j.resolved.given[p.leaves[0].name].from == option.Bind
}

// Options says where a Job runs, and with what to compare it.
type Options struct {
	Device   *devices.Spec
	Watch    devices.Watch        // what to record of the device; filled by the run
	Progress func(*device.Report) // called after each launch; nil for none

	Against   *devices.Spec // runs the same launches, to compare the buffers; nil for none
	Tolerance float64       // for floats, see Comparison
	Answer    []string      // the buffers to compare, from Job.Answer; nil for all
}

// Run launches the kernel. The result is nil if nothing was launched; otherwise
// the error, if any, says why the launch ended early. Buffers that differ are
// not an error: see Result.Err.
func (j *Job) Run(ctx context.Context, o Options) (*Result, error) {
	out, err := j.on(ctx, o.Device, o.Watch, o.Progress)
	if out == nil {
		return nil, err
	}
	r := &Result{
		Build: buildinfo.This(), Kernel: j.Shown, On: run.OnDevice(o.Device),
		Grid: j.Grid, Block: j.Block, DynamicShared: j.Shared, Cluster: j.Cluster, Cooperative: j.Cooperative, Registers: j.Registers,
		Arguments: j.arguments(), Work: out.work, Each: out.each, after: out.buffers, job: j, Printed: out.printed,
	}
	for i, after := range out.buffers {
		r.Buffers = append(r.Buffers, summarize(j.buffers[i], after))
	}
	if err != nil {
		r.Error = run.FailureOf(err)
		r.Early = r.Error.Kind
		return r, err
	}
	if o.Against != nil {
		other, err := j.on(ctx, o.Against, devices.Watch{}, nil)
		if err != nil {
			r.Error = run.FailureOf(err)
			return r, fmt.Errorf("on %s, to compare with: %w", o.Against.Name, err)
		}
		r.also(&other.work)
		r.Comparison = compareAll(out.buffers, other.buffers, o.Against.Name, &o)
		r.Comparison.measured(&out.work, &other.work)
	}
	return r, nil
}

// CheckTolerance rejects an invalid tolerance.
func CheckTolerance(t float64) error {
	if !(t >= 0) || math.IsInf(t, 0) {
		return usage.Errorf(usage.Say("such as %s", option.Tolerance.With("1e-5")), "%s: %v is not a number of at least 0", option.Tolerance, t)
	}
	return nil
}
