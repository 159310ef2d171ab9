//go:build !kernel

package simdx

import (
	"context"
	"slices"

	"github.com/weft-gpu/weft/scheduler"
)

// pushBatch is an iteration with the batch filter. If the next frontier has so many vertices
// several times that the lists or the active edge list have no room for it, the ballot filter
// makes it, which has each vertex once.
func (s *separate) pushBatch(ctx context.Context) error {
	n, room := s.front.Arcs, uint32(batchArcs*s.Graph.Arcs())
	before := s.front
	if err := s.launchOne(ctx, step{kernel: expandOne, iteration: s.iteration(), team: scheduler.OneThread, work: int(before.entries()), args: []any{s.mem, s.run},
		numbers: []scheduler.Number{number("frontier", float64(before.entries())), number(arcs, float64(n))}}, nil); err != nil {
		return err
	}
	update, args := "Update", []any{s.Instance.Arg, s.g, s.Values, s.mem, s.run, n}
	if s.Algorithm.Consumes() {
		if err := s.launchOne(ctx, step{kernel: entryPoint("Take", "", s.Algorithm), iteration: s.iteration(), team: scheduler.OneThread, work: int(before.entries()),
			args: []any{s.Instance.Arg, s.Values, s.taken, s.mem, s.run}}, nil); err != nil {
			return err
		}
		update, args = "UpdateTaken", slices.Insert(args, 3, any(s.taken))
	}
	if err := s.launchOne(ctx, step{kernel: entryPoint(update, "", s.Algorithm), iteration: s.iteration(), team: scheduler.OneThread, work: int(n), args: args}, nil); err != nil {
		return err
	}
	s.run.Step++
	next := s.run
	next.Iteration++
	fits := true
	err := s.twoHalves(ctx, countEdgesOne, writeEdgesOne, s.iteration(), int(n), []any{s.g.Row, s.mem, next, n}, func() []scheduler.Number {
		s.front = s.frontierRead()
		shape := s.mem.Push
		fits = s.front.Small <= shape.SmallRoom && s.front.Medium <= shape.MediumRoom && s.front.Large <= shape.LargeRoom && s.front.Arcs <= room
		return []scheduler.Number{number("next", float64(s.front.entries())), number(iterations, 1)}
	})
	s.run.Iteration++
	if err == nil && !fits {
		err = s.collect(ctx, 0, nil)
	}
	return err
}

// sendLists sends the updates of the frontier: a launch for each list that is not empty. With
// the atomic filter the last one completes the next frontier.
func (s *separate) sendLists(ctx context.Context) error {
	front, send, run := s.front, "Send", s.run
	switch s.filter {
	case Atomic:
		send = "SendAtomic"
	case Strided, Khorasani:
		run.Filter = Ballot // Send marks the vertices, and no more
	}
	for class := classes - 1; class >= 0; class-- {
		n := front.of(uint32(class))
		if n == 0 {
			continue
		}
		st := step{kernel: listKernel(send, "", class, s.Algorithm), iteration: s.iteration(), team: teams[class], work: int(n),
			args: []any{s.Instance.Arg, s.g, s.Values, s.mem, run, n}, numbers: []scheduler.Number{number("frontier", float64(n))}}
		var ended func() []scheduler.Number
		if s.filter == Atomic && class == front.last() {
			st.answer, st.wait, ended = s.run.Step+1, true, s.collected(front)
		}
		if err := s.launchOne(ctx, st, ended); err != nil {
			return err
		}
	}
	if s.filter == Atomic {
		s.run.Step++
		s.run.Iteration++
	}
	return nil
}

// last returns the last list that is processed: the one of the smallest degrees that is not
// empty.
func (f frontier) last() (class int) {
	for class = small; class < large && f.of(uint32(class)) == 0; class++ {
	}
	return class
}

// collected reads the next frontier from the counters, and returns the numbers of an iteration
// with the frontier before.
func (s *separate) collected(before frontier) func() []scheduler.Number {
	return func() []scheduler.Number {
		s.front = s.frontierRead()
		return []scheduler.Number{number("next", float64(s.front.entries())), number(arcs, float64(before.Arcs)), number(iterations, 1)}
	}
}

// scanOther makes the lists of the next frontier by a filter of the comparison that scans.
func (s *separate) scanOther(ctx context.Context, before frontier) error {
	last, args := s.iteration()-1, []any{s.g.Row, s.mem, s.run}
	if s.filter == Strided {
		return s.twoHalves(ctx, countStridedOne, writeStridedOne, last, s.Vertices(), args, s.collected(before))
	}
	return s.launchOne(ctx, step{kernel: reserveOne, iteration: last, grid: s.gridOf(s.Vertices()), answer: s.run.Step, wait: true, args: args}, s.collected(before))
}
