//go:build linux

package hw_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRecordStages runs record.sh beside a weft that only writes down how it is called, and fails for "fails".
func TestRecordStages(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("record.sh needs bash")
	}
	dir := t.TempDir()
	script, err := os.ReadFile("record.sh")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "record.sh"), script, 0o700))
	weft := "#!/bin/sh\necho \"$*\" >>" + dir + "/calls\necho \"$*\" | grep -q fails && exit 3\necho {}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "weft"), []byte(weft), 0o700))
	for _, c := range []struct {
		stage, litmus string
		calls         []string
		files         string
		fails         string
	}{
		{"hangs", "", []string{
			"hang --all --device hw --json",
			"hang barrier-simdx --largest --device hw --registers 110 --json",
			"hang barrier-simdx --largest --device hw --registers 24 --json",
		}, "hangs.json largest-110.json largest-24.json", ""},
		{"counters", "", []string{"record --parts micro,micro-counters --profile ^$ --out HERE/out/record --repeat 5"}, "counters.txt", ""},
		{"registers", "", []string{"record --parts registers --out HERE/out/record"}, "registers.txt", ""},
		{"progress", "", []string{
			"progress HERE/progress --run --as blocks --device hw --instances 20000 --launches 10 --json",
			"progress HERE/progress --run --as lanes --device hw --instances 20000 --launches 10 --json",
		}, "progress-blocks.jsonl progress-lanes.jsonl", ""},
		{"litmus", "", []string{"litmus HERE/litmus --device hw --instances 1000000 --json"}, "litmus.json", ""},
		{"litmus", "MP-cta SB-weak", []string{"litmus HERE/litmus/MP-cta.litmus HERE/litmus/SB-weak.litmus --device hw --instances 1000000 --json"}, "litmus.json", ""},
		{"litmus", "fails", []string{"litmus HERE/litmus/fails.litmus --device hw --instances 1000000 --json"}, "litmus.json", "FAILED: litmus, see litmus.json"},
		{"peers", "", []string{
			"sweep HERE/studies/peers.yaml --device hw --graphs HERE/graphs --out HERE/out/h200.db --timeout 20s --limit 8m",
			"results HERE/out/h200.db --record HERE/out/h200.json",
			"results HERE/out/h200.json --others HERE/studies/peers.yaml --out HERE/out/README.md",
		}, "h200.log", ""},
		{"multi-scaling", "", []string{
			"sweep HERE/studies/gpus-scaling.yaml --device hw:0,1 --graphs HERE/graphs --out HERE/out/scaling.db --timeout 20s --limit 8m",
			"results HERE/out/scaling.db --record HERE/out/scaling.json",
			"sweep HERE/studies/gpus-scaling.yaml --device hw:0 --graphs HERE/graphs --out HERE/out/scaling-one.db --timeout 20s --limit 8m",
			"results HERE/out/scaling-one.db --record HERE/out/scaling-one.json",
		}, "scaling.log scaling-one.log", ""},
	} {
		out := filepath.Join(dir, "out")
		require.NoError(t, os.RemoveAll(out))
		require.NoError(t, os.RemoveAll(filepath.Join(dir, "calls")))
		cmd := exec.Command(bash, filepath.Join(dir, "record.sh"), out, c.stage)
		cmd.Env = append(os.Environ(), "LITMUS="+c.litmus)
		text, err := cmd.CombinedOutput()
		if c.fails == "" {
			require.NoError(t, err, "%s", text)
		} else {
			require.Error(t, err)
			assert.Contains(t, string(text), c.fails+"\n")
		}
		calls, err := os.ReadFile(filepath.Join(dir, "calls"))
		require.NoError(t, err)
		assert.Equal(t, strings.Join(c.calls, "\n")+"\n", strings.ReplaceAll(string(calls), dir, "HERE"))
		for _, f := range strings.Fields(c.files) {
			assert.FileExists(t, filepath.Join(out, f))
		}
	}
}

// TestRecordTests checks that the folder of "make hw-record" gets the tests that record.sh names.
func TestRecordTests(t *testing.T) {
	text, err := os.ReadFile("../Makefile")
	require.NoError(t, err)
	for folder, from := range map[string]string{"progress": "internal/proof/progress/litmus/testdata/tests", "litmus": "internal/proof/ptxlitmus/testdata/tests"} {
		assert.Contains(t, string(text), "\tcp -r "+from+" $(RECORD)/"+folder+"\n")
		entries, err := os.ReadDir("../" + from)
		require.NoError(t, err)
		assert.Greater(t, len(entries), 50)
	}
}
