package trial

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing/fstest"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/proof/progress"
	"github.com/weft-gpu/weft/internal/proof/progress/litmus"
)

// As says what a thread of a test is on the device.
type As string

// The values of As.
const (
	Blocks As = "blocks" // blocks of one thread
	Lanes  As = "lanes"  // lanes of one warp
)

// Model returns the name of the model that CUDA devices promise for such
// threads: occupancy-bound execution for blocks, and, with independent thread
// scheduling, fairness to all lanes of a warp that runs.
func (a As) Model() string {
	if a == Lanes {
		return "weak_fair"
	}
	return "obe"
}

// maxLanes is the number of lanes of a warp.
const maxLanes = 32

// A Runner compiles and runs tests. Its zero value is not valid; see New.
type Runner struct {
	compiler *compile.Compiler
	paths    map[*litmus.Test]string // import paths of the tests' packages
}

// New returns a Runner.
func New() *Runner { return &Runner{compile.New(), map[*litmus.Test]string{}} }

// Kernel compiles a test.
func (r *Runner) Kernel(ctx context.Context, t *litmus.Test, as As) (*device.Kernel, error) {
	if as == Lanes && len(t.Threads) > maxLanes {
		return nil, fmt.Errorf("%s has %d threads; a warp has %d lanes", t.Name, len(t.Threads), maxLanes)
	}
	path, ok := r.paths[t]
	if !ok {
		path = "progress/" + name(t.Name)
		for r.compiler.Files(path) != nil { // another test has a similar name
			path += "_"
		}
		r.compiler.Mount(path, fstest.MapFS{name(t.Name) + ".go": {Data: []byte(sourceOf(t))}})
		r.paths[t] = path
	}
	kernel := "Blocks"
	if as == Lanes {
		kernel = "Lanes"
	}
	return r.compiler.Kernel(ctx, path+"."+kernel, nil)
}

// name returns the name of a test as part of an import path.
func name(test string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, test)
}

// Options says how often a test runs.
type Options struct {
	As        As
	Instances int // of the test in a launch, each with cells of its own
	Launches  int
	Seed      uint64 // of the first launch; each later one has the next
	// Open returns the device for a launch with a seed. It is called for each launch,
	// and may return the same one again.
	Open func(ctx context.Context, seed uint64) (device.Device, error)
}

// A Result says how a test ran.
type Result struct {
	Test      string `json:"test"`
	Device    string `json:"device"`
	Threads   As     `json:"threads"` // what its threads were
	Model     string `json:"model"`   // the progress model that the device is held against
	Verdict   string `json:"verdict"` // of the model
	Launches  int    `json:"launches"`
	Instances int    `json:"instances"` // of all launches that ended
	Hangs     int    `json:"hangs"`     // 0 or 1: a test that hung is not launched again
	Undecided int    `json:"undecided"` // 0 or 1: nor is one that used up its budget
	// Seed is of the launch that did not end, Why what the device said of it. Spins
	// and Waits are where the threads were of the first instance that did not end.
	Seed  uint64 `json:"seed,omitempty"`
	Why   string `json:"why,omitempty"`
	Spins []Spot `json:"spins,omitempty"`
	Waits []Spot `json:"waits,omitempty"`
	Err   error  `json:"-"`
}

// Run launches a test until it hangs or has run as often as the options say.
// The result has no Model and Verdict.
func (r *Runner) Run(ctx context.Context, t *litmus.Test, o Options) (*Result, error) {
	k, err := r.Kernel(ctx, t, o.As)
	if err != nil {
		return nil, err
	}
	out := &Result{Test: t.Name, Threads: o.As}
	for i := range o.Launches {
		seed := o.Seed + uint64(i)
		dev, err := o.Open(ctx, seed)
		if err != nil {
			return nil, err
		}
		out.Device = dev.Name()
		out.Launches++
		err = launch(ctx, dev, k, t, o)
		var hang *device.HangError
		var undecided *device.UndecidedError
		switch {
		case errors.As(err, &hang):
			out.Hangs, out.Seed, out.Err = 1, seed, hang
			out.Why = hang.What
			out.Spins, out.Waits = spots(t, o.As, hang.Waiting)
			return out, nil
		case errors.As(err, &undecided):
			out.Undecided, out.Seed, out.Err = 1, seed, undecided
			out.Why = "it did not end within " + undecided.Budget
			if undecided.Budget == "" {
				out.Why = "it looks like a livelock: it did not get on for " + undecided.Still
			}
			out.Spins, out.Waits = spots(t, o.As, undecided.Waiting)
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		out.Instances += o.Instances
	}
	return out, nil
}

// launch runs the instances of a test once.
func launch(ctx context.Context, dev device.Device, k *device.Kernel, t *litmus.Test, o Options) (err error) {
	x, err := dev.Alloc("x", device.U32, o.Instances*stride(t))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Free(x)) }()
	if err := dev.Write(x, make([]uint32, x.Len)); err != nil {
		return err
	}
	l := device.Launch{Kernel: k, Grid: o.Instances * len(t.Threads), Block: 1, Args: []any{x}}
	if o.As == Lanes {
		l.Grid, l.Block = o.Instances, maxLanes
	}
	_, err = dev.Launch(ctx, l)
	return err
}

// Guaranteed reports whether the model guarantees that the test ends.
func (r *Result) Guaranteed() bool { return r.Verdict == progress.Terminates }
