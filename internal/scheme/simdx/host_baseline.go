//go:build !kernel

package simdx

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/scheduler"
)

// pushBatch is an iteration with the batch filter.
func (s *separate) pushBatch(ctx context.Context) error {
	n, room := s.front.Arcs, s.Graph.Arcs()
	if int(n) > room {
		return fmt.Errorf("%s: the vertices of iteration %d have %d arcs, since some are in the frontier several times; the active edge list of filter=batch has room for %d",
			s.Algorithm.Name, s.run.Iteration, n, room)
	}
	before := s.front
	if err := s.launchOne(ctx, step{kernel: expandOne, iteration: s.iteration(), team: scheduler.OneThread, work: int(before.entries()), args: []any{s.mem, s.run},
		numbers: []scheduler.Number{number("frontier", float64(before.entries())), number(arcs, float64(n))}}, nil); err != nil {
		return err
	}
	if err := s.launchOne(ctx, step{kernel: entryPoint("Update", "", s.Algorithm), iteration: s.iteration(), team: scheduler.OneThread, work: int(n),
		args: []any{s.Instance.Arg, s.g, s.Values, s.mem, s.run, n}}, nil); err != nil {
		return err
	}
	s.run.Step++
	next := s.run
	next.Iteration++
	fits := true
	err := s.twoHalves(ctx, countEdgesOne, writeEdgesOne, s.iteration(), int(n), []any{s.g.Row, s.mem, next, n}, func() []scheduler.Number {
		s.front = s.frontierRead()
		shape := s.mem.Push
		fits = s.front.Small <= shape.SmallRoom && s.front.Medium <= shape.MediumRoom && s.front.Large <= shape.LargeRoom
		return []scheduler.Number{number("next", float64(s.front.entries())), number(iterations, 1)}
	})
	s.run.Iteration++
	if err == nil && !fits {
		err = s.collect(ctx, 0, nil)
	}
	return err
}

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
	var open frontier
	grid := s.gridOf(s.Vertices())
	err = s.launchOne(ctx, step{kernel: entryPoint("CountOpen", "", s.Algorithm), iteration: s.iteration(), grid: grid,
		args: []any{s.Instance.Arg, s.in, s.out.Row, s.Values, s.next, s.mem}}, nil)
	if err == nil {
		err = s.launchOne(ctx, step{kernel: entryPoint("WriteOpen", "", s.Algorithm), iteration: s.iteration(), grid: grid, answer: s.run.Step, wait: true,
			args: []any{s.Instance.Arg, s.in, s.out.Row, s.Values, s.mem, s.run}}, nil)
		open = s.frontierRead()
	}
	s.run.First = s.run.Step // where the lists are
	for err == nil {
		if err = s.tooMany(int(open.entries())); err != nil {
			break
		}
		var active, next uint32
		if active, next, err = s.pullLists(ctx, open); err != nil || active == 0 {
			return false, err
		}
		if s.run.Both && next <= s.run.PullAbove {
			s.run.First = 0
			return true, nil
		}
	}
	return false, err
}

// pullLists is an iteration: a launch for each list that is not empty. It returns the number
// of vertices that changed, and of their outgoing arcs.
func (s *separate) pullLists(ctx context.Context, open frontier) (changed, outgoing uint32, err error) {
	last := small
	for last < large && open.of(uint32(last)) == 0 {
		last++
	}
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
