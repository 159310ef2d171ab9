package explore

import (
	"context"
	"slices"
	"strconv"

	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/sim/policy"
)

// shrinker reduces a schedule that makes a program fail: it leaves out, one after the other, what the failure does not
// need, and keeps what still fails in the same way.
type shrinker struct {
	ctx      context.Context
	trial    Trial
	base     *Outcome
	first    uint64
	fixed    bool // the seed matters without any setting
	f        *Failure
	progress func(done, failed int, shrinking bool)
	done     int
}

// mostTries limits the trials of a reduction.
const mostTries = 100

// run reduces s.f.Setting until nothing can be left out.
func (s *shrinker) run() error {
	for again := true; again; {
		again = false
		for _, next := range s.candidates() {
			if s.f.Tries >= mostTries {
				return nil
			}
			ok, err := s.fails(next)
			if err != nil {
				return err
			}
			if ok {
				again = true
				break // the candidates of the smaller one
			}
		}
	}
	return nil
}

// fails tries a smaller schedule and keeps it if the program fails in the same way.
func (s *shrinker) fails(next Setting) (bool, error) {
	s.f.Tries++
	o, err := s.trial(s.ctx, next, nil, s.base)
	if err != nil {
		return false, err
	}
	if s.progress != nil {
		s.progress(s.done, 1, true)
	}
	if o.Kind != s.f.Kind {
		return false, nil
	}
	s.f.Outcome, s.f.Setting = o, next
	return true, nil
}

// candidates returns schedules that are smaller than the current one, those that are much smaller first.
func (s *shrinker) candidates() (list []Setting) {
	now := s.f.Setting
	pauses := pausesOf(&now)
	shuffled := now.Schedule != nil && now.Schedule.Shuffle
	with := func(set []devices.Setting, shuffle bool, pauses []policy.Pause) {
		next := Setting{Seed: now.Seed, Set: set}
		if shuffle || len(pauses) > 0 {
			next.Schedule = &policy.Schedule{Shuffle: shuffle, Pauses: pauses}
		}
		if len(set) == 0 && !shuffle && !s.fixed {
			next.Seed = s.first // nothing draws from it
		}
		list = append(list, next)
	}
	if (len(pauses) > 0 || s.fixed) && (len(now.Set) > 0 || shuffled) {
		with(nil, false, pauses)
	}
	for i := range pauses {
		with(now.Set, shuffled, slices.Delete(slices.Clone(pauses), i, i+1))
	}
	if shuffled {
		with(now.Set, false, pauses)
	}
	for i := range now.Set {
		with(slices.Delete(slices.Clone(now.Set), i, i+1), shuffled, pauses)
	}
	for i := range now.Set {
		n, err := strconv.Atoi(now.Set[i].Value)
		if err != nil || n < 2 {
			continue // a policy
		}
		less := slices.Clone(now.Set)
		less[i].Value = strconv.Itoa(n / 2)
		with(less, shuffled, pauses)
	}
	return list
}
