//go:build !kernel

package scheduler

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpans(t *testing.T) {
	require.Empty(t, union(nil))
	list := []span{{5, 6}, {0, 2}, {1, 3}, {3, 4}}
	require.Equal(t, []span{{0, 4}, {5, 6}}, union(list))
	require.InDelta(t, 5, length(union(list)), 1e-15)
	require.Equal(t, span{5, 6}, list[0], "the list is not changed")
}
