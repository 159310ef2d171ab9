package compare

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/results"
)

func TestError(t *testing.T) {
	require.InDelta(t, 0.5, Error(3, 2), 1e-12)
	require.InDelta(t, -0.25, Error(3, 4), 1e-12)
	require.Zero(t, Error(0, 0))
	require.True(t, math.IsNaN(Error(1, 0)))
}

func TestCounters(t *testing.T) {
	a := Side{Counters: map[string]float64{"x": 2, "only a": 1, "zero": 0}}
	b := Side{Counters: map[string]float64{"x": 1, "only b": 1, "zero": 0}}
	require.Equal(t, []Counter{{Name: "x", A: 2, B: 1, Error: 1}}, Counters(a, b))
}

func TestSummarize(t *testing.T) {
	s := Summarize([][2]float64{{1, 1}, {3, 2}, {1, 4}, {0, 5}})
	require.Equal(t, 3, s.N)
	require.InDelta(t, (0+0.5+0.75)/3, s.Mean, 1e-12)
	require.InDelta(t, 0.5, s.Median, 1e-12)
	require.InDelta(t, 4, s.Worst, 1e-12)
	require.Equal(t, Summary{Worst: 1}, Summarize(nil))
}

func TestOrders(t *testing.T) {
	rows := []Row{
		{Algorithm: "bfs", Graph: "g", A: 1, B: 1},
		{Algorithm: "bfs", Graph: "g", A: 2, B: 3},
		{Algorithm: "bfs", Graph: "g", A: 3, B: 1.1}, // as fast as the first on b: no statement
		{Algorithm: "cc", Graph: "g", A: 9, B: 9},
	}
	require.Equal(t, Order{Agree: 1, Disagree: 1}, Orders(rows, 0.2))
}

// TestDiffer checks how answers differ, to the bit, and which differences are a failure.
func TestDiffer(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		name   string
		a, b   any
		want   *Difference
		failed bool // if they were not verified
	}{
		{"equal", []uint32{1, 2}, []uint32{1, 2}, &Difference{Of: 2}, false},
		{"integers", []uint32{1, 2, 7}, []uint32{1, 4, 8}, &Difference{Vertices: 2, Of: 3, First: 1, FirstA: uint32(2), FirstB: uint32(4), Most: 0.5, At: 1}, true},
		{"large", []uint64{1<<63 + 1}, []uint64{1 << 63}, &Difference{Vertices: 1, Of: 1, FirstA: uint64(1<<63 + 1), FirstB: uint64(1 << 63)}, true},
		{"signed", []int32{-1}, []int32{1}, &Difference{Vertices: 1, Of: 1, FirstA: int32(-1), FirstB: int32(1), Most: 2}, true},
		{"rounding", []float32{1, 0.5}, []float32{1, 0.50001}, &Difference{Vertices: 1, Of: 2, First: 1, FirstA: float32(0.5), FirstB: float32(0.50001), Most: apart(float32(0.5), float32(0.50001)), At: 1, Float: true}, false},
		{"floats", []float64{1, 3}, []float64{2, 3}, &Difference{Vertices: 1, Of: 2, FirstA: 1.0, FirstB: 2.0, Most: 0.5, Float: true}, true},
		{"the same NaN", []float32{nan}, []float32{nan}, &Difference{Of: 1, Float: true}, false},
		{"a NaN", []float32{nan, 1}, []float32{1, 1}, &Difference{Vertices: 1, Of: 2, FirstA: "NaN", FirstB: float32(1), Most: 1, Float: true}, true},
		{"infinite", []float64{math.Inf(-1)}, []float64{math.Inf(1)}, &Difference{Vertices: 1, Of: 1, FirstA: "-Inf", FirstB: "+Inf", Most: 1, Float: true}, true},
		{"signs of zero", []float64{0}, []float64{math.Copysign(0, -1)}, &Difference{Vertices: 1, Of: 1, FirstA: 0.0, FirstB: math.Copysign(0, -1), Float: true}, false},
		{"none", []uint32{1}, nil, nil, false},
		{"kinds", []uint32{1}, []int32{1}, nil, false},
		{"lengths", []uint32{1}, []uint32{1, 2}, nil, false},
		{"no vertices known", nil, []uint32{1}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := Side{Values: c.a}, Side{Values: c.b}
			d := Differ(a, b)
			require.Equal(t, c.want, d)
			require.Equal(t, c.failed, Judge(a, b, d))
			a.Verified = true
			require.Equal(t, c.failed, Judge(a, b, d), "one was verified, the other one is wrong")
			b.Verified = true
			require.False(t, Judge(a, b, d), "the reference takes both")
			_, err := json.Marshal(d)
			require.NoError(t, err)
		})
	}
}

