package graphs

import (
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
)

// TestArgs checks that the flags of a graph name the same graph again.
func TestArgs(t *testing.T) {
	g := Named{Spec: "rmat:scale=6,degree=3,seed=2,directed=true", Options: Options{Symmetrize: true, DropIsolated: true, Permute: 12, Weights: "hash"}}
	require.Equal(t, []string{"--graph", g.Spec, "--symmetrize", "--drop-isolated", "--permute", "12", "--weights", "hash"}, g.Args())
	require.NoError(t, g.Check())
	loaded, notes, err := g.Load(t.Context(), io.Discard)
	require.NoError(t, err)
	require.NoError(t, loaded.Validate())
	require.True(t, loaded.Symmetric)
	require.True(t, loaded.Permuted())
	require.NotNil(t, loaded.Weight)
	for _, kind := range []string{"symmetrized", "isolated", "permuted", "weights-hash"} {
		_, ok := notes.Find(kind)
		require.True(t, ok, kind)
	}
	require.Equal(t, []string{"--graph", "demo"}, (&Named{Spec: "demo", Options: Options{Power: 1}}).Args())
}

// TestPower checks that paths become arcs, and that other weights are refused before a graph is read.
func TestPower(t *testing.T) {
	g := Named{Spec: "grid:width=3,keep=1", Options: Options{Power: 2}}
	require.Equal(t, []string{"--graph", g.Spec, "--power", "2"}, g.Args())
	require.NoError(t, g.Check())
	loaded, notes, err := g.Load(t.Context(), io.Discard)
	require.NoError(t, err)
	require.EqualValues(t, loaded.Arcs()-24, notes.Count(graph.NotePower))
	require.Equal(t, "grid:width=3,keep=1 power 2", loaded.Name)
	g.Weights = "unit"
	require.EqualError(t, g.Check(), "--power and --weights exclude each other: the weight of an arc of a power is a number of arcs")
	g.Power = 1
	require.NoError(t, g.Check())
}

// TestFactsOf checks that a description of a large graph says what it leaves out, and leaves it out of JSON.
func TestFactsOf(t *testing.T) {
	g, notes, err := (&Named{Spec: "grid:width=2,height=2"}).Load(t.Context(), io.Discard)
	require.NoError(t, err)
	for million, want := range map[int]string{
		1: "",
		0: `components and diameter: the graph has more than 0 million arcs; "weft graph" finds them`,
	} {
		f, err := factsOf(t.Context(), g, notes, million)
		require.NoError(t, err)
		require.Equal(t, want, f.LeftOut)
		require.EqualValues(t, 2, f.MaxDegree)
		text, err := json.Marshal(f)
		require.NoError(t, err)
		var fields map[string]any
		require.NoError(t, json.Unmarshal(text, &fields))
		for _, name := range []string{"components", "edge_components", "largest_component", "diameter_at_least"} {
			if want == "" {
				require.Contains(t, fields, name)
			} else {
				require.NotContains(t, fields, name)
			}
		}
		require.Contains(t, fields, "max_degree")
	}
}
