package sample

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Groups is the number of groups of measured pieces.
const Groups = 16

// Confidence is how often the truth lies in an interval.
const Confidence = 0.95

// Alone is the relative half width that is assumed of an estimate from a single piece, or from pieces of other sizes, which say
// nothing of how pieces differ.
const Alone = 0.3

// minLinear is how many pieces a linear function is drawn through; through fewer, it would follow their noise.
const minLinear = 5

// Model says how what is measured of a piece depends on its size.
type Model int

// The models.
const (
	Proportional Model = iota // to its work
	Linear                    // a constant, and parts for its work and for its longest chain
)

// Size is what is known of a piece without measuring it.
type Size struct {
	Work  float64
	Chain float64 // the longest part of the work that is done one after the other
}

// features are what a linear function is made of.
const features = 3

type vector [features]float64

// of returns the features of some pieces with a size in total.
func of(pieces float64, total Size) vector { return vector{pieces, total.Work, total.Chain} }

// Stratum holds what was measured of pieces that resemble each other, and how many more there are. The zero Stratum has none.
type Stratum struct {
	Model  Model
	groups [Groups]sums
	all    sums
	count  int // measured pieces
	// Left counts the pieces that were not measured, and LeftSize is the sum of their sizes.
	Left     int
	LeftSize Size
}

// sums are over measured pieces: of products of two features, and of a feature and what was measured.
type sums struct {
	squares [features]vector
	by      [features][]float64
}

func (s *sums) add(size Size, weight float64, x []float64) {
	f := of(1, size)
	for i, a := range f {
		a *= weight
		for k, b := range f {
			s.squares[i][k] += a * b
		}
		if s.by[i] == nil {
			s.by[i] = make([]float64, len(x))
		}
		for k, v := range x {
			s.by[i][k] += a * v
		}
	}
}

// Measured adds a measured piece that stands for so many. With such weights the estimate of the sum is right in the mean also if no
// line goes through the pieces (Särndal, Swensson, Wretman, Model Assisted Survey Sampling, chapter 6).
func (s *Stratum) Measured(size Size, weight float64, x []float64) {
	s.groups[s.count%Groups].add(size, weight, x)
	s.all.add(size, weight, x)
	s.count++
}

// Count returns the number of measured pieces.
func (s *Stratum) Count() int { return s.count }

// Mean returns the mean size of the measured pieces.
func (s *Stratum) Mean() Size {
	sum := s.all.squares[0]
	return Size{sum[1] / sum[0], sum[2] / sum[0]}
}

// Skipped adds a piece that is not measured.
func (s *Stratum) Skipped(size Size) {
	s.Left++
	s.LeftSize.Work += size.Work
	s.LeftSize.Chain += size.Chain
}

// Estimate adds to sum what n pieces with a size in total would measure, from the pieces that were.
func (s *Stratum) Estimate(n int, total Size, sum []float64) {
	s.estimate(&sums{}, of(float64(n), total), sum)
}

// estimate adds to sum what pieces would measure, as known without some of the measured ones.
func (s *Stratum) estimate(without *sums, pieces vector, sum []float64) {
	for k, weight := range s.weights(without, pieces) {
		if weight == 0 {
			continue
		}
		for i, value := range s.all.by[k] {
			if by := without.by[k]; by != nil {
				value -= by[i]
			}
			sum[i] += weight * value
		}
	}
}

// one returns what estimate adds to one quantity.
func (s *Stratum) one(without *sums, pieces vector, quantity int) (sum float64) {
	for k, w := range s.weights(without, pieces) {
		v := s.all.by[k][quantity]
		if by := without.by[k]; by != nil {
			v -= by[quantity]
		}
		sum += w * v
	}
	return sum
}

// weights returns with which weight each feature's sums of what was measured give the estimate of pieces.
func (s *Stratum) weights(without *sums, pieces vector) vector {
	var squares [features]vector
	for i := range squares {
		for k := range squares[i] {
			squares[i][k] = s.all.squares[i][k] - without.squares[i][k]
		}
	}
	count, work := squares[0][0], squares[0][1]
	switch {
	case count == 0 || work == 0:
		return vector{}
	case s.Model == Linear && s.count >= minLinear:
		return solve(squares, pieces)
	}
	return vector{pieces[1] / work}
}

// solve solves squares * x = right, by elimination from the first feature on. A feature that the earlier ones determine, or nearly
// so, has no part: measured pieces of one size say nothing about other sizes.
func solve(squares [features]vector, right vector) (x vector) {
	const least = 1e-3 // of a feature's own square
	var used [features]bool
	own := vector{squares[0][0], squares[1][1], squares[2][2]}
	for i := range features {
		if used[i] = squares[i][i] > 0 && squares[i][i] > least*own[i]; !used[i] {
			continue
		}
		for k := i + 1; k < features; k++ {
			by := squares[k][i] / squares[i][i]
			for m := i; m < features; m++ {
				squares[k][m] -= by * squares[i][m]
			}
			right[k] -= by * right[i]
		}
	}
	for i := features - 1; i >= 0; i-- {
		if !used[i] {
			continue
		}
		x[i] = right[i]
		for k := i + 1; k < features; k++ {
			x[i] -= squares[i][k] * x[k]
		}
		x[i] /= squares[i][i]
	}
	return x
}

