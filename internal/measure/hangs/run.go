package hangs

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// Runner runs scenarios on a device.
type Runner struct {
	Kernels device.Kernels
	// Open opens the device anew for each launch: after a hang, a real GPU has lost its memory.
	Open    func(ctx context.Context) (device.Device, error)
	Machine Machine
}

// Result is how a launch of a scenario ended.
type Result struct {
	Scenario   string            `json:"study"`
	Parameters map[string]string `json:"parameters"`
	Kernel     string            `json:"kernel"`
	Blocks     int               `json:"blocks"`  // of the grid
	Threads    int               `json:"threads"` // per block
	Registers  int               `json:"registers"`
	// Estimated is set if the number of registers is an estimate.
	Estimated bool `json:"registers_estimated,omitempty"`
	// Resident is how many blocks the device holds at the same time, PerSM how many of them on
	// an SM, and Limit the resource that limits it.
	Resident int    `json:"resident"`
	PerSM    int    `json:"resident_per_sm"`
	Limit    string `json:"limit"`
	// EquationOne is what equation 1 of SIMD-X takes for Resident.
	EquationOne int         `json:"equation_1"`
	Outcome     Outcome     `json:"outcome"`
	Expected    Expectation `json:"expected"`
	AsExpected  bool        `json:"as_expected"`
	Remark      string      `json:"remark,omitempty"`
	Seconds     float64     `json:"seconds,omitempty"` // on the device
	Cycles      uint64      `json:"cycles,omitempty"`
	// Err is the error of the launch or of the check; nil if it ended right.
	Err error `json:"-"`
}

// Run launches a scenario with parameters by name. An error means that there was no launch, or
// that ctx was canceled; how a launch ended is in the Result.
func (r *Runner) Run(ctx context.Context, s *Scenario, set map[string]string) (res *Result, err error) {
	v, err := s.Values(set)
	if err != nil {
		return nil, err
	}
	dev, err := r.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	l, occ, held, err := r.fit(ctx, dev, s, v)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	if l.Grid, err = v.Grid.Of(occ.Resident(), scheduler.EquationOne(occ, l.Block), max(s.multiple, 1)); err != nil {
		return nil, fmt.Errorf("parameter %s of scenario %s: %w", Blocks, s.Name, err)
	}
	res = &Result{
		Scenario: s.Name, Parameters: v.Texts(), Kernel: l.Kernel.Name, Blocks: l.Grid, Threads: l.Block, Registers: occ.Regs, Estimated: occ.Estimated,
		Resident: occ.Resident(), PerSM: occ.BlocksPerSM, Limit: occ.Limit, EquationOne: scheduler.EquationOne(occ, l.Block),
	}
	res.Expected = s.expect(Situation{Machine: r.Machine, Values: v, Blocks: l.Grid, Threads: l.Block, Resident: res.Resident})
	m, lay := &memory{dev: dev, buffers: map[string]device.Buffer{}}, layout{v, l.Grid, l.Block}
	l.Args = s.arguments(m, lay)
	if held {
		l.Args = heldArguments(m, lay, l.Args)
	}
	if m.err != nil {
		return nil, m.err
	}
	rep, err := dev.Launch(ctx, l)
	if rep != nil {
		res.Seconds, res.Cycles = rep.Seconds, rep.Cycles
	}
	if err == nil {
		res.Outcome = Ends
		res.Remark, res.Err = s.check(m, lay)
		if m.err != nil {
			return nil, m.err
		}
		if res.Err != nil {
			res.Outcome = Wrong
		}
	} else if res.Outcome, res.Err = outcomeOf(err), err; res.Outcome == "" {
		return nil, err
	}
	res.AsExpected = res.Expected.Met(res.Outcome)
	return res, nil
}

// outcomeOf returns how a launch with an error ended; "" if the error says nothing about the
// kernel.
func outcomeOf(err error) Outcome {
	var (
		hang      *device.HangError
		undecided *device.UndecidedError
		fault     *device.Fault
		arg       *device.ArgError
	)
	switch {
	case errors.As(err, &hang):
		return Hangs
	case errors.As(err, &undecided):
		return Undecided
	case errors.As(err, &fault):
		return Faults
	case errors.As(err, &arg):
		return Rejected
	}
	return ""
}

// fit compiles the kernel of a scenario and returns its launch without grid and arguments, and how
// it fits. held is set if the kernel keeps values alive to use as many registers as were asked
// for.
func (r *Runner) fit(ctx context.Context, dev device.Device, s *Scenario, v Values) (l device.Launch, occ device.Occupancy, held bool, err error) {
	l = device.Launch{Block: v.threads(), Cooperative: s.cooperative, Regs: v.registers()}
	if r.Machine.Silicon && l.Regs > 0 {
		l.Kernel, occ, err = r.keep(ctx, dev, l)
		l.Regs = 0
		return l, occ, true, err
	}
	if l.Kernel, err = r.Kernels.Kernel(ctx, s.kernel(v), nil); err != nil {
		return l, occ, false, err
	}
	occ, err = device.Fit(dev, l)
	return l, occ, false, err
}
