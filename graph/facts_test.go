package graph

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFacts(t *testing.T) {
	// A directed path 0-1-2-3, a pair 4-5, an isolated vertex 6 (its self loop was
	// dropped), and a vertex 7 with arcs to 8, 9 and 10.
	g, _ := mustRead(t, "a.txt", "0 1 3\n1 2 4\n2 3 5\n4 5 9\n5 4 9\n6 6 1\n7 8 1\n7 9 1\n7 10 2\n", LoadOptions{})
	assert.Equal(t, Facts{
		Name: "a", Vertices: 11, Arcs: 8, Weighted: true, MinWeight: 1, MaxWeight: 9,
		MinDegree: 0, MedianDegree: 1, MeanDegree: 8.0 / 11, P99Degree: 3, MaxDegree: 3, MaxDegreeVertex: 7, MaxInDegree: 1,
		DegreeHistogram: []uint64{5, 5, 1}, Isolated: 1, Sinks: 5,
		Connectivity: &Connectivity{Components: 4, EdgeComponents: 3, LargestComponent: 4, Diameter: 3},
	}, facts(t, g))
}

func TestFactsOfLoopsAndDuplicates(t *testing.T) {
	g := &CSR{Row: []uint64{0, 3, 4}, Col: []uint32{0, 1, 1, 1}}
	f := facts(t, g)
	assert.EqualValues(t, 2, f.SelfLoops)
	assert.EqualValues(t, 1, f.Duplicates)
	assert.Zero(t, f.Isolated)
}

func TestFactsOfNothing(t *testing.T) {
	assert.Equal(t, Facts{Symmetric: true, Connectivity: &Connectivity{}}, facts(t, (&CSR{Row: []uint64{0}, Symmetric: true})))
	f := facts(t, (&CSR{Row: []uint64{0, 0}, Symmetric: true}))
	assert.EqualValues(t, 1, f.Components)
	assert.Zero(t, f.Diameter)
}

// TestPercentile has 100 vertices of which first one, and then two, have a large degree.
func TestPercentile(t *testing.T) {
	star := func(hubs uint32) *CSR {
		b := &CSR{Row: make([]uint64, 101)}
		for u := range uint32(100) {
			if u < hubs {
				b.Col = append(b.Col, 97, 98, 99)
			}
			b.Row[u+1] = uint64(len(b.Col))
		}
		return b
	}
	assert.EqualValues(t, 0, facts(t, star(1)).P99Degree)
	assert.EqualValues(t, 3, facts(t, star(2)).P99Degree)
}
