//go:build !kernel

package multi

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// phases are the phases of a push. The zero value is phase 0, the only one of an algorithm without phases.
type phases struct {
	now         uint32
	reversed    bool
	next, enter *device.Kernel
	graphs      []*graph.CSR         // that phases traverse: the graph, and its transpose if a phase may be reversed
	turned      []scheduler.GraphArg // of each GPU: the rows of its range in the transpose, or in the graph if that is symmetric
	state       []device.Buffer      // of each GPU, two words: what NextPhase finds, and whether the phase is reversed
	found       [][]uint32           // what was in state
	way         mail                 // of what a phase begins with
}

// beginPhases prepares for phases, if the algorithm has some.
func (p *pusher) beginPhases(ctx context.Context) (err error) {
	a, of := p.Algorithm, &p.phases
	of.graphs = []*graph.CSR{p.Graph}
	if !a.Phased {
		return nil
	}
	for k, e := range map[**device.Kernel]scheduler.EntryPoint{&of.next: nextPhase(a), &of.enter: enterPhase(a)} {
		if *k, err = p.kernel(ctx, e); err != nil {
			return err
		}
	}
	if a.Reverses() && !p.Graph.Symmetric {
		turned, err := p.Graph.Transpose(ctx)
		if err != nil {
			return err
		}
		of.graphs = append(of.graphs, turned)
	}
	for _, m := range p.members {
		turned := m.graph
		if len(of.graphs) > 1 {
			turned = m.arcs(of.graphs[1], rowsOf(of.graphs[1], m.lo, m.hi))
		}
		of.turned = append(of.turned, turned)
		of.state = append(of.state, m.memory.Copy("phase", []uint32{0, 0}))
		of.found = append(of.found, make([]uint32, 2))
		for _, other := range p.members {
			of.way.byHost = of.way.byHost || p.mail.byHost || !p.group.Peer(m.index, other.index).Copy
		}
	}
	return nil
}

// current returns the range of a GPU in the graph that the phase traverses.
func (p *pusher) current(m *member) partArg {
	part := p.part(m)
	if p.phases.reversed {
		part.Graph = p.phases.turned[m.index]
	}
	return part
}

// nextPhase enters the next phase that has an active vertex on any of the GPUs, or else leaves all frontiers empty. i is its first
// iteration.
func (p *pusher) nextPhase(ctx context.Context, i int) error {
	if !p.Algorithm.Phased {
		return nil
	}
	for p.active() == 0 {
		phase, err := p.smallestPhase(ctx)
		if phase == scheduler.NoPhase || err != nil {
			return err
		}
		if phase <= p.phases.now {
			return scheduler.PhaseError(p.Algorithm, phase, p.phases.now)
		}
		if err := p.enterPhase(ctx, phase); err != nil {
			return err
		}
	}
	if p.Params.Int("max-iterations") == 0 { // the default limit is one for each phase
		p.most = i - 1 + p.Vertices() + 1000
	}
	return nil
}

// smallestPhase returns the smallest phase after this one in which a vertex of any GPU will be visited, or NoPhase.
func (p *pusher) smallestPhase(ctx context.Context) (uint32, error) {
	of := &p.phases
	var b scheduler.Batch
	for _, m := range p.members {
		b.Add(scheduler.Control, device.Command{GPU: m.index, Write: &device.HostCopy{Buffer: of.state[m.index], Host: []uint32{0, 0}}})
		if m.lo < m.hi {
			args := []any{m.instance.Arg, p.part(m), m.values[0], of.now, of.state[m.index].Slice(0, 1)}
			if _, err := p.launch(&b, m, of.next, scheduler.OneThread, m.hi-m.lo, nil, args...); err != nil {
				return 0, err
			}
		}
		b.Add(scheduler.Control, device.Command{GPU: m.index, Read: &device.HostCopy{Buffer: of.state[m.index], Host: of.found[m.index]}})
	}
	var s scheduler.Spent
	err := b.Run(ctx, p.group, &s)
	p.between(of.next, s)
	complement := uint32(0)
	for _, found := range of.found {
		complement = max(complement, found[0])
	}
	return ^complement, err
}

