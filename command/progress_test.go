package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/progress"
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
	} {
		t.Run(name, func(t *testing.T) {
			goldenLine(t, name, strings.Fields(strings.ReplaceAll(line, "TESTS", litmusTestsFolder))...)
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
