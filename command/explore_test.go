package command

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/proof/explore"
)

// locks is a launch of a kernel that hangs under rare schedules only.
func locks(more ...string) []string {
	args := strings.Fields("launch ../internal/proof/explore/testdata/racy.Locks --grid 4 --block 1 --device sim:tiny --arg lock=zeros:2 --arg private=iota:64 --arg count=zeros:8")
	return append(args, more...)
}

// shell splits a command line as a shell does, as far as replay needs it.
func shell(line string) (words []string) {
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		words = append(words, m[1]+m[2])
	}
	return words[1:]
}

// TestExploreLaunch checks what is printed about a kernel that fails under some schedules, and that the printed command
// repeats the failure cycle for cycle.
func TestExploreLaunch(t *testing.T) {
	_, stderr, code := command(t, locks()...)
	require.Equal(t, exitRight, code, stderr)
	stdout, stderr, code := command(t, locks("--explore", "50", "--json")...)
	assert.Equal(t, exitHang, code)
	assert.Contains(t, stderr, "kernel racy.Locks hangs: ")
	var r explore.Report
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.NotNil(t, r.Failure)
	assert.Equal(t, "hang", r.Failure.Outcome)
	assert.Equal(t, explore.Size{Pauses: 1}, r.Failure.Reduced)
	assert.Equal(t, r.Tried, r.Outcomes["hang"]+r.Outcomes["ended"])

	args := shell(r.Failure.Replay)
	assert.NotContains(t, args, "--explore")
	assert.Contains(t, args, "--schedule")
	out, _, code := command(t, args...) // --json is among them
	assert.Equal(t, exitHang, code)
	var again struct {
		Cycles uint64
		Error  struct{ Message string }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &again))
	assert.Equal(t, r.Failure.Cycles, again.Cycles)
	assert.Equal(t, r.Failure.Message, again.Error.Message)

	text, _, code := command(t, locks("--explore", "50")...)
	assert.Equal(t, exitHang, code)
	for _, line := range []string{
		`(?m)^explore  \S+racy\.Locks on sim:tiny: \d+ of 50 schedules, from seed 1$`, `(?m)^default  ended after [\d,]+ cycles$`,
		`(?m)^hang     1 schedule$`, `(?m)^reduced  from \d pauses? and \d random parameters to 1 pause and 0 random parameters, in \d+ runs$`,
		`(?m)^pause    block \d, warp 0 waits before memory step \d+, \S+racy/racy\.go:\d+:\d+$`,
		`(?m)^replay   weft launch .* --schedule '\{"pauses":\[\{"block":\d,"step":\d+\}\]\}'$`, `(?m)^         hang after [\d,]+ cycles$`,
	} {
		assert.Regexp(t, line, text)
	}
}

// TestExploreRun checks a program that ends under all schedules, and that --progress-model draws schedules, too.
func TestExploreRun(t *testing.T) {
	for _, more := range []string{"", " --progress-model obe"} {
		stdout, stderr, code := command(t, strings.Fields("run bfs --device sim:tiny --graph grid:width=10 --explore 4 --json --seed 7"+more)...)
		require.Equal(t, exitRight, code, stderr)
		var r explore.Report
		require.NoError(t, json.Unmarshal([]byte(stdout), &r))
		assert.Equal(t, map[string]int{"ended": 4}, r.Outcomes)
		assert.Nil(t, r.Failure)
		assert.Less(t, r.Cycles.Min, r.Cycles.Max)
		assert.Equal(t, uint64(7), r.First)
	}
}

// TestExploreReplaysSeed checks that a replay names the seed if something draws from it, by --seed for an algorithm; for
// a kernel, whose arguments may depend on --seed, by the schedule.
func TestExploreReplaysSeed(t *testing.T) {
	s := &explore.Setting{Seed: 9}
	x := &exploration{app: &app{args: []string{"run", "bfs", "--explore=5", "--seed", "3", "--keep-going"}}, flags: deviceFlags{seed: 3}}
	assert.Equal(t, "weft run bfs --seed 9", x.replay(s))
	x.args = true
	assert.Equal(t, `weft run bfs --seed 3 --schedule '{"seed":9}'`, x.replay(s))
	s.Seed = 3
	assert.Equal(t, `weft run bfs --seed 3`, x.replay(s))
}

// TestExploreRefuses checks the messages for flags that do not go together.
func TestExploreRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"run bfs --device sim:tiny --keep-going":               "weft: --keep-going goes with --explore only\n  such as --explore 100\n",
		"run bfs --device sim:tiny --explore 0":                "weft: --explore: 0 is not at least 1\n",
		"run bfs --device sim:tiny --explore 5 --schedule {}":  "weft: --explore draws schedules, and --schedule gives one\n  leave one out\n",
		"run bfs --device sim:tiny --explore 5 --trace t.json": "weft: --trace is for one run, but --explore runs many\n  replay the schedule that --explore finds with it\n",
		"run bfs --device sim:tiny --explore 5 --answer a":     "weft: --answer is for one run, but --explore runs many\n  replay the schedule that --explore finds with it\n",
		"run bfs --device func --explore 5":                    "weft: --explore: device func runs its threads in an order of its own\n  name a simulated machine by --device, such as sim:h200\n",
		"launch x.K --grid 1 --block 1 --explore 5 --print y":  "weft: --print is for one run, but --explore runs many\n  replay the schedule that --explore finds with it\n",
		"annotate bfs --device sim:tiny --explore 5":           "weft: weft annotate shows one run, but --explore runs many\n  explore with weft run\n",
	} {
		_, stderr, code := command(t, strings.Fields(args)...)
		assert.Equal(t, exitUsage, code, args)
		assert.Equal(t, want, stderr, args)
	}
}

// TestExploreScenario checks that a study runs under many schedules, under a progress model, and which flags it refuses.
func TestExploreScenario(t *testing.T) {
	stdout, stderr, code := command(t, strings.Fields("hang barrier-discovery --device sim:tiny --progress-model obe --explore 4 --json")...)
	require.Equal(t, exitRight, code, stderr)
	var r explore.Report
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	assert.Equal(t, map[string]int{"ended": 4}, r.Outcomes)
	_, stderr, code = command(t, strings.Fields("hang barrier-counter --device sim:tiny --grid 2 --progress-model obe")...)
	assert.Equal(t, exitHang, code)
	assert.Contains(t, stderr, "1 of 2 blocks cannot be placed until others end: progress model obe with at most 1 block at a time")
	for args, want := range map[string]string{
		"hang --all --explore 5":            "weft: --all is for one run, but --explore runs many\n  replay the schedule that --explore finds with it\n",
		"hang --progress-model obe":         "weft: weft hang needs the name of a scenario to choose its schedule\n  \"weft hang\" lists them\n",
		"hang barrier-counter --keep-going": "weft: --keep-going goes with --explore only\n  such as --explore 100\n",
	} {
		_, stderr, code := command(t, strings.Fields(args)...)
		assert.Equal(t, exitUsage, code, args)
		assert.Equal(t, want, stderr, args)
	}
}
