package policy

import "github.com/weft-gpu/weft/internal/base/bitmix"

// pauses is the StepOrder of a schedule's Pauses.
type pauses struct {
	pending map[warpOf]map[int]int // by warp and step: the index in the list
	steps   map[warpOf]int         // steps that a warp with a pending pause has taken
	index   map[warpOf]int         // of warps that wait
}

// warpOf names a warp of a launch.
type warpOf struct{ block, warp int }

// newPauses returns the pauses of a launch; nil if there are none.
func newPauses(list []Pause, launch int) *pauses {
	p := &pauses{pending: map[warpOf]map[int]int{}, steps: map[warpOf]int{}, index: map[warpOf]int{}}
	for i, x := range list {
		if x.Launch != launch {
			continue
		}
		w := warpOf{x.Block, x.Warp}
		if p.pending[w] == nil {
			p.pending[w] = map[int]int{}
		}
		p.pending[w][x.Step] = i
	}
	if len(p.pending) == 0 {
		return nil
	}
	return p
}

// Holds reports whether the warp pauses before this step.
func (p *pauses) Holds(s *Step) bool {
	w := warpOf{s.Block, s.Warp}
	mine := p.pending[w]
	if mine == nil {
		return false
	}
	p.steps[w] = s.Number
	i, ok := mine[s.Number]
	if ok {
		if delete(mine, s.Number); len(mine) == 0 {
			delete(p.pending, w)
		}
		p.index[w] = i
	}
	return ok
}

// Next ends the pause that stands last in the list if nothing else happens, and those that are too long.
func (p *pauses) Next(waiting []Step, idle bool) (chosen []int, err error) {
	last := -1
	for i := range waiting {
		if waiting[i].Waits >= LongestPause {
			chosen = append(chosen, i)
		}
		if last < 0 || p.of(&waiting[i]) > p.of(&waiting[last]) {
			last = i
		}
	}
	if len(chosen) == 0 && last >= 0 && idle {
		chosen = append(chosen, last)
	}
	return chosen, nil
}

func (p *pauses) of(s *Step) int { return p.index[warpOf{s.Block, s.Warp}] }

// ByLane returns false: a pause is for the warp.
func (p *pauses) ByLane() bool { return false }

// State is a hash of how many steps each warp with a pause is from it.
func (p *pauses) State() uint64 {
	sum := uint64(0)
	for w, mine := range p.pending {
		for at, i := range mine {
			sum += bitmix.Mix(uint64(i)<<40 + uint64(at-p.steps[w]) + 1)
		}
	}
	return sum
}
