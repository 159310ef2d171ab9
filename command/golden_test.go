package command

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/sim/config"
)

// command runs one command line and returns what it printed.
func command(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return commandContext(t.Context(), args...)
}

func commandContext(ctx context.Context, args ...string) (stdout, stderr string, code int) {
	var out, err bytes.Buffer
	a := &app{args: args, stdout: &out, stderr: &err, calibrate: func() float64 { return 1e8 }}
	code = a.execute(ctx)
	return out.String(), err.String(), code
}

// masks hides what differs between runs or with every change of the compiler
// and the simulator, and lists that grow. Measured values keep their row:
// golden files test the form of the output, other tests its numbers.
var masks = []struct {
	find *regexp.Regexp
	put  string
}{
	{regexp.MustCompile(`(?m)^(cycles|simulated time|kernel time|algorithm time|wall time|speed|peak memory|reading|transposing|symmetrising|assigning weights) +.*$`), "$1 ..."},
	{regexp.MustCompile(`(?m)^(iterations|launches) +`), "$1 "},
	{regexp.MustCompile(`(?m)^((?:\w+__)[\w.]+) +[\d,.e+-]+ +`), "$1 N "},
	{regexp.MustCompile(`(?m)^counter +value +`), "counter value "},
	{regexp.MustCompile(`on an H200 [\d.]+% where [\d.]+% is simulated, over \d+ kernels`), "on an H200 N where N is simulated, over N kernels"}, // of results/simulated
	{regexp.MustCompile(`off by [\d.]+%`), "off by N"},
	{regexp.MustCompile(`(?m)^(weft|commit|go1\S*) .*$`), "$1 ..."},
	{regexp.MustCompile(`there are: func, .*`), "there are: DEVICES"},
	{regexp.MustCompile(`there are: annotate, .*version.*`), "there are: COMMANDS"},
	{regexp.MustCompile(`(there are|these do|name one of): (?:[\w-]+, )*block, .*thread, .*warp.*`), "$1: SCHEDULERS"},
	{regexp.MustCompile(`(?m)^( +"schedulers": \[)\n(?: +"[\w-]+",?\n)+ +`), "$1..."},
	{regexp.MustCompile(`(?m)^go1\S+`), "goVERSION"},
	{regexp.MustCompile(`(at the same time) \(default \d+\)`), "$1 (default PROCESSORS)"},
}

// algorithmNames returns the names of all algorithms, as messages list them.
func algorithmNames() string {
	var names []string
	for _, a := range catalog.Algorithms() {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

func masked(s string) string {
	// A new preset and a new algorithm change no golden file.
	s = strings.ReplaceAll(s, algorithmNames(), "ALGORITHMS")
	for _, between := range []string{" ", ", "} {
		s = strings.ReplaceAll(s, strings.Join(config.Presets(), between), "PRESETS")
	}
	for _, m := range masks {
		s = m.find.ReplaceAllString(s, m.put)
	}
	return s
}

// transcripts are command lines with their whole output, except what masks hide.
const transcripts = "testdata/golden/*.txtar"

// TestTranscripts runs each command line of the archives. It also checks that
// none of them leaves a file in the folder in which it runs.
func TestTranscripts(t *testing.T) {
	before := namesHere(t)
	golden.Transcripts(t, transcripts, func(t *testing.T, args []string) string {
		stdout, stderr, code := command(t, args...)
		assert.Equal(t, before, namesHere(t), "nothing is left behind")
		return fmt.Sprintf("exit %d\n--- stdout\n%s--- stderr\n%s", code, masked(stdout), masked(stderr))
	})
}

// namesHere returns the names in this folder.
func namesHere(t *testing.T) (names []string) {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
