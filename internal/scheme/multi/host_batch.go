//go:build !kernel

package multi

import (
	"context"
	"slices"

	"github.com/weft-gpu/weft/device"
)

// work is what a command counts as.
type work int

const (
	control  work = iota // counters that the host reads
	compute              // a kernel
	transfer             // values on their way from one GPU to another
	// preparation and the numbers after it are launches of kernels that prepare a run and are in one list with it: the first of them, the second, and so on.
	preparation
)

// batch is a list of commands that run together.
type batch struct {
	cmds     []device.Command
	work     []work
	prepared []spent // by kernels that prepare
}

// add appends a command and returns its index.
func (b *batch) add(w work, c device.Command) int {
	b.cmds, b.work = append(b.cmds, c), append(b.work, w)
	return len(b.cmds) - 1
}

// spent is how long the GPUs were busy, in seconds, how many launches there were, and how many
// cycles the longest one took.
type spent struct {
	compute, transfer, overlap float64
	launches                   int
	cycles                     uint64
}

// report returns a report of the launches together; nil if there were none.
func (s spent) report() *device.Report {
	if s.launches == 0 {
		return nil
	}
	return &device.Report{Launches: s.launches, Cycles: s.cycles, Seconds: s.compute}
}

// run runs the commands and adds the time to s.
func (b *batch) run(ctx context.Context, g device.Group, s *spent) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	timings, err := g.Run(ctx, b.cmds)
	kinds := preparation
	for _, w := range b.work {
		kinds = max(kinds, w+1)
	}
	busy := make([][]span, kinds)
	b.prepared = make([]spent, kinds-preparation)
	for i, t := range timings {
		w, of := b.work[i], s
		if w >= preparation {
			of = &b.prepared[w-preparation]
		}
		if t.Report != nil && (w == compute || w >= preparation) {
			of.launches++
			of.cycles = max(of.cycles, t.Report.Cycles)
		}
		busy[w] = append(busy[w], span{t.Start, t.End})
	}
	for i := range b.prepared {
		b.prepared[i].compute = length(union(busy[int(preparation)+i]))
	}
	kernels, copies := union(busy[compute]), union(busy[transfer])
	s.compute += length(kernels)
	s.transfer += length(copies)
	s.overlap += length(kernels) + length(copies) - length(union(append(kernels, copies...)))
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
