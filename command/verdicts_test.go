package command

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNothingLookedAt checks that commands which have looked at nothing, or at less than was asked for, do not say that
// all is well.
func TestNothingLookedAt(t *testing.T) {
	dir := t.TempDir()
	store := filepath.Join(dir, "s.db")
	_, stderr, code := command(t, "sweep", "bfs", "--graph", "grid:width=4", "--device", "sim:tiny", "--scheduler", "warp,thread", "--out", store)
	require.Equal(t, exitRight, code, stderr)
	for _, c := range []struct {
		line         string
		code         int
		says, stdout string
	}{
		{"results compare " + store + " --a scheduler=warp --b scheduler=block", exitWrong,
			"weft: nothing was compared: no point of " + store + ", scheduler=warp has a counterpart in " + store + ", scheduler=block\n", "no run with status ok"},
		{"launch " + forms + ".Outside --device func --grid 1 --block 1 --arg i=3 --arg out=zeros:3 --race", exitWrong,
			"index 3 out of range", "\nraces: none until the run ended early (fault)\n"},
		{"launch " + forms + ".Spin --device sim:tiny --grid 1 --block 32 --arg word=0 --race", exitHang, "hangs", "\nraces: none until the run ended early (hang)\n"},
		{"launch " + forms + ".Nothing --device func --grid 1 --block 1 --race", exitRight, "", "\nraces: none\n"},
		{"launch " + forms + ".Nothing --device func --grid 1 --block 1 --compare-with sim:tiny", exitUsage, "has no buffers to compare", ""},
		{"launch " + forms + ".Nothing --device func --grid 1 --block 1 --seed 3", exitRight, "", "note: --seed changes nothing: func makes no random choice of its own\n"},
		{"run bfs --device func --graph grid:width=4 --no-verify", exitRight, "", "answer  not verified: as asked\n"},
		{"run bfs --device sim:tiny --graph grid:width=4 --explore 1 --no-verify", exitRight, "", "no answers, which are not compared: as asked\n"},
		{"run bfs --device hw --graph grid:width=4 --race", exitUsage, "--race: device hw cannot look for data races", ""},
		{"litmus testdata/pairs/sb.litmus --model ptx --expect testdata/pairs/other.csv", exitWrong, "other.csv has no verdict on sb", ""},
		{"litmus " + dir + " --model ptx", exitUsage, "has no file whose name ends in .litmus", ""},
		{"progress " + dir, exitWrong, "has no litmus test", ""},
		{"micro --device sim:tiny --only nothing", exitUsage, "no row matches", ""},
		{"compare --all --device sim:tiny --gpu h200 --graphs " + dir, exitWrong, "no graph files in", ""},
	} {
		stdout, stderr, code := command(t, shellWords(c.line)...)
		assert.Equal(t, c.code, code, "%s: %s", c.line, stderr)
		assert.Contains(t, stderr, c.says, c.line)
		assert.Contains(t, stdout, c.stdout, c.line)
	}
}
