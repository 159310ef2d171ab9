package format_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/format"
)

func TestWord(t *testing.T) {
	for word, want := range map[string]string{
		"rmat:scale=10,degree=4": "rmat:scale=10,degree=4", "": "''", "a'b c": `'a'\''b c'`, "x[0]": "'x[0]'", "$HOME": "'$HOME'", "~": "'~'",
	} {
		require.Equal(t, want, format.Word(word))
	}
}
