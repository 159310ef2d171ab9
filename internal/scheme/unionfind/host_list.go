//go:build !kernel

package unionfind

import (
	"context"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// list is a list of commands for a team. Launches of a GPU run one after another, in the order in which they are added; a GPU waits for
// what is sent to it, and sends what it has when the launches before have ended.
type list struct {
	scheduler.Batch
	team  *team
	last  []int   // of each GPU: its last launch; -1 if there is none
	after [][]int // of each GPU: what was sent to it since then
	steps []step
	err   error // the first one
}

// step is a kernel on some of the GPUs, and what is reported of it.
type step struct {
	kernel     *device.Kernel
	quantities []string
}

func (t *team) newList() *list {
	l := &list{team: t, after: make([][]int, len(t.parts))}
	for range t.parts {
		l.last = append(l.last, -1)
	}
	return l
}

// launch adds a kernel whose threads stride over the vertices on some of the GPUs.
func (l *list) launch(parts []*part, e scheduler.EntryPoint, quantities []string, args func(p *part) []any) {
	l.add(parts, e, quantities, func(p *part) (device.Launch, error) { return l.team.configure(e, args(p)) })
}

// add adds launches of a kernel on some of the GPUs.
func (l *list) add(parts []*part, e scheduler.EntryPoint, quantities []string, launch func(p *part) (device.Launch, error)) {
	for _, p := range parts {
		d, err := launch(p)
		if err != nil && l.err == nil {
			l.err = err
		}
		l.last[p.index] = l.Add(scheduler.Apart+scheduler.Work(len(l.steps)), device.Command{GPU: p.index, After: l.after[p.index], Launch: &d})
		l.after[p.index] = nil
	}
	l.steps = append(l.steps, step{l.team.compiled[e.Name], quantities})
}

// send adds the copy of a buffer of one GPU to one of another GPU, when the launches of both have ended.
func (l *list) send(from, to *part, dst, src device.Buffer) {
	if src.Len == 0 {
		return
	}
	pairs := l.team.total.Pairs
	at := slices.IndexFunc(pairs, func(p scheduler.PairUse) bool { return p.From == from.index && p.To == to.index })
	pairs[at].Bytes += uint64(src.Bytes())
	after := slices.Clone(l.after[from.index])
	for _, i := range []int{l.last[from.index], l.last[to.index]} {
		if i >= 0 {
			after = append(after, i)
		}
	}
	i := l.Add(scheduler.Transfer, device.Command{GPU: from.index, Stream: 1 + to.index, After: after, Copy: &device.Copy{Dst: dst, Src: src}})
	l.after[to.index] = append(l.after[to.index], i)
}

// run runs the commands and records the kernels.
func (l *list) run(ctx context.Context) error {
	if l.err != nil {
		return l.err
	}
	t := l.team
	if len(t.parts) == 1 {
		for range l.steps { // a GPU alone makes one launch after the other
			device.HostStep(t.group)
		}
	}
	var s scheduler.Spent
	err := l.Run(ctx, t.group, &s)
	t.total.Transfer += s.Transfer
	for i, spent := range l.Apart() {
		t.total.Compute += spent.Compute
		var numbers []scheduler.Number
		for _, q := range l.steps[i].quantities {
			numbers = append(numbers, scheduler.Number{Name: q, Value: t.sum(q)})
		}
		t.Record(l.steps[i].kernel, spent.Report(), scheduler.Step{Numbers: numbers})
	}
	return err
}

// sum returns a quantity of all GPUs, after what the host reads has been read.
func (t *team) sum(quantity string) (sum float64) {
	if quantity == share {
		return 100 * float64(t.votes()) / float64(t.block)
	}
	for _, p := range t.parts {
		sum += float64(p.counted[position[quantity]])
	}
	return sum
}
