package format

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weft-gpu/weft/internal/base/printable"
)

// Thousands returns n with thousands separators: 1,234,567.
func Thousands[T ~int | ~int64 | ~uint64 | ~uint32](n T) string {
	s := fmt.Sprint(n)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Number returns a counter's value: integers in full, others with Digits.
func Number(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "-"
	case v == math.Trunc(v) && math.Abs(v) < 1<<53:
		return Thousands(int64(v))
	case math.Abs(v) >= 1000:
		return Thousands(int64(math.Round(v)))
	case math.Abs(v) >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// Scaled returns v with three digits and an SI prefix: "12.3 M".
func Scaled(v float64) string {
	for _, p := range []struct {
		by   float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= p.by {
			return strconv.FormatFloat(v/p.by, 'g', 3, 64) + " " + p.name
		}
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// Seconds formats a duration in seconds: "3.21 ms".
func Seconds(s float64) string {
	for _, u := range []struct {
		by   float64
		name string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}} {
		if s >= u.by {
			return Digits(s/u.by) + " " + u.name
		}
	}
	return Digits(s/1e-9) + " ns"
}

// Significant returns x with four significant digits.
func Significant(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// Digits returns v >= 0 with three significant digits, without an exponent.
func Digits(v float64) string {
	decimals := 2
	for x := v; x >= 10 && decimals > 0; x /= 10 {
		decimals--
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// Since returns the wall time from start, in seconds.
func Since(start time.Time) float64 { return time.Since(start).Seconds() }

// Table prints rows in columns as wide as their widest cell, separated by two
// spaces and without trailing spaces. Each row starts with indent. cols has a
// letter for each column: l to align its cells left, r to align them right.
func Table(w io.Writer, indent, cols string, rows [][]string) {
	rows = slices.Clone(rows)
	for i, r := range rows {
		rows[i] = slices.Clone(r)
		for j := range r {
			rows[i][j] = printable.Line(r[j]) // before its width is measured
		}
	}
	width := make([]int, len(cols))
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	for _, r := range rows {
		var line strings.Builder
		line.WriteString(indent)
		for i, c := range r {
			if i > 0 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			if cols[i] == 'r' {
				line.WriteString(pad + c)
			} else {
				line.WriteString(c + pad)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// JSON writes v as indented JSON.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// JSONLine writes a value as a line of JSON, as the commands do that print an object for each test.
func JSONLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Assignments returns "a=1, b=2", sorted.
func Assignments(m map[string]string) string {
	var s []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		s = append(s, k+"="+m[k])
	}
	return strings.Join(s, ", ")
}
