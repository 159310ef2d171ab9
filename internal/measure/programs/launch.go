package programs

import (
	"slices"

	"github.com/weft-gpu/weft/results"
)

// A launch on a real GPU has a time of its own, another one in each process (RATIONALE.md). Only what was measured in the same process
// says which: the launches of an empty kernel of one block, before and after those of the program.

// emptyLaunch returns the median of the run's launches of an empty kernel of one block, in seconds; 0 if there were none.
func (r *Run) emptyLaunch() float64 {
	var all []float64
	for _, c := range r.Costs {
		if len(c.Empty) > 0 {
			all = slices.Concat(all, c.Empty[0].Before, c.Empty[0].After)
		}
	}
	return median(all)
}

// launchDifference returns by how many seconds a launch of an empty kernel takes longer in b than in a; nil if one of them has none.
func launchDifference(a, b *Run) *float64 {
	x, y := a.emptyLaunch(), b.emptyLaunch()
	if x == 0 || y == 0 {
		return nil
	}
	d := y - x
	return &d
}

// median returns the median of a list; 0 of none.
func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	return results.SpreadOf(list).Median
}
