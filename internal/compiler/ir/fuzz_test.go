package ir_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/testing/irtext"
)

// addTexts adds the texts of kernels and of errors as seeds.
func addTexts(f *testing.F) {
	files, err := filepath.Glob("testdata/*.ir")
	require.NoError(f, err)
	kernels, err := filepath.Glob("../opt/testdata/kernels/*.txt")
	require.NoError(f, err)
	require.NotEmpty(f, kernels)
	for _, file := range append(files, kernels...) {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		ssa, _, _ := strings.Cut(string(text), "\nprogram ")
		f.Add(ssa, []byte{})
		f.Add(ssa, []byte("0123456789"))
	}
	for _, c := range parseErrors {
		f.Add(c.text, []byte{})
	}
}

// token matches a word of the text form or what separates two words.
var token = regexp.MustCompile(`[\w.$&#-]+|[^\w.$&#-]+`)

// swap replaces words of the text by other words of it. Each four bytes of
// edits give a position (three bytes) and the replacement. The results are
// closer to valid kernels than those of byte mutations.
func swap(text string, edits []byte) string {
	words := token.FindAllString(text, -1)
	for ; len(edits) >= 4 && len(words) > 0; edits = edits[4:] {
		at := (int(edits[0])<<8 | int(edits[1])) % len(words)
		from := (at + int(int8(edits[2]))*4 + int(int8(edits[3]))) % len(words)
		words[at] = words[max(from, -from)]
	}
	return strings.Join(words, "")
}

// FuzzText parses a text. The printed form must parse to the same text, before
// and after Verify, and Verify must not panic on any text.
func FuzzText(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, text string, edits []byte) {
		k, err := irtext.Parse(swap(text, edits))
		if err != nil {
			require.Nil(t, k)
			require.Regexp(t, `^ir: line \d+: .`, err.Error())
			return
		}
		if k.NumValues() > 1<<16 {
			return // tables indexed by such numbers take too long here
		}
		same(t, k)
		if k.Verify() == nil {
			same(t, k)
			k.Analyze()
			require.NoError(t, k.Verify())
		}
	})
}

func same(t *testing.T, k *ir.Func) {
	printed := k.String()
	again, err := irtext.Parse(printed)
	require.NoError(t, err, printed)
	require.Equal(t, printed, again.String())
}
