package reference

import (
	"cmp"
	"context"
	"fmt"

	"github.com/weft-gpu/weft/graph"
)

// Mismatch says how an answer differs from the reference.
type Mismatch struct {
	Algorithm string
	Vertex    uint64 // the first vertex with a wrong value, by the number that the graph's file gives it
	Got, Want string // its value and the reference's
	Wrong     int    // vertices with a wrong value
	Total     int    // vertices
	Limit     string // the largest difference allowed; empty where values must be equal
	By        string // where Want comes from; empty for "the reference"
}

// Error names the first difference and how many there are.
func (m *Mismatch) Error() string {
	limit := ""
	if m.Limit != "" {
		limit = " (allowed difference " + m.Limit + ")"
	}
	are := "are"
	if m.Wrong == 1 {
		are = "is"
	}
	return fmt.Sprintf("%s: vertex %d has %s, %s %s%s; %d of %d vertices %s wrong",
		m.Algorithm, m.Vertex, m.Got, cmp.Or(m.By, "the reference"), m.Want, limit, m.Wrong, m.Total, are)
}

// lengthError is an error when an answer has not one value a vertex.
func lengthError(algorithm string, got, want int) error {
	if got != want {
		return fmt.Errorf("%s: the answer has %d values, the graph %d vertices", algorithm, got, want)
	}
	return nil
}

// mismatch begins a report with vertex v, the first with a wrong value.
func mismatch(g *graph.CSR, algorithm string, v int, got, want string) *Mismatch {
	return &Mismatch{Algorithm: algorithm, Vertex: g.FileID(uint32(v)), Got: got, Want: want, Total: g.Vertices()}
}

// compare is nil when got and want are equal, else a *Mismatch.
func compare(g *graph.CSR, algorithm string, got, want []uint32, show func(uint32) string) error {
	if err := lengthError(algorithm, len(got), len(want)); err != nil {
		return err
	}
	var m *Mismatch
	for v := range want {
		if got[v] == want[v] {
			continue
		}
		if m == nil {
			m = mismatch(g, algorithm, v, show(got[v]), show(want[v]))
		}
		m.Wrong++
	}
	if m == nil {
		return nil
	}
	return m
}

func named(what string) func(uint32) string {
	return func(x uint32) string {
		if x == Unreached {
			return "\"not reached\""
		}
		return fmt.Sprintf("%s %d", what, x)
	}
}

// CheckBFS compares levels from src with BFS. The error is a *Mismatch where
// values differ.
func CheckBFS(ctx context.Context, g *graph.CSR, src uint32, got []uint32) error {
	want, err := BFS(ctx, g, src)
	if err != nil {
		return err
	}
	return compare(g, "bfs", got, want, named("level"))
}

// CheckSSSP compares distances from src with SSSP. The error is a *Mismatch
// where values differ.
func CheckSSSP(ctx context.Context, g *graph.CSR, src uint32, got []uint32) error {
	want, err := SSSP(ctx, g, src)
	if err != nil {
		return err
	}
	return compare(g, "sssp", got, want, named("distance"))
}

// CheckCC compares component labels with CC. The error is a *Mismatch where
// values differ.
func CheckCC(ctx context.Context, g *graph.CSR, got []uint32) error {
	want, err := CC(ctx, g)
	if err != nil {
		return err
	}
	return compare(g, "cc", got, want, func(x uint32) string {
		if int64(x) >= int64(g.Vertices()) {
			return fmt.Sprintf("label %d, which is no vertex", x)
		}
		return fmt.Sprintf("label %d", g.FileID(x))
	})
}

// Tolerance says how far floating-point values may be from the reference's and
// how far they are, each as a part of the value.
type Tolerance struct {
	Allowed     float64 `json:"largest_allowed"` // over all vertices
	MeanAllowed float64 `json:"mean_allowed"`
	Seen        float64 `json:"largest_seen"` // of the values that are right
	Rule        string  `json:"rule"`         // where what is allowed comes from
}

// String is "off by 0.013% at most, allowed are 0.02% in the mean and 0.041% at most".
func (t Tolerance) String() string {
	return fmt.Sprintf("off by %.2g%% at most, allowed are %.2g%% in the mean and %.2g%% at most", 100*t.Seen, 100*t.MeanAllowed, 100*t.Allowed)
}

// NoBoundError says that an answer cannot be checked: float32 can have lost so
// much of a value that agreement would say nothing.
type NoBoundError struct {
	Algorithm string
	Vertex    uint64  // the one that may be furthest off, by the number that the graph's file gives it
	Allowed   float64 // as a part of its value
}

// Error says at which vertex and by how much.
func (e *NoBoundError) Error() string {
	return fmt.Sprintf("%s: the value of vertex %d may be off by %.2g%% after this many float32 sums, so that a comparison says nothing", e.Algorithm, e.Vertex, 100*e.Allowed)
}
