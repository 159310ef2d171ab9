package microbench

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
)

// TestAsynchronous compares the table of results/hw/asynchronous with the rows beside it.
func TestAsynchronous(t *testing.T) {
	const dir, begin, end = "../../../results/hw/asynchronous/", "<!-- from sim-h100.csv -->\n", "<!-- to here -->"
	var got bytes.Buffer
	require.NoError(t, CompareRows(&got, dir+"sim-h100.csv", dir+"h200-asynchronous.csv"))
	text, err := os.ReadFile(dir + "README.md")
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	table, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if golden.Updating() {
		table = "\n" + got.String() + "\n"
		require.NoError(t, os.WriteFile(dir+"README.md", []byte(head+begin+table+end+tail), 0o644))
	}
	assert.Equal(t, strings.TrimSpace(table), strings.TrimSpace(got.String()), "go test ./internal/measure/microbench -update writes it again")
	assert.ErrorContains(t, CompareRows(&got, "rows.go", dir+"h200-asynchronous.csv"), "rows.go: strconv.ParseFloat")
}
