package papers

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// tolerance is the part of an effect by which a number may miss a paper's range: see "By which rule does a claim of a
// paper agree?" in RATIONALE.md.
const tolerance = 0.25

// noEffect is by how much a number must be on one side of no effect to have a direction, as a part of it: see the same section.
const noEffect = 0.01

// demand is what a check demands of a number: a relation, or the range that a paper states and
// a relation that says on which side of what the range is.
type demand struct {
	ranged bool
	lo, hi float64  // of the paper
	side   relation // of a range: what to fall back on; its op is "" if there is none
}

// relation is > 1 and the like.
type relation struct {
	op    string
	bound float64
}

var (
	relationForm = regexp.MustCompile(`^(<=|>=|<|>|=) (-?[0-9.]+)$`)
	rangeForm    = regexp.MustCompile(`^in (-?[0-9]+(?:\.[0-9]+)?)(?:\.\.(-?[0-9]+(?:\.[0-9]+)?))?(?: else (.+)| from (-?[0-9.]+))?$`)
)

// parseDemand parses "> 1", "in 1.2..1.6 else > 1", "in 0.8..1.2 from 1" and "in 110".
func parseDemand(text string) (d demand, err error) {
	m := rangeForm.FindStringSubmatch(text)
	if m == nil {
		d.side, err = parseRelation(text)
		return d, err
	}
	d.ranged = true
	if m[2] == "" {
		m[2] = m[1]
	}
	if d.lo, err = strconv.ParseFloat(m[1], 64); err != nil {
		return d, fmt.Errorf("%q is not a number", m[1])
	}
	if d.hi, err = strconv.ParseFloat(m[2], 64); err != nil {
		return d, fmt.Errorf("%q is not a number", m[2])
	}
	if d.lo > d.hi {
		return d, fmt.Errorf("the range %s..%s begins with its larger end", m[1], m[2])
	}
	if m[4] != "" {
		if d.side.bound, err = strconv.ParseFloat(m[4], 64); err != nil {
			err = fmt.Errorf("%q is not a number", m[4])
		}
		return d, err
	}
	if m[3] == "" {
		return d, nil
	}
	if d.side, err = parseRelation(m[3]); err == nil && !d.side.holds(d.lo) && !d.side.holds(d.hi) {
		err = fmt.Errorf("no number of the range is %s", m[3])
	}
	return d, err
}

func parseRelation(text string) (r relation, err error) {
	m := relationForm.FindStringSubmatch(text)
	if m == nil {
		return r, fmt.Errorf("%q is neither RELATION NUMBER, with < <= > >= or =, nor in NUMBER or in NUMBER..NUMBER, with else RELATION NUMBER, from NUMBER, or neither", text)
	}
	r.op = m[1]
	if r.bound, err = strconv.ParseFloat(m[2], 64); err != nil {
		err = fmt.Errorf("%q is not a number", m[2])
	}
	return r, err
}

func (r relation) holds(x float64) bool {
	switch r.op {
	case "<":
		return x < r.bound
	case "<=":
		return x <= r.bound
	case ">":
		return x > r.bound
	case ">=":
		return x >= r.bound
	case "=":
		return x == r.bound
	}
	return false
}

// tolerated returns the range that agrees: that of the paper, made wider by a part of what each
// end says, which is its distance from no effect: from the bound of else, from that of from, and without either from 0.
func (d demand) tolerated() (lo, hi float64) {
	wider := func(x float64, up bool) float64 {
		effect := x - d.side.bound
		if (effect > 0) == up {
			return x + tolerance*effect
		}
		return x - tolerance*effect
	}
	return wider(d.lo, false), wider(d.hi, true)
}

// verdict judges numbers, all of which must be as demanded.
func (d demand) verdict(numbers []float64) Word {
	all := func(is func(float64) bool) bool {
		for _, x := range numbers {
			if !is(x) {
				return false
			}
		}
		return true
	}
	if !d.ranged {
		if all(d.side.holds) {
			return Agrees
		}
		return Differs
	}
	lo, hi := d.tolerated()
	switch {
	case all(func(x float64) bool { return lo <= x && x <= hi }):
		return Agrees
	case all(func(x float64) bool {
		return d.side.holds(x) && math.Abs(x-d.side.bound) >= noEffect*math.Abs(d.side.bound)
	}):
		return Direction
	}
	return Differs
}

// String says what is demanded.
func (d demand) String() string {
	if !d.ranged {
		return fmt.Sprintf("%s %.4g", d.side.op, d.side.bound)
	}
	lo, hi := d.tolerated()
	return fmt.Sprintf("%.3g to %.3g", lo, hi)
}
