package peers

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
)

// TestStarts compares the tables of results/peers/starts with the times beside them.
func TestStarts(t *testing.T) {
	const begin = "<!-- from times.csv.gz -->\n"
	var got bytes.Buffer
	_, _, _, err := Starts(&got, "../../../results/peers/starts/times.csv.gz")
	require.NoError(t, err)
	const file = "../../../results/peers/starts/README.md"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	head, table, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	if golden.Updating() {
		table = got.String()
		require.NoError(t, os.WriteFile(file, []byte(head+begin+table), 0o644))
	}
	assert.Equal(t, table, got.String(), "go test ./internal/measure/peers -update writes it again")
}

// TestStartsByHand has two graphs, of which the first was measured in two runs: each other system is compared with ours in its own run, and wrong answers
// win nothing.
func TestStartsByHand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "times.csv.gz")
	var b bytes.Buffer
	packed := gzip.NewWriter(&b)
	_, err := packed.Write([]byte(`run,system,commit,problem,graph,vertices,arcs,trial,ms,preprocessing_ms,answer,parameters
run1,weft,,bfs,g,1,1,0,4,,right,
run1,A,,bfs,g,1,1,0,2,,right,
run2,weft,,bfs,g,1,1,0,3,,,
run2,weft,,bfs,g,1,1,1,1,,,
run2,weft,,bfs,g,1,1,2,2,,,
run2,B,,bfs,g,1,1,0,8,,right,
run2,B (own timer),,bfs,g,1,1,0,1,,right,
run2,weft,,bfs,h,1,1,0,1,,,
run2,B,,bfs,h,1,1,0,4,,right,
run2,A,,bfs,h,1,1,0,0.1,,wrong,
run5,weft (run5),,bfs,g,1,1,0,1.5,,,
run5,weft (run5),,bfs,h,1,1,0,5,,,
run6,weft (run6),,bfs,h,1,1,0,3,,,
`))
	require.NoError(t, err)
	require.NoError(t, packed.Close())
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
	var page strings.Builder
	won, latest, counted, err := Starts(&page, file)
	require.NoError(t, err)
	assert.Equal(t, [3]int{1, 2, 2}, [3]int{won, latest, counted})
	for _, line := range []string{
		"in 1 of 2 cells, and in 2 with those of our latest run that has the problem.", "| BFS beside A | 2.00 | 1 |", "| BFS beside B | 0.25 | 2 |",
		"| graph | weft | A | B | B (own timer) | weft (run5) | weft (run6) | ratio |", "| g | 2 | 2 | 8 | 1 | 1.5 | | 2.00 |", "| h | 1 | 0.1, 1 of 1 wrong | 4 | | 5 | 3 | 0.25 |",
	} {
		assert.Contains(t, page.String(), line)
	}
	_, _, _, err = Starts(&page, "starts.go")
	assert.ErrorContains(t, err, "starts.go: gzip: invalid header")
}
