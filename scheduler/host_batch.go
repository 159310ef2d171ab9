//go:build !kernel

package scheduler

import (
	"context"
	"slices"

	"github.com/weft-gpu/weft/device"
)

// Work is what a command of a Batch counts as.
type Work int

const (
	Control  Work = iota // counters that the host reads
	Compute              // a kernel
	Transfer             // values on their way from one GPU to another
	// Apart and the numbers after it are launches of kernels that are counted on their own, such as of those that prepare a run and are in one list
	// with it: the first of them, the second, and so on.
	Apart
)

// Batch is a list of commands for the GPUs of a group that run together.
type Batch struct {
	cmds  []device.Command
	work  []Work
	apart []Spent // by kernels that are counted on their own
}

// Add appends a command and returns its index.
func (b *Batch) Add(w Work, c device.Command) int {
	b.cmds, b.work = append(b.cmds, c), append(b.work, w)
	return len(b.cmds) - 1
}

// Append appends the commands of another batch, which wait for none of each other (device.Command.After).
func (b *Batch) Append(other *Batch) {
	b.cmds, b.work = append(b.cmds, other.cmds...), append(b.work, other.work...)
}

// Apart returns what the launches of each kind that is counted on its own took in the last run.
func (b *Batch) Apart() []Spent { return b.apart }

// Spent is how long the GPUs were busy with kernels, with transfers and with both at once, in seconds, how many launches of kernels there were, and
// how many cycles the longest one took.
type Spent struct {
	Compute, Transfer, Overlap float64
	Launches                   int
	Cycles                     uint64
}

// Report returns a report of the launches together; nil if there were none.
func (s Spent) Report() *device.Report {
	if s.Launches == 0 {
		return nil
	}
	return &device.Report{Launches: s.Launches, Cycles: s.Cycles, Seconds: s.Compute}
}

// Run runs the commands on a group and adds what they took to s.
func (b *Batch) Run(ctx context.Context, g device.Group, s *Spent) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	timings, err := g.Run(ctx, b.cmds)
	kinds := Apart
	for _, w := range b.work {
		kinds = max(kinds, w+1)
	}
	busy := make([][]span, kinds)
	b.apart = make([]Spent, kinds-Apart)
	for i, t := range timings {
		w, of := b.work[i], s
		if w >= Apart {
			of = &b.apart[w-Apart]
		}
		if t.Report != nil && (w == Compute || w >= Apart) {
			of.Launches++
			of.Cycles = max(of.Cycles, t.Report.Cycles)
			if w >= Apart {
				of.Compute = t.Report.Seconds // if it is the only one: what the host takes for it does not count
			}
		}
		busy[w] = append(busy[w], span{t.Start, t.End})
	}
	for i := range b.apart {
		if of := &b.apart[i]; of.Launches > 1 {
			of.Compute = length(union(busy[int(Apart)+i]))
		}
	}
	kernels, copies := union(busy[Compute]), union(busy[Transfer])
	s.Compute += length(kernels)
	s.Transfer += length(copies)
	s.Overlap += length(kernels) + length(copies) - length(union(append(kernels, copies...)))
	return err
}

// span is a time from start to end, in seconds.
type span struct{ start, end float64 }

// union returns the times in which there is at least one of the spans, as spans that do not
// meet.
func union(list []span) (apart []span) {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b span) int {
		switch {
		case a.start < b.start:
			return -1
		case a.start > b.start:
			return 1
		}
		return 0
	})
	for _, s := range list {
		if last := len(apart) - 1; last >= 0 && s.start <= apart[last].end {
			apart[last].end = max(apart[last].end, s.end)
		} else {
			apart = append(apart, s)
		}
	}
	return apart
}

// length returns the sum of the lengths of spans.
func length(list []span) (sum float64) {
	for _, s := range list {
		sum += s.end - s.start
	}
	return sum
}
