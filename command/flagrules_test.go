package command

import (
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFlagRules checks the message of each rule, and that its flags exist.
func TestFlagRules(t *testing.T) {
	value := func(f *pflag.Flag) string {
		switch kindOf(f) {
		case "bool":
			return "--" + f.Name
		case "int", "int64", "uint64":
			return "--" + f.Name + "=1"
		case "duration":
			return "--" + f.Name + "=1s"
		case "float64":
			return "--" + f.Name + "=0.5"
		}
		return "--" + f.Name + "=x"
	}
	for _, r := range flagRules {
		cmd, _, err := (&app{}).root().Find([]string{r.command})
		require.NoError(t, err)
		for _, other := range r.beside {
			beside := cmd.Flags().Lookup(other)
			require.NotNil(t, beside, "%s --%s", r.command, other)
			for _, name := range r.flags {
				f := cmd.Flags().Lookup(name)
				require.NotNil(t, f, "%s --%s", r.command, name)
				stdout, stderr, code := command(t, r.command, "x", value(f), value(beside))
				assert.Equal(t, exitUsage, code, "%s --%s", r.command, name)
				assert.Empty(t, stdout)
				assert.Equal(t, "weft: --"+name+" does nothing beside --"+other+": "+r.why+"\n  "+r.hint+"\n", stderr)
			}
		}
	}
}

// TestExploreRaces checks that an exploration looks for races if it is asked to, under the default schedule and under others.
func TestExploreRaces(t *testing.T) {
	const flag = "launch ../internal/diagnosis/race/testdata/planted.NoFenceRace --grid 2 --block 32 --device sim:tiny --arg data=zeros:256 --arg flag=zeros:8 --explore 3"
	stdout, stderr, code := command(t, shellWords(flag+" --race")...)
	assert.Equal(t, exitWrong, code)
	assert.Equal(t, "weft: data race between a pair of lines, once\n", stderr)
	assert.Contains(t, stdout, "checks   a hang, a livelock, a fault\n         data races\n         buffers other than under the default schedule: all; --answer names those that are the answer\n")
	assert.Contains(t, stdout, "\nfailed   the default schedule: race\n")
	assert.Contains(t, stdout, "\nrace in kernel planted.NoFenceRace on data[0]: plain accesses that nothing orders\n")
	stdout, _, code = command(t, shellWords(flag)...)
	assert.Equal(t, exitRight, code)
	assert.NotContains(t, stdout, "data races", "nobody looked for them")

	// This kernel races under some schedules only.
	const rare = "launch ./testdata/pairs.Rare --grid 4 --block 1 --device sim:tiny --arg private=iota:64 --arg done=0 --arg x=zeros:4 --race"
	_, stderr, code = command(t, shellWords(rare)...)
	assert.Equal(t, exitRight, code, stderr)
	stdout, stderr, code = command(t, shellWords(rare+" --explore 60")...)
	assert.Equal(t, exitWrong, code, stdout)
	assert.Contains(t, stderr, "weft: data race between a pair of lines")
	assert.Contains(t, stdout, "race in kernel pairs.Rare on x[0]")
	assert.Regexp(t, `replay   weft launch .* --race`, stdout)
}

// TestExploreAnswer checks that only the buffers that are the answer make a schedule fail.
func TestExploreAnswer(t *testing.T) {
	const line = "launch ./testdata/pairs.Add --device sim:tiny --grid 5 --block 64 --arg n=300 --arg x=random:n --arg y=iota:n --arg out=zeros:n --arg order=zeros:64 --arg next=0"
	_, stderr, code := command(t, shellWords(line+" --explore 20")...)
	assert.Equal(t, exitWrong, code)
	assert.Contains(t, stderr, "weft: the answer depends on the schedule: order[")
	stdout, stderr, code := command(t, shellWords(line+" --explore 20 --answer out,next")...)
	assert.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "buffers other than under the default schedule: out, next\n")
	stdout, _, code = command(t, shellWords(line+" --compare-with func --answer out --tolerance 1e-6")...)
	assert.Equal(t, exitRight, code)
	assert.Contains(t, stdout, "compared with func: all 300 numbers of out agree, ")
	for args, want := range map[string]string{
		line + " --explore 2 --answer ouut":                                   "weft: --answer: unknown buffer \"ouut\"\n  did you mean out?\n  there are: next, order, out, x, y\n",
		line + " --explore 2 --answer out,out":                                "weft: --answer: out is given twice\n",
		line + " --answer out":                                                "weft: --answer goes with --compare-with or --explore only\n  such as --compare-with func\n",
		"launch " + forms + ".Nothing --grid 1 --block 1 --compare-with func": "weft: --compare-with: " + forms + ".Nothing has no buffers to compare\n",
	} {
		_, stderr, code := command(t, shellWords(args)...)
		assert.Equal(t, exitUsage, code, args)
		assert.Equal(t, want, stderr, args)
	}
}
