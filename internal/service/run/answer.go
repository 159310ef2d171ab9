package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/format"
)

// summarize summarises the values of a run: "0 to 7, 1,234 not reached". In our
// algorithms, all ones mean that no path leads to the vertex.
func summarize(values any, ours bool) string {
	switch v := values.(type) {
	case []uint32:
		return summary(v, ours)
	case []int32:
		return summary(v, ours)
	case []uint64:
		return summary(v, ours)
	case []int64:
		return summary(v, ours)
	case []float32:
		return summary(v, ours)
	case []float64:
		return summary(v, ours)
	}
	return ""
}

// summary returns the range of the values; values of all ones are counted
// separately.
func summary[V cmp.Ordered](v []V, ours bool) string {
	none, missing := unreached[V]()
	var lo, hi V
	n := 0
	for _, x := range v {
		if missing && x == none {
			continue
		}
		if n == 0 {
			lo, hi = x, x
		}
		lo, hi = min(lo, x), max(hi, x)
		n++
	}
	var parts []string
	if n > 0 {
		parts = append(parts, fmt.Sprintf("%v to %v", lo, hi))
	}
	if rest := len(v) - n; rest > 0 && ours {
		parts = append(parts, format.Thousands(rest)+" not reached")
	} else if rest > 0 {
		parts = append(parts, fmt.Sprintf("%s of %v", format.Thousands(rest), none))
	}
	return strings.Join(parts, ", ")
}

// unreached returns the all-ones value of an unsigned type; ok is false for
// other types.
func unreached[V cmp.Ordered]() (v V, ok bool) {
	switch p := any(&v).(type) {
	case *uint32:
		*p = ^uint32(0)
		return v, true
	case *uint64:
		*p = ^uint64(0)
		return v, true
	}
	return v, false
}

// WriteAnswer writes one line with vertex and value per vertex; vertices have
// their ids in the graph's file.
func WriteAnswer(w io.Writer, g *graph.CSR, values any) error {
	switch v := values.(type) {
	case []uint32:
		return writeValues(w, g, v)
	case []int32:
		return writeValues(w, g, v)
	case []uint64:
		return writeValues(w, g, v)
	case []int64:
		return writeValues(w, g, v)
	case []float32:
		return writeValues(w, g, v)
	case []float64:
		return writeValues(w, g, v)
	}
	return errors.New("the run left no values")
}

func writeValues[V any](w io.Writer, g *graph.CSR, v []V) error {
	for i, x := range v {
		if _, err := fmt.Fprintf(w, "%d\t%v\n", g.FileID(uint32(i)), x); err != nil {
			return err
		}
	}
	return nil
}
