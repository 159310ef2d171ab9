package config

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzFile checks that no text makes the reader panic, that every mistake has a place in the file, and that a machine
// that was read is written so that it reads back as the same machine.
func FuzzFile(f *testing.F) {
	f.Add(mine)
	f.Add("base: tiny\nvalues:\n  sm.warps: 33\n  sm.subcores: 5\n")
	f.Add("base: kepler\ntitle: \"\\u00e9\\x00\\\"\"\nvalues: {l2.hash: 'mixed', sm.count: !!int 3, <<: *x}\n")
	f.Add("family: true\nyear: 3\n---\n- a\n? {b: c}\n: |\n  d\n")
	f.Add("title: >-\n  two\n\n  lines\nbase: tiny\nvalues:\n  sm.count: {value: 1.6e1, source: [a, {b: &c d}]}\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		const bases = 3 // other files would be on the fuzzer's own machine
		if strings.Contains(text, "/") || strings.Count(text, "base") > bases {
			return
		}
		l := readLayer("x.yaml", "x.yaml", false, []byte(text))
		g, err := folder().build(l)
		if err != nil {
			var list Errors
			require.True(t, errors.As(err, &list) || strings.HasPrefix(err.Error(), "machine x.yaml: "), "%v", err)
			for _, e := range list {
				require.NotEmpty(t, e.What)
				require.LessOrEqual(t, e.Line, strings.Count(text, "\n")+strings.Count(text, "\r")+1, "%v", e)
			}
			return
		}
		var b bytes.Buffer
		require.NoError(t, g.WriteYAML(&b))
		file := dir + "/y.yaml"
		require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
		back, err := Load(file)
		require.NoError(t, err)
		require.Equal(t, g.Values(), back.Values())
		require.Equal(t, g.Title, back.Title)
		require.Equal(t, g.Hash(), back.Hash())
	})
}
