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
	"github.com/weft-gpu/weft/internal/devices"
	"github.com/weft-gpu/weft/internal/progress"
	"github.com/weft-gpu/weft/sim/config"
)

const litmusTestsFolder = "../internal/progress/litmus/testdata/tests"

func TestProgressGolden(t *testing.T) {
	for name, line := range map[string]string{
		"progress-one":            "progress TESTS/2t_2i_6.txt",
		"progress-counterexample": "progress TESTS/3t_3i_2.txt --model lobe",
		"progress-two":            "progress TESTS/2t_3i_40.txt --model strong_fair,hsa --counterexample",
		"progress-help":           "progress --help",
		"bad-progress-none":       "progress",
		"bad-progress-model":      "progress TESTS --model obey",
		"bad-progress-models":     "progress TESTS --model=",
		"bad-progress-file":       "progress testdata/nothing.txt",
		"bad-progress-folder":     "progress testdata/golden/../machines",
		"bad-progress-text":       "progress testdata/gaps.txt",
		"bad-progress-states":     "progress TESTS/2t_2i_6.txt --states 0",
		"bad-progress-undecided":  "progress TESTS/2t_2i_6.txt --states 3 --model obe,hsa",
		"bad-progress-expect":     "progress TESTS/2t_2i_6.txt --expect testdata/gaps.txt",
		"bad-progress-write":      "progress TESTS/2t_2i_6.txt --model obe,hsa --write-schedule nowhere/x.json",
		"bad-progress-no-hang":    "progress TESTS/2t_2i_6.txt --model hsa --write-schedule nowhere/x.json",
		"bad-progress-nowhere":    "progress TESTS/2t_2i_6.txt --model obe --write-schedule nowhere/x.json",
		"bad-progress-schedule":   "progress TESTS/2t_2i_6.txt --run --as lanes --schedule {}",
		"bad-progress-json":       "progress TESTS/2t_2i_6.txt --run --schedule {",
		"progress-json":           "progress TESTS/2t_2i_6.txt --model obe,hsa --json --counterexample",
		"progress-kernel":         "progress KERNELS.Barrier --grid 3 --block 64 --arg arrived=0 --threads blocks",
		"progress-kernel-model":   "progress KERNELS.Lock --grid 2 --block 1 --arg lock=0 --arg sum=0 --model lobe,hsa --counterexample",
		"progress-kernel-json":    "progress KERNELS.Consume --grid 2 --block 1 --arg flag=0 --model obe --json --counterexample",
		"progress-kernel-lanes":   "progress KERNELS.Consume --grid 2 --block 1 --arg flag=0 --threads lanes --model hsa",
		"bad-progress-count":      "progress KERNELS.Count --grid 2 --block 1 --arg x=0 --states 1000 --model obe",
		"bad-progress-fault":      "progress KERNELS.Fault --grid 2 --block 1 --arg x=0",
		"bad-progress-clock":      "progress KERNELS.Clock --grid 2 --block 1 --arg x=0",
		"bad-progress-kernel":     "progress lock.CuontPlain --grid 2 --block 1",
		"bad-progress-algorithm":  "progress bfs --grid 2 --block 1",
		"bad-progress-args":       "progress KERNELS.Count --grid 2 --block 1",
		"bad-progress-arg":        "progress KERNELS.Count --grid 2 --block 1 --arg x",
		"bad-progress-bind":       "progress KERNELS.Count --grid 2 --block 1 --bind x",
		"bad-progress-grid":       "progress KERNELS.Count --grid 0 --block 1",
		"bad-progress-block":      "progress KERNELS.Count --grid 1",
		"bad-progress-extent":     "progress KERNELS.Count --grid 1 --block 2000 --arg x=0",
		"bad-progress-shared":     "progress KERNELS.Count --grid 1 --block 1 --shared -1",
		"bad-progress-threads":    "progress KERNELS.Count --grid 1 --block 1 --threads grids",
		"bad-progress-kernel-run": "progress KERNELS.Count --grid 1 --block 1 --run",
		"bad-progress-kernel-not": "progress TESTS/2t_2i_6.txt --arg x=0",
		"bad-progress-many":       "progress KERNELS.Count --grid 65 --block 1 --arg x=0",
		"bad-progress-not-run":    "progress TESTS/2t_2i_6.txt --as lanes",
		"bad-progress-run-states": "progress TESTS/2t_2i_6.txt --run --states 5",
		"bad-progress-as":         "progress TESTS/2t_2i_6.txt --run --as warps",
		"bad-progress-launches":   "progress TESTS/2t_2i_6.txt --run --launches 0",
		"bad-progress-instances":  "progress TESTS/2t_2i_6.txt --run --instances 0",
		"bad-progress-run-models": "progress TESTS/2t_2i_6.txt --run --model obe,lobe",
		"bad-progress-device":     "progress TESTS/2t_2i_6.txt --run --device sim:h20",
		"bad-progress-set":        "progress TESTS/2t_2i_6.txt --run --device func --set sm.count=3",
		"bad-progress-deadline":   "progress TESTS/2t_2i_6.txt --run --device func --deadline 1s",
	} {
		t.Run(name, func(t *testing.T) {
			goldenLine(t, name, strings.Fields(strings.NewReplacer("TESTS", litmusTestsFolder, "KERNELS", "../internal/progress/kernel/testdata/k").Replace(line))...)
		})
	}
}

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
