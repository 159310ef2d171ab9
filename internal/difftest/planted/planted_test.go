package planted

import (
	"context"
	"flag"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var plant = flag.Bool("plant", false, "plant each fault and run the differential tests, which takes minutes; see make planted")

func root(t *testing.T) string {
	dir, err := filepath.Abs("../../..")
	require.NoError(t, err)
	return dir
}

// Each fault can be planted in the sources of today.
func TestFaultsApply(t *testing.T) {
	names := map[string]bool{}
	for _, f := range Faults {
		assert.False(t, names[f.Name], f.Name)
		names[f.Name] = true
		_, files, err := f.Overlay(root(t), t.TempDir())
		require.NoError(t, err)
		require.NotEmpty(t, files, f.Name)
		for _, file := range files {
			_, err = parser.ParseFile(token.NewFileSet(), file, nil, 0)
			assert.NoError(t, err, f.Name)
		}
	}
	assert.GreaterOrEqual(t, len(Faults), 12)
	_, _, err := Fault{Name: "x", Edits: []Edit{{"sim/lsu.go", "no such text", ""}}}.Overlay(root(t), t.TempDir())
	assert.ErrorContains(t, err, "sim/lsu.go: what the fault x replaces is there 0 times, not once")
}

// failed is the first line of the tests that says what is wrong.
var failed = regexp.MustCompile(`(?m)^.*(func|sim:[^:]*|func, not optimised): .*$`)

// The differential tests find every fault by themselves.
func TestFaultsAreFound(t *testing.T) {
	if !*plant {
		t.Skip("planting faults takes minutes: make planted")
	}
	for _, f := range Faults {
		t.Run(f.Name, func(t *testing.T) {
			overlay, _, err := f.Overlay(root(t), t.TempDir())
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "go", "test", "-overlay", overlay, "-failfast", "./internal/difftest", "-reduce=false")
			cmd.Dir, cmd.Env = root(t), os.Environ()
			out, err := cmd.CombinedOutput()
			require.NoError(t, ctx.Err())
			require.NotContains(t, string(out), "[build failed]", "%s", out)
			assert.Error(t, err, "not found: %s\n%s", f.What, out)
			t.Logf("found: %s\n%s", f.What, strings.TrimSpace(failed.FindString(string(out))))
		})
	}
}
