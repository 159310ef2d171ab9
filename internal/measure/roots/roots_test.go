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
