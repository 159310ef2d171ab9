package reference

import (
	"fmt"
	"math"

	"github.com/weft-gpu/weft/graph"
)

// Mismatch says how an answer differs from the reference.
type Mismatch struct {
	Algorithm string
	Vertex    int    // the first vertex with a wrong value
	Got, Want string // its value and the reference's
	Wrong     int    // vertices with a wrong value
	Total     int    // vertices
	Limit     string // the largest difference allowed; empty where values must be equal
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
	return fmt.Sprintf("%s: vertex %d has %s, the reference %s%s; %d of %d vertices %s wrong",
		m.Algorithm, m.Vertex, m.Got, m.Want, limit, m.Wrong, m.Total, are)
}

// lengthError is an error when an answer has not one value a vertex.
func lengthError(algorithm string, got, want int) error {
	if got != want {
		return fmt.Errorf("%s: the answer has %d values, the graph %d vertices", algorithm, got, want)
	}
	return nil
}

// compare is nil when got and want are equal, else a *Mismatch.
func compare(algorithm string, got, want []uint32, show func(uint32) string) error {
	if err := lengthError(algorithm, len(got), len(want)); err != nil {
		return err
	}
	var m *Mismatch
	for v := range want {
		if got[v] == want[v] {
			continue
		}
		if m == nil {
			m = &Mismatch{Algorithm: algorithm, Vertex: v, Got: show(got[v]), Want: show(want[v]), Total: len(want)}
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
func CheckBFS(g *graph.CSR, src uint32, got []uint32) error {
	want, err := BFS(g, src)
	if err != nil {
		return err
	}
	return compare("bfs", got, want, named("level"))
}

// CheckSSSP compares distances from src with SSSP. The error is a *Mismatch
// where values differ.
func CheckSSSP(g *graph.CSR, src uint32, got []uint32) error {
	want, err := SSSP(g, src)
	if err != nil {
		return err
	}
	return compare("sssp", got, want, named("distance"))
}

// CheckCC compares component labels with CC. The error is a *Mismatch where
// values differ.
func CheckCC(g *graph.CSR, got []uint32) error {
	return compare("cc", got, CC(g), func(x uint32) string { return fmt.Sprintf("label %d", x) })
}

// Limit is how far a floating-point value may be from the reference's: by Abs
// or by Rel times the reference's value, whichever is more.
type Limit struct{ Rel, Abs float64 }

func (l Limit) allows(got, want float64) bool {
	return math.Abs(got-want) <= max(l.Abs, l.Rel*math.Abs(want)) // false for NaN
}

// String is "5% or 1e-09".
func (l Limit) String() string { return fmt.Sprintf("%g%% or %g", 100*l.Rel, l.Abs) }

// CheckPageRank compares ranks with PageRank. The error is a *Mismatch where
// one is further from the reference than the limit allows.
func CheckPageRank(g *graph.CSR, opt PageRankOptions, limit Limit, got []float32) error {
	want, err := PageRank(g, opt)
	if err != nil {
		return err
	}
	if err := lengthError("pagerank", len(got), len(want.Rank)); err != nil {
		return err
	}
	var m *Mismatch
	for v, w := range want.Rank {
		if limit.allows(float64(got[v]), w) {
			continue
		}
		if m == nil {
			m = &Mismatch{Algorithm: "pagerank", Vertex: v, Got: fmt.Sprintf("rank %.6g", got[v]),
				Want: fmt.Sprintf("rank %.6g", w), Total: len(got), Limit: limit.String()}
		}
		m.Wrong++
	}
	if m == nil {
		return nil
	}
	return m
}
