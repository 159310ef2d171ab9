package ptx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClusterSizes checks what a module says of the clusters of its launches: nothing of one block, but if the kernel copies to others.
func TestClusterSizes(t *testing.T) {
	for _, c := range []struct {
		cluster [3]int
		want    string
	}{
		{[3]int{4, 1, 1}, "\n.reqnctapercluster 4, 1, 1\n{"}, {[3]int{1, 2, 1}, "\n.reqnctapercluster 1, 2, 1\n{"}, {[3]int{2, 3, 2}, "\n.reqnctapercluster 2, 3, 2\n{"},
	} {
		text, err := Module(Options{Target: "sm_90", Cluster: c.cluster}, copying("k"))
		require.NoError(t, err)
		require.Contains(t, text, c.want)
	}
	for _, none := range [][3]int{{}, {1, 1, 1}} {
		text, err := Module(Options{Target: "sm_90", Cluster: none}, copying("k"))
		require.NoError(t, err)
		require.NotContains(t, text, "nctapercluster")
	}
}
