package spec

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// isRange matches a range: first:last:step, where the step may be a factor.
var isRange = regexp.MustCompile(`^(-?[0-9.]+):(-?[0-9.]+):(\*?)(-?[0-9.]+)$`)

// mostValues is the largest number of values of a range.
const mostValues = 100_000

// mostText is the largest number of bytes of a text that stands for values.
const mostText = 1 << 14

// Values returns the values that a text stands for: those of a range, or of a text with braces,
// or the text itself.
func Values(text string) ([]string, error) {
	if len(text) > mostText {
		return nil, fmt.Errorf("%.40q has more than %d characters", text, mostText)
	}
	if m := isRange.FindStringSubmatch(text); m != nil {
		return span(text, m)
	}
	open := strings.IndexByte(text, '{')
	if open < 0 {
		return []string{text}, nil
	}
	length := strings.IndexByte(text[open:], '}')
	if length < 0 {
		return nil, fmt.Errorf("%q has an open brace and none that closes it", text)
	}
	var inner []string
	for v := range strings.SplitSeq(text[open+1:open+length], ",") {
		vs, err := Values(v)
		if err != nil {
			return nil, err
		}
		if len(inner)+len(vs) > mostValues {
			return nil, fmt.Errorf("%.40q has more than %d values", text, mostValues)
		}
		inner = append(inner, vs...)
	}
	rest, err := Values(text[open+length+1:])
	if err != nil {
		return nil, err
	}
	if len(inner)*len(rest) > mostValues {
		return nil, fmt.Errorf("%.40q has more than %d values", text, mostValues)
	}
	var all []string
	for _, v := range inner {
		for _, end := range rest {
			all = append(all, text[:open]+v+end)
		}
	}
	return all, nil
}

// span returns the values of a range.
func span(text string, m []string) ([]string, error) {
	var n [3]float64
	for i, s := range []string{m[1], m[2], m[4]} {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, fmt.Errorf("%q: %q is not a number", text, s)
		}
		n[i] = x
	}
	first, last, step := n[0], n[1], n[2]
	factor := m[3] != ""
	switch {
	case factor && (step <= 1 || first <= 0):
		return nil, fmt.Errorf("%q: a range by factors starts above 0 and has a factor above 1", text)
	case !factor && step == 0:
		return nil, fmt.Errorf("%q: the step is 0", text)
	case (last-first)*step < 0 && !factor || factor && last < first:
		return nil, fmt.Errorf("%q: the range is empty", text)
	}
	var all []string
	for i := 0; ; i++ {
		v := first + float64(i)*step
		if factor {
			v = first * math.Pow(step, float64(i))
		}
		// Rounding must not lose the last value.
		slack := 1e-9 * max(math.Abs(step), math.Abs(last))
		if step > 0 && v > last+slack || step < 0 && v < last-slack {
			return all, nil
		}
		if len(all) == mostValues {
			return nil, fmt.Errorf("%q has more than %d values", text, mostValues)
		}
		all = append(all, strconv.FormatFloat(math.Round(v*1e9)/1e9, 'f', -1, 64))
	}
}
