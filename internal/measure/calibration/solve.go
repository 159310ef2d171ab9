package calibration

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/weft-gpu/weft/internal/base/format"
)

// A search ends when the row is within closeValue of the recorded one (or more, see search.close), when the answer is known to closeEnds, or after mostProbes simulations.
const (
	mostProbes = 14
	fewProbes  = 5 // of a rough search
	closeValue = 1e-3
	closeEnds  = 5e-3
)

// errFlat is a row that the parameter does not move.
var errFlat = errors.New("the row does not react to it on this machine")

// boundError is a row that asks for a value beyond the bounds of its parameter.
type boundError struct{ at, row float64 }

func (e *boundError) Error() string {
	return fmt.Sprintf("with %s the row is %s, and not nearer to the recorded value with others", format.Significant(e.at), format.Significant(e.row))
}

// search looks for the value of a parameter for which a row, which rises or falls with it, is as recorded.
type search struct {
	from, least, most float64
	whole             bool // values are whole numbers; the answer lies between two
	want              float64
	rough             bool    // the row does not tell the value exactly
	close             float64 // the row is as recorded if it differs by this share; closeValue if that is more
	row               func(value float64) (float64, error)

	probes []probe // by value
}

// probe is a value with what the row is more than recorded.
type probe struct{ x, miss float64 }

// run returns the value, which is not whole if two whole ones are around what the row asks for.
func (s *search) run() (float64, error) {
	if near, err := s.probe(s.clamp(s.from)); near || err != nil {
		return s.clamp(s.from), err
	}
	if near, err := s.second(); near || err != nil {
		return s.best().x, err
	}
	for {
		i := s.crossing()
		if i >= 0 && s.known(i) || len(s.probes) >= mostProbes || s.rough && len(s.probes) >= fewProbes {
			return s.answer(i)
		}
		x := s.outside()
		if i >= 0 {
			x = s.inside(i)
		}
		if slices.ContainsFunc(s.probes, func(p probe) bool { return p.x == x }) {
			return s.answer(i)
		}
		if near, err := s.probe(x); near || err != nil {
			return x, err
		}
	}
}

// probe simulates the row and reports whether it is as recorded.
func (s *search) probe(x float64) (near bool, err error) {
	y, err := s.row(x)
	if err != nil {
		return false, err
	}
	s.probes = append(s.probes, probe{x, y - s.want})
	slices.SortFunc(s.probes, func(a, b probe) int { return cmp.Compare(a.x, b.x) })
	return math.Abs(y-s.want) <= max(closeValue, s.close)*math.Abs(s.want), nil
}

// second looks for another value at which the row differs.
func (s *search) second() (near bool, err error) {
	first := s.probes[0]
	step := max(math.Abs(first.x)/8, 0.1)
	if s.whole {
		step = max(step, 1)
	}
	for range 6 {
		for _, x := range []float64{s.clamp(first.x + step), s.clamp(first.x - step)} {
			if slices.ContainsFunc(s.probes, func(p probe) bool { return p.x == x }) {
				continue
			}
			if near, err := s.probe(x); near || err != nil {
				return near, err
			}
			if a, b := s.probes[0], s.probes[len(s.probes)-1]; math.Abs(a.miss-b.miss) > 1e-3*math.Abs(s.want) {
				return false, nil
			}
		}
		step *= 8
	}
	return false, errFlat
}

// step is the smallest step between two values.
func (s *search) step() float64 {
	if s.whole {
		return 1
	}
	return closeEnds * max(math.Abs(s.from), 0.1)
}

func (s *search) clamp(x float64) float64 {
	if s.whole {
		x = math.Round(x)
	}
	return min(max(x, s.least), s.most)
}

// crossing returns the index of the probe after which the row passes the recorded value; -1 if no two probes are around it.
func (s *search) crossing() int {
	for i := range len(s.probes) - 1 {
		if s.probes[i].miss < 0 != (s.probes[i+1].miss < 0) {
			return i
		}
	}
	return -1
}

// known reports whether the probe with an index and the next one are so close that what lies between them follows.
func (s *search) known(i int) bool {
	return s.probes[i+1].x-s.probes[i].x <= s.step()*(1+1e-9)
}

// inside returns a value between two probes: by a secant, and each fourth time the middle.
func (s *search) inside(i int) float64 {
	a, b := s.probes[i], s.probes[i+1]
	x := a.x - a.miss*(b.x-a.x)/(b.miss-a.miss)
	if len(s.probes)%4 == 0 {
		x = (a.x + b.x) / 2
	}
	return s.clamp(min(max(x, a.x+s.step()), b.x-s.step()))
}

// outside returns a value beyond all probes, on the side on which the row comes nearer to the recorded value.
func (s *search) outside() float64 {
	last := len(s.probes) - 1
	a, b := s.probes[last-1], s.probes[last]
	if math.Abs(s.probes[0].miss) < math.Abs(b.miss) {
		a, b = s.probes[1], s.probes[0] // b is nearer
	}
	step := 3 * math.Abs(b.x-a.x)
	if a.miss != b.miss { // twice what a line asks for: rates fall more and more slowly
		step = min(step, 2*math.Abs(b.miss*(b.x-a.x)/(b.miss-a.miss)))
	}
	return s.clamp(b.x + math.Copysign(max(step, s.step()), b.x-a.x))
}

// best returns the probe nearest to the recorded value.
func (s *search) best() probe {
	return slices.MinFunc(s.probes, func(a, b probe) int { return cmp.Compare(math.Abs(a.miss), math.Abs(b.miss)) })
}

// answer returns the value that follows from the probes around the recorded value, or says that it is beyond a bound.
func (s *search) answer(i int) (float64, error) {
	if i >= 0 {
		a, b := s.probes[i], s.probes[i+1]
		return a.x - a.miss*(b.x-a.x)/(b.miss-a.miss), nil
	}
	b := s.best()
	return b.x, &boundError{b.x, b.miss + s.want}
}
