package graphs

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestArgs checks that the flags of a graph name the same graph again.
func TestArgs(t *testing.T) {
	g := Named{Spec: "rmat:scale=6,degree=3,seed=2,directed=true", Symmetrize: true, NoIsolated: true, Permute: 12, Weights: "hash"}
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
	require.Equal(t, []string{"--graph", "demo"}, (&Named{Spec: "demo"}).Args())
}
