package command

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/proof/progress"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/sim/config"
)

const litmusTestsFolder = "../internal/proof/progress/litmus/testdata/tests"

// TestProgressFolder checks that a folder's verdicts are those published, as
// text and as JSON, and that --expect finds a verdict that differs.
func TestProgressFolder(t *testing.T) {
	expected := filepath.Join(litmusTestsFolder, "verdicts.csv")
	stdout, stderr, code := command(t, "progress", litmusTestsFolder, "--json", "--expect", expected)
	require.Zero(t, code)
	require.Equal(t, "2,430 verdicts as in verdicts.csv\n", stderr)
	table := map[string][]string{}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	for _, line := range lines {
		var r struct{ Test, Model, Verdict string }
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		require.Equal(t, progress.Models[len(table[r.Test])].Name, r.Model)
		table[r.Test] = append(table[r.Test], r.Verdict)
		require.NotContains(t, line, "counterexample")
	}
	published, err := os.ReadFile(expected)
	require.NoError(t, err)
	rows := strings.Split(strings.TrimSpace(string(published)), "\n")
	require.Len(t, lines, 10*(len(rows)-1))
	text, _, code := command(t, "progress", litmusTestsFolder)
	require.Zero(t, code)
	printed := strings.Split(strings.TrimSpace(text), "\n")
	require.Len(t, printed, len(rows))
	for i, row := range rows {
		require.Equal(t, row, strings.Join(strings.Fields(printed[i]), ","))
		if name, verdicts, _ := strings.Cut(row, ","); i > 0 {
			require.Equal(t, verdicts, strings.Join(table[name], ","))
		}
	}

	one := filepath.Join(litmusTestsFolder, "2t_2i_2.txt")
	wrong := filepath.Join(t.TempDir(), "v.csv")
	require.NoError(t, os.WriteFile(wrong, []byte("test,obe,weak_fair\n2t_2i_2,terminates,terminates\n"), 0o644))
	_, stderr, code = command(t, "progress", one, "--model", "obe,weak_fair", "--expect", wrong)
	require.Equal(t, 1, code)
	require.Equal(t, "weft: 2t_2i_2 under obe: may_hang, expected terminates\n", stderr)
	_, stderr, code = command(t, "progress", one, "--model", "hsa", "--expect", wrong)
	require.Equal(t, 1, code)
	require.Equal(t, "weft: v.csv has no verdict on 2t_2i_2 under hsa\n", stderr)
}

// TestProgressRun runs tests on devices.
func TestProgressRun(t *testing.T) {
	type line struct {
		Test, Device, Threads, Model, Verdict string
		Launches, Instances, Hangs, Undecided int
		Spins, Waits                          []struct {
			Threads     []int
			Instruction int
		}
	}
	run := func(code int, args ...string) (l line, stderr string) {
		t.Helper()
		stdout, stderr, got := command(t, append([]string{"progress", "--run", "--json"}, args...)...)
		require.Equal(t, code, got, stderr)
		require.NoError(t, json.Unmarshal([]byte(stdout), &l))
		return l, stderr
	}
	one := filepath.Join(litmusTestsFolder, "2t_2i_4.txt")
	l, _ := run(0, one, "--device", "sim:tiny", "--launches", "3", "--instances", "5")
	require.Equal(t, line{Test: "2t_2i_4", Device: "sim:tiny", Threads: "blocks", Model: "obe", Verdict: "may_hang", Launches: 3, Instances: 15}, l)
	l, _ = run(0, one, "--device", "func", "--as", "lanes", "--launches", "2")
	require.Equal(t, line{Test: "2t_2i_4", Device: "func", Threads: "lanes", Model: "weak_fair", Verdict: "terminates", Launches: 2, Instances: 2}, l)

	l, stderr := run(3, one, "--device", "sim:k40", "--as", "lanes")
	require.Equal(t, 1, l.Launches)
	require.Equal(t, 1, l.Hangs)
	require.Equal(t, []int{0}, l.Spins[0].Threads)
	require.Equal(t, []int{1}, l.Waits[0].Threads)
	require.True(t, strings.HasPrefix(stderr, "weft: weak_fair guarantees that 2t_2i_4 ends: kernel progress/2t_2i_4.Lanes hangs: "), stderr)
	_, _ = run(0, one, "--device", "sim:k40", "--as", "lanes", "--model", "obe") // it guarantees nothing here

	stdout, stderr, code := command(t, "progress", "--run", litmusTestsFolder, "--device", "sim:k40", "--as", "lanes", "--launches", "1")
	require.Equal(t, 3, code)
	require.Contains(t, stdout, "\nweak_fair guarantees that 163 of them end; of these, 85 hung\n")
	require.True(t, strings.HasPrefix(stderr, "weft: 85 tests hung that must end; the first: weak_fair guarantees that 2t_2i_2 ends: "), stderr)
	stdout, _, code = command(t, "progress", "--run", one, "--device", "sim:tiny", "--launches", "2")
	require.Zero(t, code)
	require.Regexp(t, `^1 test as blocks on sim:tiny, up to 2 launches of 1 instance each, in .*: 0 hung, 0 undecided
obe guarantees that 0 of them end; of these, 0 hung
$`, stdout)
}

// TestProgressReplay checks that a schedule that was written makes the test hang
// on a simulated machine, without being an error, since obe guarantees nothing.
func TestProgressReplay(t *testing.T) {
	one, file := filepath.Join(litmusTestsFolder, "2t_2i_4.txt"), filepath.Join(t.TempDir(), "hang.json")
	_, stderr, code := command(t, "progress", one, "--model", "obe", "--write-schedule", file)
	require.Zero(t, code, stderr)
	stdout, stderr, code := command(t, "progress", one, "--run", "--device", "sim:tiny", "--schedule", file)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, ": 1 hung, 0 undecided\nobe guarantees that 0 of them end; of these, 0 hung\n")
	_, stderr, code = command(t, "progress", one, "--run", "--device", "sim:tiny", "--schedule", file, "--model", "weak_fair")
	require.Equal(t, 3, code, stderr)
}

// TestProgressOnHardware checks that a real GPU is opened with a short deadline,
// once, and that a hang there is reported.
func TestProgressOnHardware(t *testing.T) {
	made := devices.OpenGPU
	t.Cleanup(func() { devices.OpenGPU = made })
	opened := 0
	devices.OpenGPU = func(name string, index int, o hw.Options) (*hw.Device, error) {
		opened++
		require.True(t, o.Watchdog)
		require.Equal(t, 200*time.Millisecond, o.Deadline)
		return nil, errors.New("no GPU here")
	}
	_, stderr, code := command(t, "progress", "--run", litmusTestsFolder, "--device", "hw")
	require.Equal(t, 1, code)
	require.Equal(t, 1, opened)
	require.Equal(t, "weft: no GPU here\n", stderr)
}

// TestProgressVaries checks that the settings of --run are those with which a
// schedule depends on the seed in every way.
func TestProgressVaries(t *testing.T) {
	want, err := config.Load("tiny")
	require.NoError(t, err)
	want.VarySchedules()
	got, err := config.Load("tiny")
	require.NoError(t, err)
	for _, setting := range varied {
		path, value, _ := strings.Cut(setting, "=")
		require.NoError(t, got.Set(path, value))
	}
	require.Equal(t, want.Hash(), got.Hash())
}
