package format_test

import (
	"os/exec"
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

// TestWords checks that a shell takes a command line apart into the words that it was made of.
func TestWords(t *testing.T) {
	want := []string{"weft", "run", "", "a'b c", `back\slash`, "x[0]", "--set", "l2.latency=1"}
	var line []string
	for _, w := range want {
		line = append(line, format.Word(w))
	}
	got, err := exec.Command("sh", "-c", `printf '%s\n' `+strings.Join(line, " ")).Output()
	require.NoError(t, err)
	require.Equal(t, want, strings.Split(strings.TrimSuffix(string(got), "\n"), "\n"))
}
