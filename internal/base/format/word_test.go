package format_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/format"
)

func TestWord(t *testing.T) {
	for word, want := range map[string]string{
		"rmat:scale=10,degree=4": "rmat:scale=10,degree=4", "": "''", "a'b c": `'a'\''b c'`, "x[0]": "'x[0]'", "$HOME": "'$HOME'", "~": "'~'",
	} {
		require.Equal(t, want, format.Word(word))
	}
}

func TestWords(t *testing.T) {
	want := []string{"weft", "run", "", "a'b c", `back\slash`, "x[0]", "--set", "l2.latency=1"}
	var line []string
	for _, w := range want {
		line = append(line, format.Word(w))
	}
	got, err := format.Words(strings.Join(line, " "))
	require.NoError(t, err)
	require.Equal(t, want, got)
	_, err = format.Words("weft 'run")
	require.EqualError(t, err, "a quote is not closed in weft 'run")
	_, err = format.Words(`weft \`)
	require.EqualError(t, err, `a backslash ends weft \`)
}
