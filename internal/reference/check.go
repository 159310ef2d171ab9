package reference

import (
	"cmp"
	"context"
	"fmt"

	"github.com/weft-gpu/weft/graph"
)

// Mismatch reports how an answer differs from the reference.
type Mismatch struct {
	Algorithm string
	Vertex    uint64 // the first vertex with a wrong value, by its id in the graph's file
	Got, Want string // its value, and the value of the reference
	Wrong     int    // number of vertices with a wrong value
	Total     int    // number of vertices
	Limit     string // the largest difference allowed; empty if values must be equal
	By        string // where Want comes from; empty means "the reference"
}

// Error names the first difference and the number of differences.
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

// lengthError returns an error if an answer does not have one value per vertex.
func lengthError(algorithm string, got, want int) error {
	if got != want {
		return fmt.Errorf("%s: the answer has %d values, the graph %d vertices", algorithm, got, want)
	}
	return nil
}

// mismatch returns a Mismatch for vertex v, the first with a wrong value.
func mismatch(g *graph.CSR, algorithm string, v int, got, want string) *Mismatch {
	return &Mismatch{Algorithm: algorithm, Vertex: g.FileID(uint32(v)), Got: got, Want: want, Total: g.Vertices()}
}

// compare returns nil if got and want are equal, and a *Mismatch otherwise.
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

// CheckBFS compares levels from src with BFS. If values differ, the error is a *Mismatch.
func CheckBFS(ctx context.Context, g *graph.CSR, src uint32, got []uint32) error {
	want, err := kept(ctx, answerOf{"bfs", g, src}, func() ([]uint32, error) { return BFS(ctx, g, src) })
	if err != nil {
		return err
	}
	return compare(g, "bfs", got, want, named("level"))
}

// CheckSSSP compares distances from src with SSSP. If values differ, the error is a
// *Mismatch.
func CheckSSSP(ctx context.Context, g *graph.CSR, src uint32, got []uint32) error {
	want, err := kept(ctx, answerOf{"sssp", g, src}, func() ([]uint32, error) { return SSSP(ctx, g, src) })
	if err != nil {
		return err
	}
	return compare(g, "sssp", got, want, named("distance"))
}

// CheckComponents compares component labels with those of a reference, CC or SCC. If values
// differ, the error is a *Mismatch.
func CheckComponents(ctx context.Context, algorithm string, g *graph.CSR, got []uint32, components func(context.Context, *graph.CSR) ([]uint32, error)) error {
	want, err := kept(ctx, answerOf{algorithm, g, 0}, func() ([]uint32, error) { return components(ctx, g) })
	if err != nil {
		return err
	}
	return compare(g, algorithm, got, want, func(x uint32) string {
		if int64(x) >= int64(g.Vertices()) {
			return fmt.Sprintf("label %d, which is not a vertex", x)
		}
		return fmt.Sprintf("label %d", g.FileID(x))
	})
}

// NoBoundError reports that an answer cannot be checked: float32 may have lost so much of a
// value that agreement would be meaningless.
type NoBoundError struct {
	Algorithm string
	Vertex    uint64  // the vertex with the largest possible error, by its id in the graph's file
	Allowed   float64 // relative to its value
}

// Error names the vertex and the possible error.
func (e *NoBoundError) Error() string {
	return fmt.Sprintf("%s: the value of vertex %d may be off by %.2g%% after this many float32 sums, so a comparison is meaningless", e.Algorithm, e.Vertex, 100*e.Allowed)
}
