package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSummarise(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	one := file("1.json", `{"runs": [{"algorithm": "bfs", "scheduler": "warp", "against": {"threads": 2, "faster": 1.5, "equal": true}}, {"algorithm": "bfs", "scheduler": "multi"},
		{"kernel": "internal/kernels/micro.TiledProduct", "against": {"threads": 2, "faster": 1.9, "equal": true}}]}`)
	two := file("2.json", `{"runs": [{"algorithm": "bfs", "scheduler": "warp", "against": {"threads": 2, "faster": 1.25, "equal": false}}]}`)
	var b strings.Builder
	require.NoError(t, summarise(&b, []string{one, two}))
	assert.Equal(t, "run,graphs,\"faster, median\",least,most,equal output\nbfs warp,2,1.38,1.25,1.50,1 of 2\nmicro.TiledProduct,1,1.90,1.90,1.90,1 of 1\n", b.String())
	assert.EqualError(t, summarise(&b, nil), "name the reports in JSON, of weft bench sim with several numbers of threads")
	assert.ErrorContains(t, summarise(&b, []string{file("3.json", "x")}), "3.json: invalid character 'x'")
	assert.ErrorContains(t, summarise(&b, []string{filepath.Join(dir, "4.json")}), "no such file")
}
