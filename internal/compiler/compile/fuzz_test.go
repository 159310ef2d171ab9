package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// addSources adds kernels of the language tests, and sources that are rejected,
// as seeds.
func addSources(f *testing.F) {
	var files []string
	for _, pattern := range []string{"testdata/reject/*.go", "testdata/lint/*.go", "testdata/ir/*.go", "../../testing/langtest/*.go", "../../../examples/levels/levels.go", "../opt/testdata/src/*.go"} {
		found, err := filepath.Glob(pattern)
		require.NoError(f, err)
		require.NotEmpty(f, found, pattern)
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		if len(text) > 8<<10 || strings.HasSuffix(file, "depth.go") {
			continue
		}
		f.Add(string(text), []byte{})
		f.Add(string(text), []byte("0123456789ab"))
	}
}

// goToken matches a word of Go or what separates two words.
var goToken = regexp.MustCompile(`\w+|\s+|[^\w\s]`)

// swap replaces words of the text by other words of it. Each four bytes of
// edits give a position (two bytes) and the replacement (two bytes).
func swap(text string, edits []byte) string {
	words := goToken.FindAllString(text, -1)
	for ; len(edits) >= 4 && len(words) > 0; edits = edits[4:] {
		at := (int(edits[0])<<8 | int(edits[1])) % len(words)
		from := (int(edits[2])<<8 | int(edits[3])) % len(words)
		words[at] = words[from]
	}
	return strings.Join(words, "")
}

// fuzzInstructions limits a kernel's size while fuzzing, to keep runs short.
const fuzzInstructions = 2000

// runsOfCompiler is how many texts one Compiler compiles: loading package gpu
// takes longer than most texts.
const runsOfCompiler = 500

// FuzzSource compiles a text as device code, and all its kernels to PTX.
// Nothing may panic, compiled kernels must verify, and every error must name a
// place in the text.
func FuzzSource(f *testing.F) {
	addSources(f)
	var c *Compiler
	runs := 0
	f.Fuzz(func(t *testing.T, text string, edits []byte) {
		if runs%runsOfCompiler == 0 { // go/ssa never frees memory
			c = own(t)
			c.limit = fuzzInstructions
		}
		runs++
		at := fmt.Sprintf("fuzz%d", runs)
		c.Mount(at, fstest.MapFS{"f.go": {Data: []byte(swap(text, edits))}})
		defer delete(c.mounts, at)
		names, err := c.Entries(at)
		checkErrors(t, err)
		checkErrors(t, c.Check(context.Background(), at))
		for _, name := range names {
			k, err := c.Kernel(context.Background(), name, nil)
			checkErrors(t, err)
			if err != nil {
				continue
			}
			require.NoError(t, ir.Compiled(k).Func.Verify())
			_, err = hw.PTX(k, hw.PTXOptions{Check: true})
			require.NoError(t, err)
		}
	})
}

// checkErrors checks that err is nil or says what is wrong and where.
func checkErrors(t *testing.T, err error) {
	if err == nil {
		return
	}
	var errs Errors
	require.ErrorAs(t, err, &errs)
	require.NotEmpty(t, errs)
	for _, e := range errs {
		require.NotEmpty(t, e.Msg)
		require.NotContains(t, e.Msg, "report it")
		require.NotContains(t, e.Msg, "go/ssa cannot build")
		if strings.Contains(e.Msg, "holds no device code") || strings.Contains(e.Msg, "in other functions of the package") || strings.Contains(e.Msg, "itself has no error") {
			continue // something missing has no place, and what is said of all errors
		}
		require.NotEmpty(t, e.At.File, e.Msg)
		require.Positive(t, e.At.Line, e.Msg)
		require.Positive(t, e.At.Col, e.Msg)
	}
}
