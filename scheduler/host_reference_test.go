//go:build !kernel

package scheduler_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/memo"
	"github.com/weft-gpu/weft/scheduler"
)

type some struct{}

func TestHostValidates(t *testing.T) {
	answer := func(context.Context, scheduler.Input) (any, error) { return []float32{1, 2}, nil }
	check := func(context.Context, scheduler.Input, *scheduler.Outcome, any) (*graph.Tolerance, error) {
		return nil, nil
	}
	require.NoError(t, scheduler.Host{Name: "some", Device: some{}, Reference: answer, Tolerance: 1e-3}.Validate())
	for want, h := range map[string]scheduler.Host{
		`algorithm "Some": a name consists of lower-case letters, digits and hyphens`:                                   {Name: "Some", Device: some{}},
		`algorithm "some": Device is <nil>; write a value of the algorithm's struct type, such as BFS{}`:                {Name: "some"},
		`algorithm "some": Device is *scheduler_test.some; write a value of the algorithm's struct type, such as BFS{}`: {Name: "some", Device: &some{}},
		`algorithm "some" has a Reference and a Check; leave one out`:                                                   {Name: "some", Device: some{}, Reference: answer, Check: check},
		`algorithm "some": Tolerance is -1; write a part of the reference's value from 0 to below 1, such as 1e-5`:      {Name: "some", Device: some{}, Reference: answer, Tolerance: -1},
	} {
		require.EqualError(t, h.Validate(), want)
	}
}

// TestHostJudges checks that a reference and a tolerance are enough to judge an answer.
func TestHostJudges(t *testing.T) {
	h := scheduler.Host{Name: "some", Device: some{}, Value: "heat", Tolerance: 0.01,
		Reference: func(_ context.Context, in scheduler.Input) (any, error) { return []float32{float32(in.Source), 2}, nil }}
	in := scheduler.Input{Graph: &graph.CSR{Row: []uint64{0, 0, 0}}, Source: 1}
	tolerance, err := h.Judge(t.Context(), in, nil, []float32{1, 2.01})
	require.NoError(t, err)
	require.InDelta(t, 0.005, tolerance.Seen, 1e-6)
	_, err = h.Judge(t.Context(), in, nil, []float32{1, 2.1})
	require.EqualError(t, err, "some: vertex 1 has heat 2.1, the reference heat 2 (allowed difference 0.01 of the value); 1 of 2 vertices is wrong")
}

// TestHostJudgesByParams judges two runs of a sweep, which share a memo and differ in a parameter alone, by an answer each.
func TestHostJudgesByParams(t *testing.T) {
	h := scheduler.Host{Name: "some", Device: some{}, Reference: func(_ context.Context, in scheduler.Input) (any, error) {
		return []float64{in.Params["k"].Float(), 2}, nil
	}}
	g := &graph.CSR{Row: []uint64{0, 0, 0}}
	ctx := memo.With(t.Context(), memo.New(1<<20))
	for _, k := range []float64{16, 32, 16, 0.1} {
		_, err := h.Judge(ctx, scheduler.Input{Graph: g, Params: map[string]reflect.Value{"k": reflect.ValueOf(k)}}, nil, []float64{k, 2})
		require.NoError(t, err, "k = %v", k)
	}
}
