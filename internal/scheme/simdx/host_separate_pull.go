//go:build !kernel

package simdx

import (
	"context"

	"github.com/weft-gpu/weft/scheduler"
)

// This file has what a run without fusion does when it does not push a frontier: pulls, and
// pushes of all vertices.

// turn converts the values to the other direction.
func (s *separate) turn(ctx context.Context, toPull bool) error {
	if !s.Algorithm.Turns() {
		return nil
	}
	return s.launchOne(ctx, step{kernel: scheduler.TurnKernel(s.Algorithm), iteration: s.iteration(), team: scheduler.OneThread, work: s.Vertices(),
		args: []any{s.Instance.Arg, s.out.Row, s.Values.Slice(0, s.Vertices()), toPull}}, nil)
}

// pullOn pulls as long as it pays; turn is set if pushing is better.
func (s *separate) pullOn(ctx context.Context) (turn bool, err error) {
	if err := s.turn(ctx, true); err != nil {
		return false, err
	}
	open, err := s.collectOpen(ctx)
	for err == nil {
		if err = s.tooMany(int(open.entries())); err != nil {
			break
		}
		var active, next uint32
		if active, next, err = s.pullLists(ctx, open); err != nil {
			break
		}
		ended := active == 0
		if ended {
			if active, next, err = s.nextPullPhase(ctx); active == 0 || err != nil {
				return false, err
			}
		}
		if s.run.Both && next <= s.run.PullAbove && active <= s.run.Unstable {
			if !ended {
				s.run.First = 0 // the frontier are the marked vertices
			}
			return true, nil
		}
		if ended {
			open, err = s.collectOpen(ctx)
		}
	}
	return false, err
}

// collectOpen makes the lists of the vertices whose values may still change.
func (s *separate) collectOpen(ctx context.Context) (open frontier, err error) {
	grid := s.gridOf(s.Vertices())
	err = s.launchOne(ctx, step{kernel: entryPoint("CountOpen", "", s.Algorithm), iteration: s.iteration(), grid: grid,
		args: []any{s.Instance.Arg, s.in, s.out.Row, s.Values, s.next, s.mem, s.run}}, nil)
	if err == nil {
		err = s.launchOne(ctx, step{kernel: entryPoint("WriteOpen", "", s.Algorithm), iteration: s.iteration(), grid: grid, answer: s.run.Step, wait: true,
			args: []any{s.Instance.Arg, s.in, s.out.Row, s.Values, s.mem, s.run}}, nil)
		open = s.frontierRead()
	}
	s.run.First = s.run.Step // where the lists are
	return open, err
}

// nextPullPhase begins the next phase of an algorithm whose frontier is empty. It returns the
// vertices that enter it, which are in the queue, and their outgoing arcs; the run is over if
// there are none.
func (s *separate) nextPullPhase(ctx context.Context) (active, outgoing uint32, err error) {
	n, err := s.phases.Advance(ctx, s.FrontierLoop, s.mem.Queue)
	if n == 0 || err != nil {
		return 0, 0, err
	}
	s.PhaseBegins(s.iteration())
	s.run.Phase, s.run.First = s.phases.Now(), uint32(n)
	if s.run.Both {
		err = s.collect(ctx, 0, nil)
	}
	return uint32(n), s.front.Arcs, err
}

// pullLists is an iteration: a launch for each list that is not empty. It returns the number
// of vertices that changed, and of their outgoing arcs.
func (s *separate) pullLists(ctx context.Context, open frontier) (changed, outgoing uint32, err error) {
	last := open.last()
	for class := classes - 1; class >= last; class-- {
		n := open.of(uint32(class))
		if n == 0 {
			continue
		}
		st := step{kernel: listKernel("Gather", "", class, s.Algorithm), iteration: s.iteration(), team: teams[class], work: int(n), answer: s.run.Step + 1, wait: class == last,
			args: []any{s.Instance.Arg, s.in, s.Values, s.next, s.mem, s.run, n}, numbers: []scheduler.Number{number("frontier", float64(n))}}
		err = s.launchOne(ctx, st, func() []scheduler.Number {
			if class != last {
				return nil
			}
			changed, outgoing = s.values[changedCount], s.values[arcsCount]
			return []scheduler.Number{number("next", float64(changed)), number(arcs, float64(open.Arcs)), number(iterations, 1)}
		})
		if err != nil {
			return 0, 0, err
		}
	}
	s.run.Step++
	s.run.Iteration++
	s.Values, s.next = s.next, s.Values
	return changed, outgoing, nil
}

// scatterOn pushes all vertices of an algorithm without a frontier until none changes.
func (s *separate) scatterOn(ctx context.Context) error {
	grid := s.gridOf(s.Vertices())
	err := s.launchOne(ctx, step{kernel: entryPoint("CountAll", "", s.Algorithm), iteration: s.iteration(), grid: grid,
		args: []any{s.Instance.Arg, s.out.Row, s.next, s.mem}}, nil)
	if err == nil {
		err = s.launchOne(ctx, step{kernel: writeAllOne, iteration: s.iteration(), grid: grid, answer: s.run.Step, wait: true,
			args: []any{s.out.Row, s.mem, s.run}}, nil)
	}
	all := s.frontierRead()
	s.run.First = s.run.Step // where the lists are
	for changed := uint32(1); err == nil && changed > 0; {
		if err = s.tooMany(int(all.entries())); err == nil {
			changed, err = s.scatterLists(ctx, all)
		}
	}
	return err
}

// scatterLists is an iteration: a launch for each list that is not empty, and one that applies
// what has arrived. It returns the number of vertices that changed.
func (s *separate) scatterLists(ctx context.Context, all frontier) (changed uint32, err error) {
	for class := classes - 1; class >= 0; class-- {
		n := all.of(uint32(class))
		if n == 0 {
			continue
		}
		if err := s.launchOne(ctx, step{kernel: listKernel("ScatterList", "", class, s.Algorithm), iteration: s.iteration(), team: teams[class], work: int(n),
			args: []any{s.Instance.Arg, s.out, s.Values, s.next, s.mem, s.run, n}, numbers: []scheduler.Number{number("frontier", float64(n))}}, nil); err != nil {
			return 0, err
		}
	}
	err = s.launchOne(ctx, step{kernel: entryPoint("ApplySums", "", s.Algorithm), iteration: s.iteration(), grid: s.gridOf(s.Vertices()), answer: s.run.Step + 1, wait: true,
		args: []any{s.Instance.Arg, s.out, s.Values, s.next, s.mem, s.run}}, func() []scheduler.Number {
		changed = s.values[changedCount]
		return []scheduler.Number{number("next", float64(changed)), number(arcs, float64(all.Arcs)), number(iterations, 1)}
	})
	s.run.Step++
	s.run.Iteration++
	return changed, err
}
