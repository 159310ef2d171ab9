//go:build !kernel

package scheduler

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
)

// The host half of phases: two kernels that find the next phase and its first frontier.

// PhaseKernels returns the entry points of NextPhase and EnterPhase for an algorithm, or none
// if it has no phases.
func PhaseKernels(a Type) []EntryPoint {
	if !a.Phased {
		return nil
	}
	of := "[" + a.Name + ", " + a.Value.String() + "]"
	return []EntryPoint{
		{Name: "scheduler.NextPhase" + of, What: "the next phase, when the frontier is empty"},
		{Name: "scheduler.EnterPhase" + of, What: "first frontier of a phase"},
	}
}

// Phases is the phase that a FrontierLoop is in.
type Phases struct {
	now         uint32
	next, enter *device.Kernel
	graph       [2]GraphArg   // forward and reverse
	state       device.Buffer // two words: vertices that entered, and whether the phase is reversed
	entered     [2]uint32     // the state after the last launch of enter
}

// Begin prepares phases for an algorithm that has them, in the memory of a loop. It must be
// called before the first launch, since it may copy the transpose. g is the graph on the
// device.
func (p *Phases) Begin(ctx context.Context, j Job, m *Memory, g GraphArg) error {
	p.graph = [2]GraphArg{g, g}
	if !j.Algorithm.Phased {
		return nil
	}
	for i, k := range []**device.Kernel{&p.next, &p.enter} {
		var err error
		if *k, err = j.Kernels.Kernel(ctx, PhaseKernels(j.Algorithm)[i].Name, nil); err != nil {
			return err
		}
	}
	p.state = m.Alloc("phase", device.U32, len(p.entered))
	if j.Graph.Symmetric || !j.Algorithm.Reverses() {
		return m.Err()
	}
	turned, err := j.Graph.Transpose(ctx)
	if err != nil {
		return err
	}
	p.graph[1] = m.Graph(turned)
	return m.Err()
}

// Now returns the phase.
func (p *Phases) Now() uint32 { return p.now }

// Current returns the graph that the phase traverses.
func (p *Phases) Current() GraphArg { return p.graph[p.entered[1]] }

// Advance finds the next phase that has an active vertex and puts its first frontier into
// vertices. active is 0 if there is none, and the run is over.
func (p *Phases) Advance(ctx context.Context, l *FrontierLoop, vertices device.Buffer) (active int, err error) {
	if !l.Algorithm.Phased {
		return 0, nil
	}
	for {
		n := l.Vertices()
		rep, word, err := l.launch(ctx, p.next, OneThread, n, l.Instance.Arg, l.Values, p.now, l.Count)
		l.Record(p.next, rep, Step{})
		if err != nil || word == 0 {
			return 0, err
		}
		phase := ^uint32(word)
		if phase <= p.now {
			return 0, PhaseError(l.Algorithm, phase, p.now)
		}
		if active, err = p.collect(ctx, l, phase, vertices); active > 0 || err != nil {
			return active, err
		}
	}
}

// PhaseError is the error of an algorithm whose Phase returned a phase that is not after now.
func PhaseError(a Type, phase, now uint32) error {
	return fmt.Errorf("%s.Phase returns %d in phase %d; the next phase must be a later one", a.Name, phase, now)
}

// collect collects the first frontier of a phase.
func (p *Phases) collect(ctx context.Context, l *FrontierLoop, phase uint32, vertices device.Buffer) (active int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	grid, err := l.Grid(p.enter, l.Block, OneThread, l.Vertices())
	if err != nil {
		return 0, err
	}
	out := QueueArg{Vertices: vertices, Count: p.state.Slice(0, 1), Stamp: l.Stamp}
	p.entered = [2]uint32{}
	rep, err := l.LaunchRead(ctx, device.Launch{Kernel: p.enter, Grid: grid, Block: l.Block, Args: []any{
		l.Instance.Arg, p.graph[0].Row, p.graph[1].Row, l.Values, p.now, phase, p.state.Slice(1, 2), out,
	}}, device.Answer{Buffer: p.state, To: p.entered[:], Clear: true})
	p.now = phase
	active = int(p.entered[0])
	l.Record(p.enter, rep, Step{Numbers: []Number{{"next", float64(active)}}})
	return active, err
}
