package roots

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the tables again")

// TestRecorded compares the tables under results/hw with the reports beside them.
func TestRecorded(t *testing.T) {
	archives, err := filepath.Glob("../../../results/hw/*/roots/reports.tar.gz")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, archive := range archives {
		var got bytes.Buffer
		require.NoError(t, Table(&got, archive))
		file := filepath.Join(filepath.Dir(archive), "roots.csv")
		if *update {
			require.NoError(t, os.WriteFile(file, got.Bytes(), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), got.String(), "go test ./internal/measure/roots -update writes %s again", file)
	}
}

// packed writes an archive with one report.
func packed(t *testing.T, text string) string {
	file := filepath.Join(t.TempDir(), "reports.tar.gz")
	var b bytes.Buffer
	compressed := gzip.NewWriter(&b)
	archive := tar.NewWriter(compressed)
	require.NoError(t, archive.WriteHeader(&tar.Header{Name: "one.json", Mode: 0o644, Size: int64(len(text))}))
	_, err := archive.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, archive.Close())
	require.NoError(t, compressed.Close())
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
	return file
}

func TestTable(t *testing.T) {
	var b strings.Builder
	require.NoError(t, Table(&b, packed(t, `{"algorithm": "bfs", "scheduler": "simdx", "graph": {"name": "g", "vertices": 5, "arcs": 8}, "trials": [{}, {}, {}], "answers": {"verified": 2, "incomplete": 1},
		"kernel_seconds": {"median": 3e-6}, "solve_seconds": {"min": 1e-6, "first_quartile": 2e-6, "median": 5e-6, "third_quartile": 6e-6, "max": 9e-6}, "teps": {"harmonic_mean": 2.5e9}}`)))
	assert.Equal(t, "bfs,g,5,8,simdx,2,2,1,2,5,6,9,3,2,2.50", strings.Split(b.String(), "\n")[1])
	b.Reset()
	require.NoError(t, Table(&b, packed(t, `{"algorithm": "cc", "trials": [{}], "answers": {"incomplete": 1}}`)))
	assert.Equal(t, 1, strings.Count(b.String(), "\n"), "an interrupted run has no whole trial")
	assert.ErrorContains(t, Table(&b, packed(t, "x")), "one.json: invalid character 'x'")
	assert.ErrorContains(t, Table(&b, filepath.Join(t.TempDir(), "none.tar.gz")), "no such file")
}

// TestBeside compares the tables of results/peers/starts with the times beside them.
func TestBeside(t *testing.T) {
	const begin = "<!-- from times.csv.gz -->\n"
	var got bytes.Buffer
	_, _, err := Beside(&got, "../../../results/peers/starts/times.csv.gz")
	require.NoError(t, err)
	const file = "../../../results/peers/starts/README.md"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	head, table, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	if *update {
		table = got.String()
		require.NoError(t, os.WriteFile(file, []byte(head+begin+table), 0o644))
	}
	assert.Equal(t, table, got.String(), "go test ./internal/measure/roots -update writes it again")
}

// TestBesideByHand has two graphs, of which the first was measured in two runs: each other system is compared with ours in its own run, and wrong answers
// win nothing.
func TestBesideByHand(t *testing.T) {
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
`))
	require.NoError(t, err)
	require.NoError(t, packed.Close())
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
	var page strings.Builder
	won, counted, err := Beside(&page, file)
	require.NoError(t, err)
	assert.Equal(t, [2]int{1, 2}, [2]int{won, counted})
	for _, line := range []string{
		"in 1 of 2 cells.", "| BFS beside A | 2.00 | 1 |", "| BFS beside B | 0.25 | 2 |",
		"| graph | weft | A | B | B (own timer) | ratio |", "| g | 2 | 2 | 8 | 1 | 2.00 |", "| h | 1 | 0.1, 1 of 1 wrong | 4 | | 0.25 |",
	} {
		assert.Contains(t, page.String(), line)
	}
	_, _, err = Beside(&page, "roots.go")
	assert.ErrorContains(t, err, "roots.go: gzip: invalid header")
}

// TestAsynchronous compares the table of results/hw/asynchronous with the rows beside it.
func TestAsynchronous(t *testing.T) {
	const dir, begin, end = "../../../results/hw/asynchronous/", "<!-- from sim-h100.csv -->\n", "<!-- to here -->"
	var got bytes.Buffer
	require.NoError(t, Rows(&got, dir+"sim-h100.csv", dir+"h200-asynchronous.csv"))
	text, err := os.ReadFile(dir + "README.md")
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	table, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if *update {
		table = "\n" + got.String() + "\n"
		require.NoError(t, os.WriteFile(dir+"README.md", []byte(head+begin+table+end+tail), 0o644))
	}
	assert.Equal(t, strings.TrimSpace(table), strings.TrimSpace(got.String()), "go test ./internal/measure/roots -update writes it again")
	assert.ErrorContains(t, Rows(&got, "roots.go", dir+"h200-asynchronous.csv"), "roots.go: strconv.ParseFloat")
}
