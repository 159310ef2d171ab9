package graph

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFromEdges(t *testing.T) {
	g, notes, err := FromEdges(t.Context(), "mine", 4, []Edge{{2, 0, 5}, {0, 1, 0}, {2, 2, 1}, {2, 0, 3}}, LoadOptions{})
	require.NoError(t, err)
	require.NoError(t, g.Validate())
	assert.Equal(t, &CSR{Name: "mine", Row: []uint64{0, 1, 1, 2, 2}, Col: []uint32{1, 0}, Weight: []uint32{0, 3}}, g)
	assert.Len(t, notes, 4, "%v", notes)

	g, _, err = FromEdges(t.Context(), "mine", 3, []Edge{{From: 0, To: 1}, {From: 1, To: 2}}, LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	assert.True(t, g.Symmetric)
	assert.Equal(t, []uint32{1, 0, 2, 1}, g.Col)
	assert.Nil(t, g.Weight)

	for want, edges := range map[string][]Edge{
		"graph mine: edge 1 goes from 0 to 2; vertices are 0 to 1": {{0, 1, 0}, {0, 2, 0}},
		"graph mine: edge 0 goes from 7 to 1; vertices are 0 to 1": {{7, 1, 0}},
	} {
		_, _, err := FromEdges(t.Context(), "mine", 2, edges, LoadOptions{})
		assert.EqualError(t, err, want)
	}
	_, _, err = FromEdges(t.Context(), "mine", -1, nil, LoadOptions{})
	assert.EqualError(t, err, "graph mine: -1 vertices")
}
