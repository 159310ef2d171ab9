package reference

import (
	"cmp"
	"fmt"
	"math"
	"reflect"

	"github.com/weft-gpu/weft/graph"
)

// Expected is the answer with which another answer is compared.
type Expected struct {
	Algorithm string     // name of the algorithm, for messages
	Value     string     // what a value is: "level"; "value" if empty
	By        string     // where the values come from, for messages; "the reference" if empty
	Graph     *graph.CSR // the graph to whose vertices the values belong
	Values    any        // a slice of numbers with one element per vertex
	// Tolerance is the largest relative difference of floats that is allowed, such as 1e-5.
	// If it is 0, values must be equal.
	Tolerance float64
}

// Compare compares an answer with the expected one. Both are slices of the same type, with
// one element per vertex. Two NaNs are equal. It returns the tolerance, or nil if values
// must be equal. If values differ, the error is a *Mismatch; any other error means that the
// answers cannot be compared.
func Compare(want Expected, got any) (*graph.Tolerance, error) {
	switch got := got.(type) {
	case []uint32:
		return compareAll(want, got)
	case []int32:
		return compareAll(want, got)
	case []uint64:
		return compareAll(want, got)
	case []int64:
		return compareAll(want, got)
	case []float32:
		return compareAll(want, got)
	case []float64:
		return compareAll(want, got)
	}
	return nil, fmt.Errorf("%s: the answer is %T; it must be a slice of uint32, int32, uint64, int64, float32 or float64", want.Algorithm, got)
}

// compareAll compares all values. It converts to float64 only to compute differences, not
// to decide whether integers are equal.
func compareAll[V uint32 | int32 | uint64 | int64 | float32 | float64](e Expected, got []V) (*graph.Tolerance, error) {
	want, ok := e.Values.([]V)
	if !ok {
		return nil, fmt.Errorf("%s: the answer is %T, %s %T", e.Algorithm, got, cmp.Or(e.By, "the reference"), e.Values)
	}
	n := e.Graph.Vertices()
	if err := lengthError(e.Algorithm, len(got), n); err != nil {
		return nil, err
	}
	if len(want) != n {
		return nil, fmt.Errorf("%s: %s has %d values, the graph %d vertices", e.Algorithm, cmp.Or(e.By, "the reference"), len(want), n)
	}
	var tolerance *graph.Tolerance
	if k := reflect.TypeFor[V]().Kind(); e.Tolerance > 0 && (k == reflect.Float32 || k == reflect.Float64) {
		tolerance = &graph.Tolerance{Allowed: e.Tolerance, MeanAllowed: e.Tolerance, Rule: "given"}
	}
	var m *Mismatch
	for v := range want {
		if got[v] == want[v] || got[v] != got[v] && want[v] != want[v] {
			continue
		}
		if off := distance(float64(got[v]), float64(want[v])); tolerance != nil && off <= e.Tolerance {
			tolerance.Seen = max(tolerance.Seen, off)
			continue
		}
		if m == nil {
			show := func(x V) string { return fmt.Sprintf("%s %v", cmp.Or(e.Value, "value"), x) }
			m = mismatch(e.Graph, e.Algorithm, v, show(got[v]), show(want[v]))
			m.By = e.By
			if tolerance != nil {
				m.Limit = fmt.Sprintf("%g of the value", e.Tolerance)
			}
		}
		m.Wrong++
	}
	if m != nil {
		return tolerance, m
	}
	return tolerance, nil
}

// distance returns the difference between got and want relative to want.
func distance(got, want float64) float64 {
	if d := math.Abs(got - want); d == 0 || want != 0 && !math.IsInf(want, 0) {
		return d / math.Abs(want)
	}
	return math.Inf(1)
}
