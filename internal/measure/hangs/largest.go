package hangs

import (
	"context"
	"fmt"
	"maps"
	"strconv"
)

// Largest is the largest grid with which a scenario ends, found by launching it.
type Largest struct {
	Scenario   string            `json:"study"`
	Parameters map[string]string `json:"parameters"` // without Blocks
	// Ends is the largest grid that ended, and Next the smallest that did not: Ends plus the
	// multiple in which the scenario takes blocks. Ends is 0 if no grid ended, Next if all did.
	Ends int `json:"largest"`
	Next int `json:"next"`
	// Resident, PerSM, Limit and EquationOne are those of a Result.
	Resident    int    `json:"resident"`
	PerSM       int    `json:"resident_per_sm"`
	Limit       string `json:"limit"`
	Registers   int    `json:"registers"`
	Threads     int    `json:"threads"`
	EquationOne int    `json:"equation_1"`
	// Tries are the launches, in order.
	Tries []Try `json:"tries"`
	// Hang is how the launch of Next ended; nil if there is none.
	Hang *Result `json:"-"`
}

// Try is one launch in the search for the largest grid.
type Try struct {
	Blocks  int     `json:"blocks"`
	Outcome Outcome `json:"outcome"`
}

// Largest finds the largest grid with which a scenario ends, by bisection between the smallest grid
// and one that is larger than occupancy and equation 1 say. It is an error if a launch ends
// neither right nor in a hang, or is rejected.
func (r *Runner) Largest(ctx context.Context, s *Scenario, set map[string]string) (*Largest, error) {
	if !s.Has(Blocks) {
		return nil, fmt.Errorf("the grid of scenario %s has a fixed size, %d", s.Name, s.blocks)
	}
	step := max(s.multiple, 1)
	out := &Largest{Scenario: s.Name}
	ends := func(n int) (bool, error) {
		with := maps.Clone(set)
		if with == nil {
			with = map[string]string{}
		}
		with[Blocks] = strconv.Itoa(n * step)
		res, err := r.Run(ctx, s, with)
		if err != nil {
			return false, err
		}
		out.Tries = append(out.Tries, Try{res.Blocks, res.Outcome})
		switch res.Outcome {
		case Ends:
			out.Ends = max(out.Ends, res.Blocks)
		case Hangs, Rejected:
			out.Hang, out.Next = res, res.Blocks
		default:
			return false, fmt.Errorf("scenario %s with a grid of %d: %s: %w", s.Name, res.Blocks, res.Outcome, res.Err)
		}
		out.Parameters, out.Resident, out.PerSM, out.Limit = res.Parameters, res.Resident, res.PerSM, res.Limit
		out.Registers, out.Threads, out.EquationOne = res.Registers, res.Threads, res.EquationOne
		delete(out.Parameters, Blocks)
		return res.Outcome == Ends, nil
	}
	if ok, err := ends(1); !ok || err != nil {
		return out, err
	}
	low, high := 1, max(2*out.Resident, out.EquationOne)/step+1
	if ok, err := ends(high); ok || err != nil {
		return out, err
	}
	for high-low > 1 {
		middle := (low + high) / 2
		ok, err := ends(middle)
		switch {
		case err != nil:
			return out, err
		case ok:
			low = middle
		default:
			high = middle
		}
	}
	return out, nil
}