// enterPhase collects the first frontiers of a phase, and then tells all GPUs what it begins with.
func (p *pusher) enterPhase(ctx context.Context, phase uint32) error {
	of := &p.phases
	var b scheduler.Batch
	for _, m := range p.members {
		q := p.queues[m.index]
		b.Add(scheduler.Control, device.Command{GPU: m.index, Write: &device.HostCopy{Buffer: q.count, Host: []uint32{0}}})
		if m.lo < m.hi {
			args := []any{m.instance.Arg, p.part(m), of.turned[m.index].Row, m.values[0], of.now, phase, of.state[m.index].Slice(1, 2), p.filling(m, 0)}
			if _, err := p.launch(&b, m, of.enter, scheduler.OneThread, m.hi-m.lo, nil, args...); err != nil {
				return err
			}
		}
		b.Add(scheduler.Control, device.Command{GPU: m.index, Read: &device.HostCopy{Buffer: of.state[m.index], Host: of.found[m.index]}})
	}
	var s scheduler.Spent
	err := p.advance(ctx, &b, &s)
	p.between(of.enter, s, scheduler.Number{Name: "next", Value: float64(p.active())})
	if err != nil {
		return err
	}
	of.now, of.reversed = phase, slices.ContainsFunc(of.found, func(f []uint32) bool { return f[1] == 1 })
	return p.refresh(ctx)
}

// between records a kernel that runs between two phases.
func (p *pusher) between(k *device.Kernel, s scheduler.Spent, numbers ...scheduler.Number) {
	p.total.Compute += s.Compute
	p.Record(k, s.Report(), scheduler.Step{Numbers: numbers})
}

// refresh sends what the vertices of a range have when a phase begins to all other GPUs, if the algorithm changes it then: Compute may read the
// algorithm's arrays at the target of an arc, which another GPU may have, and the values of replicas are those with which
// updates are compared before they are sent.
func (p *pusher) refresh(ctx context.Context) error {
	if len(p.members) == 1 || !p.Algorithm.Enters() {
		return nil
	}
	way := &p.phases.way
	for _, m := range p.members {
		own := p.changing(m)
		for i, buffer := range own {
			s := sheet{from: m.index, src: buffer.Slice(m.lo, max(m.lo, m.hi))}
			for _, other := range p.members {
				if other != m {
					s.to = append(s.to, receiver{gpu: other.index, dst: p.changing(other)[i].Slice(m.lo, max(m.lo, m.hi))})
				}
			}
			way.post(s)
		}
	}
	if way.unread() {
		var b scheduler.Batch
		way.reads(&b, func(sheet) []int { return nil })
		if err := b.Run(ctx, p.group, &p.spent); err != nil {
			return err
		}
	}
	var b scheduler.Batch
	if _, err := way.deliver(&b, len(p.members), p.sent); err != nil {
		return err
	}
	return b.Run(ctx, p.group, &p.spent)
}

// changing returns the buffers of a GPU with an element for each vertex that change when a phase begins. Replicas that collect what adds
// up stay neutral.
func (p *pusher) changing(m *member) []device.Buffer {
	list := m.instance.Buffers()
	if !p.clear {
		list = append(list, m.values[0])
	}
	return list
}

// nextPhase and enterPhase are the kernels between two phases.
func nextPhase(a scheduler.Type) scheduler.EntryPoint {
	return entry("NextPhase", "the next phase of a range, when all frontiers are empty", a)
}

func enterPhase(a scheduler.Type) scheduler.EntryPoint {
	return entry("EnterPhase", "first frontier of a phase in a range", a)
}

// phaseless is the error of an algorithm that runs in phases with a setting that has none.
func phaseless(a scheduler.Type, setting string) error {
	return fmt.Errorf("%s runs in phases, which %s does not have", a.Name, setting)
}
