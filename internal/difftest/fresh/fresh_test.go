package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOverlay checks that none of the committed kernels is left and that the
// fresh ones are in the table.
func TestOverlay(t *testing.T) {
	dir := t.TempDir()
	path, err := Overlay("../corpus", dir, []uint64{70001, 70002})
	require.NoError(t, err)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	var o struct{ Replace map[string]string }
	require.NoError(t, json.Unmarshal(b, &o))
	old, err := filepath.Glob("../corpus/kernels*.go")
	require.NoError(t, err)
	for _, f := range old {
		f, err := filepath.Abs(f)
		require.NoError(t, err)
		assert.Contains(t, o.Replace, f)
	}
	var text strings.Builder
	for _, at := range o.Replace {
		if at != "" {
			b, err := os.ReadFile(at)
			require.NoError(t, err)
			text.Write(b)
		}
	}
	for _, name := range []string{"K70001", "K70002"} {
		assert.Contains(t, text.String(), "func "+name+"(")
		assert.Contains(t, text.String(), "{\""+name+"\", "+name+", ")
	}
	assert.NotContains(t, text.String(), "func K005(")

	_, err = Overlay(t.TempDir(), dir, nil)
	assert.ErrorContains(t, err, "run this in the root of the project")
}
