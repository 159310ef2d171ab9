package generate

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReduce(t *testing.T) {
	k := Kernel{Source: `func F(a uint32) uint32 {
	b := a + 1
	if b > 3 {
		for i := range b {
			a += min(b, (i*7)) / b
		}
	} else {
		a--
	}
	return a
}
`}
	got := Reduce(k, func(k Kernel) bool {
		_, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+k.Source, 0)
		return err == nil && strings.Contains(k.Source, "i * 7") || strings.Contains(k.Source, "i*7")
	})
	assert.Equal(t, "func F(a uint32) uint32 {\n\tfor i := range b {\n\t\ta += i * 7\n\t}\n}\n", strings.TrimLeft(got.Source, "\n"))
}

// Equal seeds give equal text, and different seeds different text.
func TestDeterminism(t *testing.T) {
	texts := map[string]bool{}
	for seed := range uint64(50) {
		a, err := New("K", seed)
		require.NoError(t, err)
		b, err := New("K", seed)
		require.NoError(t, err)
		require.Equal(t, a, b)
		texts[a.Source] = true
	}
	assert.Len(t, texts, 50)
}