// Deviations are by how much an estimate deviates without each group, scaled so that Half of those of a quantity is half of the
// interval's width. Those of several estimates add up.
type Deviations [Groups][]float64

// add adds a deviation without a group.
func (d *Deviations) add(group int, deviation []float64) {
	if d[group] == nil {
		d[group] = make([]float64, len(deviation))
	}
	for i, v := range deviation {
		d[group][i] += v
	}
}

// Add adds other deviations.
func (d *Deviations) Add(other *Deviations) {
	for group, deviation := range other {
		if deviation != nil {
			d.add(group, deviation)
		}
	}
}

// AddStratum adds those of the estimate of all that was left out of a stratum.
func (d *Deviations) AddStratum(s *Stratum) {
	left := of(float64(s.Left), s.LeftSize)
	n := float64(s.Count())
	if left[0] == 0 || n == 0 {
		return
	}
	full := make([]float64, len(s.all.by[0]))
	s.estimate(&sums{}, left, full)
	if n == 1 {
		d.AddSingle(0, full)
		return
	}
	without := make([]float64, len(full))
	scale, used := s.scale(left[0])
	for g := range used {
		clear(without)
		s.estimate(&s.groups[g], left, without)
		for i, v := range full {
			without[i] = (without[i] - v) * scale
		}
		d.add(g, without)
	}
}

// Half returns half of the interval's width of a quantity.
func (d *Deviations) Half(quantity int) float64 {
	var of [Groups]float64
	for group, deviation := range d {
		if deviation != nil {
			of[group] = deviation[quantity]
		}
	}
	return Half(&of)
}

// AddSingle adds the deviation, in one group, of an estimate that has the width Alone.
func (d *Deviations) AddSingle(group int, estimate []float64) {
	x := make([]float64, len(estimate))
	for i, v := range estimate {
		x[i] = Alone * v / (quantile(Groups-1) * math.Sqrt((Groups-1.0)/Groups))
	}
	d.add(group%Groups, x)
}

// With returns half of the interval's width of a quantity over all that was left out and one more piece, and the estimate of the
// quantity for that piece; infinite if nothing was measured.
func (s *Stratum) With(size Size, quantity int) (half, piece float64) {
	if s.Count() == 0 {
		return math.Inf(1), 0
	}
	left := of(float64(s.Left+1), Size{s.LeftSize.Work + size.Work, s.LeftSize.Chain + size.Chain})
	return s.half(left, quantity), s.one(&sums{}, of(1, size), quantity)
}

// Alone returns half of the interval's width of a quantity of a single piece, and its estimate.
func (s *Stratum) Alone(size Size, quantity int) (half, piece float64) {
	if s.Count() == 0 {
		return math.Inf(1), 0
	}
	return s.half(of(1, size), quantity), s.one(&sums{}, of(1, size), quantity)
}

// Half returns half of the interval's width of a quantity over all that was left out.
func (s *Stratum) Half(quantity int) float64 {
	if s.Left == 0 || s.Count() == 0 {
		return 0
	}
	return s.half(of(float64(s.Left), s.LeftSize), quantity)
}

func (s *Stratum) half(left vector, quantity int) float64 {
	n := float64(s.Count())
	full := s.one(&sums{}, left, quantity)
	if n == 1 {
		return Alone * full
	}
	scale, used := s.scale(left[0])
	var d [Groups]float64
	for g := range used {
		d[g] = (s.one(&s.groups[g], left, quantity) - full) * scale
	}
	return Half(&d)
}

// scale returns the factor of the deviations of so many pieces that were not measured, and the number of groups.
func (s *Stratum) scale(left float64) (factor float64, groups int) {
	n := float64(s.Count())
	used := min(n, Groups)
	// The pieces that were left out differ from each other as those that were measured do.
	return math.Sqrt((used-1)/used*Groups/(Groups-1)*(1+n/left)) * quantile(used-1) / quantile(Groups-1), int(used)
}

// Half returns half of the width of the interval of a quantity that deviates so without each group.
func Half(d *[Groups]float64) float64 {
	sum := 0.0
	for _, v := range d {
		sum += v * v
	}
	return quantile(Groups-1) * math.Sqrt((Groups-1.0)/Groups*sum)
}

// quantile returns the quantile of Student's distribution for both sides of an interval.
func quantile(freedom float64) float64 { return quantiles[int(freedom)] }

var quantiles = func() (q [Groups]float64) {
	for i := 1; i < Groups; i++ {
		q[i] = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(i)}.Quantile((1 + Confidence) / 2)
	}
	return q
}()