// TestAnswers checks that a side reports whether its answer was verified.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		r    catalog.Result
		want string
	}{
		{catalog.Result{Reference: true, Checked: true, Verified: true}, Verified},
		{catalog.Result{Reference: true}, NotVerified},
		{catalog.Result{}, NoReference},
	} {
		require.Equal(t, c.want, FromResult("sim:tiny", Simulated, &c.r).Answer)
	}
	require.Equal(t, VerifiedThen, FromRecord("x", &results.Run{Verified: true}).Answer)
	require.Equal(t, NotVerifiedThen, FromRecord("x", &results.Run{}).Answer)
}

// TestMeasure checks that only a machine's model has an error, and only against a machine.
func TestMeasure(t *testing.T) {
	require.Equal(t, MeasureError, Measure(Simulated, Record))
	require.Equal(t, MeasureError, Measure(Simulated, GPU))
	for _, c := range [][2]Kind{{Simulated, Functional}, {Functional, Record}, {Simulated, Simulated}, {GPU, Record}, {GPU, Simulated}} {
		require.Equal(t, MeasureDifference, Measure(c[0], c[1]), c)
	}
}

// TestIncomparable checks that incomparable counters have a reason and no error, between a model and Nsight Compute;
// two models are comparable.
func TestIncomparable(t *testing.T) {
	const name = "dram__bytes_read.sum"
	a := Side{Kind: Simulated, Counters: map[string]float64{name: 4, insts: 3}}
	b := Side{Kind: Record, Counters: map[string]float64{name: 2, insts: 2}}
	got := Counters(a, b)
	require.Len(t, got, 2)
	require.Contains(t, got[0].Apart, "Nsight Compute runs a kernel several times")
	require.True(t, math.IsNaN(float64(got[0].Error)))
	require.Equal(t, Counter{Name: insts, A: 3, B: 2, Error: 0.5}, got[1])
	b.Kind = Functional
	require.Equal(t, Counter{Name: name, A: 4, B: 2, Error: 1}, Counters(a, b)[0])
	b.CountersFrom = "x.csv"
	require.NotEmpty(t, Counters(a, b)[0].Apart, "what ncu counted")
}

// TestPart checks that JSON uses null for a difference without meaning, in both directions.
func TestPart(t *testing.T) {
	b, err := json.Marshal([]Part{0.5, Part(math.NaN()), Part(math.Inf(1))})
	require.NoError(t, err)
	require.Equal(t, "[0.5,null,null]", string(b))
	var back []Part
	require.NoError(t, json.Unmarshal(b, &back))
	require.InDelta(t, 0.5, float64(back[0]), 0)
	require.True(t, math.IsNaN(float64(back[1])))
}

// TestWithoutLaunches checks that launch overhead is subtracted on either side by its own number of launches.
func TestWithoutLaunches(t *testing.T) {
	s := Side{Seconds: 10, Launches: 2}
	s.WithoutLaunches(4)
	require.InDelta(t, 2, s.Active, 1e-12)
	s.WithoutLaunches(6)
	require.Zero(t, s.Active, "shorter than its launches")
	s.WithoutLaunches(0)
	require.Zero(t, s.Active, "nobody knows what a launch takes")

	a, b := Side{Seconds: 12, Active: 4}, Side{Seconds: 10, Active: 2}
	row := RowOf("bfs", "warp", "g", a, b)
	require.InDelta(t, 0.2, float64(row.Error), 1e-12)
	require.InDelta(t, 1, float64(row.ActiveError), 1e-12)
	none := RowOf("bfs", "warp", "g", a, Side{Seconds: 12})
	require.True(t, math.IsNaN(float64(none.ActiveError)))
	all, active := SummarizeRows([]Row{row, none})
	require.Equal(t, 2, all.N)
	require.InDelta(t, 0.1, all.Mean, 1e-12)
	require.Equal(t, 1, active.N)
	require.InDelta(t, 1, active.Mean, 1e-12)
}
