//go:build planted

package planted

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// failed matches the first line of test output that says what is wrong.
var failed = regexp.MustCompile(`(?m)^.*(func|sim:[^:]*|func, not optimised): .*$`)

// The differential tests find every fault. This takes minutes: make planted.
func TestFaultsAreFound(t *testing.T) {
	for _, f := range Faults {
		t.Run(f.Name, func(t *testing.T) {
			overlay, _, err := f.Overlay(root(t), t.TempDir())
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "go", "test", "-overlay", overlay, "-failfast", "./internal/testing/difftest", "-reduce=false")
			cmd.Dir, cmd.Env = root(t), os.Environ()
			out, err := cmd.CombinedOutput()
			require.NoError(t, ctx.Err())
			require.NotContains(t, string(out), "[build failed]", "%s", out)
			assert.Error(t, err, "not found: %s\n%s", f.What, out)
			t.Logf("found: %s\n%s", f.What, strings.TrimSpace(failed.FindString(string(out))))
		})
	}
}
