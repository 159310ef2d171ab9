package plot

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// steps returns about n round numbers from lo to hi: multiples of 1, 2, 2.5 or 5 times a power of ten.
func steps(lo, hi float64, n int) (list []float64) {
	if !(hi > lo) || math.IsInf(hi-lo, 0) || same64(lo, hi) {
		return []float64{lo}
	}
	power := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	step := 10 * power
	for _, f := range []float64{1, 2, 2.5, 5} {
		if (hi-lo)/(f*power) <= float64(n)+0.5 {
			step = f * power
			break
		}
	}
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+1e-9*step; k++ {
		list = append(list, k*step)
	}
	return list
}

// same64 reports whether numbers differ by their last digits alone: between them there are no round numbers to count through.
func same64(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b)) }

// prefixes of numbers, as of SI units.
var prefixes = []struct {
	factor float64
	sign   string
}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}}

// digits writes a number with at most n significant digits.
func digits(x float64, n int) string {
	if x == 0 {
		return "0"
	}
	s := strconv.FormatFloat(x, 'g', n, 64)
	y, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	s = strconv.FormatFloat(y, 'f', -1, 64)
	if a := math.Abs(y); a < 1e-4 || a >= 1e15 {
		s = strconv.FormatFloat(y, 'g', -1, 64)
	}
	return strings.Replace(s, "-", "−", 1)
}

// quantity writes a number of a unit for an axis: 2 M, 15 µs, 0.25.
func quantity(x float64, unit string) string { return shown(x, unit, 6) }

// shown writes a number with n significant digits and a prefix.
func shown(x float64, unit string, n int) string {
	a := math.Abs(x)
	small := unit == "s"
	suffix := ""
	if small {
		suffix = unit
	}
	if a == 0 || math.IsInf(a, 0) || math.IsNaN(a) {
		return strings.TrimSpace(digits(x, n) + " " + suffix)
	}
	if !small && a < 1e4 {
		return digits(x, n)
	}
	for _, p := range prefixes {
		if a >= p.factor*0.9999995 {
			return strings.TrimSpace(digits(x/p.factor, n) + " " + p.sign + suffix)
		}
	}
	return strings.TrimSpace(digits(x, n) + " " + suffix)
}

// ticks marks an axis with round numbers.
type ticks struct {
	unit string
	at   []float64 // the values themselves, if they are few
	log  bool
	most int // labels; 0 for as many as suit a wide axis
}

// within returns ticks with at most so many labels.
func (t ticks) within(most int) ticks {
	t.at, t.most = few(t.at, t.log, most), most
	return t
}

// Ticks implements plot.Ticker.
func (t ticks) Ticks(lo, hi float64) (list []plot.Tick) {
	switch {
	case len(t.at) > 0:
		for _, v := range t.at {
			list = append(list, plot.Tick{Value: v, Label: quantity(v, t.unit)})
		}
		return list
	case t.log && hi/lo >= 5:
		return t.decades(lo, hi)
	}
	n := 6
	if t.most > 0 {
		n = min(n, max(t.most, 2))
	}
	for _, v := range steps(lo, hi, n) {
		list = append(list, plot.Tick{Value: v, Label: quantity(v, t.unit)})
	}
	return list
}

// decades marks a logarithmic axis: powers of ten have labels; so have 2 and 5 if there are few.
func (t ticks) decades(lo, hi float64) (list []plot.Tick) {
	from, to := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	span := math.Log10(hi / lo)
	most := 9.0
	if t.most > 0 {
		most = float64(max(t.most, 2))
	}
	every := max(1, math.Ceil(span/most))
	for e := from; e <= to; e++ {
		for k := 1.0; k < 10; k++ {
			v := k * math.Pow(10, e)
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			tick := plot.Tick{Value: v}
			switch {
			case k == 1 && math.Mod(e, every) == 0, span < 2.5 && 3*span <= most && (k == 2 || k == 5):
				tick.Label = quantity(v, t.unit)
			case span > 5:
				continue
			}
			list = append(list, tick)
		}
	}
	return list
}

// logScale is a logarithmic axis. In contrast to plot.LogScale the middle of the range is the middle of the axis, where
// plot.Plot keeps room for the label: it would keep it at the right end, beyond which the label never is. No value is exactly
// in the middle of a range with margins.
type logScale struct{}

// Normalize implements plot.Normalizer.
func (logScale) Normalize(lo, hi, x float64) float64 {
	if x == 0.5*(hi+lo) {
		return 0.5
	}
	return plot.LogScale{}.Normalize(lo, hi, x)
}

// few returns the values to mark one by one, if an axis has room for their labels: most of them, were they evenly spaced, and 9
// at most.
func few(values []float64, log bool, most int) []float64 {
	if len(values) == 0 || len(values) > min(9, most) {
		return nil
	}
	pos := func(v float64) float64 {
		if log {
			return math.Log(v)
		}
		return v
	}
	lo, hi := pos(values[0]), pos(values[len(values)-1])
	for i := 1; i < len(values); i++ {
		if (pos(values[i])-pos(values[i-1]))/(hi-lo) < 0.77/float64(most) {
			return nil
		}
	}
	return values
}

// span is the range of an axis.
type span struct{ lo, hi float64 }

// add extends the range.
func (s *span) add(v float64) { s.lo, s.hi = math.Min(s.lo, v), math.Max(s.hi, v) }

// nothing is a range without values.
func nothing() span { return span{math.Inf(1), math.Inf(-1)} }

// margin returns the range with a margin, so that nothing lies on the frame.
func (s span) margin(log bool) span {
	switch {
	case log && same64(s.lo, s.hi):
		return span{s.lo / 2, s.hi * 2}
	case log:
		f := math.Pow(s.hi/s.lo, 0.05)
		return span{s.lo / f, s.hi * f}
	case s.lo == 0 && s.hi == 0:
		return span{0, 1}
	case same64(s.lo, s.hi):
		return span{math.Min(0, 2*s.lo), math.Max(0, 2*s.hi)}
	}
	return span{s.lo - 0.05*(s.hi-s.lo), s.hi + 0.05*(s.hi-s.lo)}
}

// padded is margin for an axis of metrics, which begins at zero if it must, or if values are
// small compared with their differences.
func (s span) padded(log, zero bool) span {
	p := s.margin(log)
	if !log && s.lo >= 0 && (zero || s.lo < 0.5*s.hi) {
		p.lo = 0
	}
	if !log && s.hi <= 0 && (zero || s.hi > 0.5*s.lo) {
		p.hi = 0
	}
	return p
}
