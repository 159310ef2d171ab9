package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/devices"
)

// copied returns copies of the triangle's file and of a user's algorithm.
func copied(t *testing.T) (graph, algorithm string) {
	t.Helper()
	dir := t.TempDir()
	for from, to := range map[string]string{"testdata/triangle.mtx": "graph.mtx", "testdata/user/stuck/stuck.go": "stuck.go"} {
		b, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, to), b, 0o666))
	}
	return filepath.Join(dir, "graph.mtx"), dir + ".Hang"
}

// TestOutputsConflict uses a file as an output that has another use.
func TestOutputsConflict(t *testing.T) {
	graph, algorithm := copied(t)
	dir := filepath.Dir(graph)
	source := filepath.Join(dir, "stuck.go")
	run := "run bfs --device sim:tiny --graph " + graph
	for _, c := range []struct{ line, says string }{
		{run + " --answer " + graph, "--answer: " + graph + " is the graph that is read, too"},
		{run + " --pprof " + graph, "--pprof: " + graph + " is the graph that is read, too"},
		{run + " --trace " + graph, "--trace: " + graph + " is the graph that is read, too"},
		{run + " --answer " + dir + "/x --pprof " + dir + "/x", "--pprof: " + dir + "/x is --answer, too"},
		{run + " --answer " + dir + "/x --trace " + dir + "/./x", "--trace: " + dir + "/./x is --answer, too"},
		{run + " --pprof " + dir + "/x --trace " + dir + "/x", "--trace: " + dir + "/x is --pprof, too"},
		{"run " + algorithm + " --graph " + graph + " --answer " + source, "--answer: " + source + " is a source that is read, too"},
		{"annotate " + algorithm + " --graph " + graph + " --pprof " + source, "--pprof: " + source + " is a source that is read, too"},
		{"bench sim --device sim:tiny --graph demo --graph " + graph + " --cpuprofile " + graph, "--cpuprofile: " + graph + " is the graph that is read, too"},
	} {
		stdout, stderr, code := command(t, strings.Fields(c.line)...)
		assert.Equal(t, exitUsage, code, c.line)
		assert.Empty(t, stdout, c.line)
		assert.Equal(t, "weft: "+c.says+"\n  name another file\n", stderr)
	}
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, names, 2)
}

// TestOutputsOfFailures checks that a wrong answer does not replace a correct
// one, nor does a run that never reached a launch, and that profiles of runs
// that end early are kept.
func TestOutputsOfFailures(t *testing.T) {
	made := devices.Opener
	t.Cleanup(func() { devices.Opener = made })
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	files := " --graph testdata/triangle.mtx --symmetrize --device sim:tiny --answer " + at("answer") + " --pprof " + at("pprof") + " --trace " + at("trace")
	changed := func(line string, wantCode int) (list []string, stderr string) {
		t.Helper()
		names := []string{"answer", "pprof", "trace"}
		for _, n := range names {
			require.NoError(t, os.WriteFile(at(n), []byte("old"), 0o666))
		}
		_, stderr, code := command(t, strings.Fields("run "+line+files)...)
		require.Equal(t, wantCode, code, stderr)
		for _, n := range names {
			b, err := os.ReadFile(at(n))
			require.NoError(t, err)
			if string(b) != "old" {
				list = append(list, n)
			}
		}
		return list, stderr
	}
	list, _ := changed("bfs", exitRight)
	assert.Equal(t, []string{"answer", "pprof", "trace"}, list)
	list, _ = changed("./testdata/user/stuck.Hang", exitHang)
	assert.Equal(t, []string{"pprof", "trace"}, list)
	list, _ = changed("./testdata/user/stuck.Outside", exitWrong)
	assert.Equal(t, []string{"pprof", "trace"}, list)
	list, _ = changed("./testdata/user/rejected.Broken", exitWrong)
	assert.Empty(t, list)

	devices.Opener = func(ctx context.Context, d *devices.Spec, w devices.Watch) (device.Device, error) {
		dev, err := made(ctx, d, w)
		return idle{dev}, err
	}
	list, stderr := changed("bfs", exitWrong)
	assert.NotContains(t, list, "answer")
	assert.Contains(t, stderr, "weft: wrong answer: ")
	assert.Contains(t, stderr, "  --answer: "+at("answer")+" was not written; with --no-verify it is\n")
	list, _ = changed("bfs --no-verify", exitRight)
	assert.Contains(t, list, "answer")
}

// idle is a device whose launches do nothing.
type idle struct{ device.Device }

func (idle) Launch(context.Context, device.Launch) (*device.Report, error) {
	return &device.Report{}, nil
}
