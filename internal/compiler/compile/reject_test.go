package compile

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
)

func TestMain(m *testing.M) {
	os.Exit(golden.Run(m, "testdata/reject/*.txt", "testdata/limits/*.txt", "testdata/lint/*.txt", "testdata/ir/*.txt"))
}

// schemes matches the packages below scheduler in a list of packages, so that a
// new one changes no test.
var schemes = regexp.MustCompile(`(, internal/scheme/\w+)+`)

// TestReject compiles every file of testdata/reject, each a package, and
// compares all errors: those of Check, then those of the kernels that comments
// "//kernel NAME" request.
func TestReject(t *testing.T) {
	files, err := filepath.Glob("testdata/reject/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".go")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			c := New(ownSources...)
			c.Mount("reject", fstest.MapFS{name + ".go": {Data: text}})
			var got strings.Builder
			say := func(err error) {
				if err != nil {
					got.WriteString(err.Error())
					got.WriteString("\n")
				}
			}
			say(c.Check(t.Context(), "reject"))
			for _, line := range strings.Split(string(text), "\n") {
				if k, ok := strings.CutPrefix(line, "//kernel "); ok {
					_, err := c.Kernel(t.Context(), k, nil)
					require.Error(t, err, k)
					say(err)
				}
			}
			require.NotEmpty(t, got.String(), "nothing is wrong")
			require.NotContains(t, got.String(), "report it")
			golden.Check(t, strings.TrimSuffix(file, ".go")+".txt", schemes.ReplaceAllString(got.String(), ""))
		})
	}
}
