package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/proof/ptxlitmus"
)

const (
	ptxTestsFolder = "../internal/proof/ptxlitmus/testdata/tests"
	ptxFormsFolder = "../internal/proof/ptxlitmus/testdata/forms"
)

// TestLitmusFolder checks that a folder's verdicts are those published, as text
// and as JSON, and that --expect finds a verdict that differs.
func TestLitmusFolder(t *testing.T) {
	expected := filepath.Join(ptxTestsFolder, "verdicts.csv")
	stdout, stderr, code := command(t, "litmus", ptxTestsFolder, "--model", "ptx", "--json", "--expect", expected)
	require.Zero(t, code)
	require.Equal(t, "58 verdicts as in verdicts.csv\n", stderr)
	published, err := ptxlitmus.ReadVerdicts(t.Context(), expected)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.Len(t, lines, len(published))
	for _, line := range lines {
		var r ptxlitmus.Report
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		require.NotNil(t, r.Verdict)
		assert.Equal(t, bit(published[r.Test]), *r.Verdict, r.Test)
		assert.Nil(t, r.Witness)
	}

	text, err := os.ReadFile(expected)
	require.NoError(t, err)
	wrong := filepath.Join(t.TempDir(), "wrong.csv")
	require.NoError(t, os.WriteFile(wrong, []byte(strings.Replace(string(text), "SB-weak,Manual,1", "SB-weak,Manual,0", 1)), 0o600))
	_, stderr, code = command(t, "litmus", ptxTestsFolder, "--model", "ptx", "--expect", wrong)
	assert.Equal(t, exitWrong, code)
	assert.Equal(t, "weft: SB-weak: 1, expected 0\n", stderr)
}

// TestLitmusVerdictFiles has each mistake in a file of verdicts.
func TestLitmusVerdictFiles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `FILE: there is no header; it starts with "test,condition_holds"`},
		{"name,verdict\n", "FILE:1: the header needs the columns test and condition_holds"},
		{"test,verdict\nMP,2\n", `FILE:2: the verdict of MP is "2", neither 0 nor 1`},
		{"test,verdict\nMP,1\nMP,1\n", "FILE:3: MP has two verdicts"},
		{"test,verdict\nMP\n", "FILE: record on line 2: wrong number of fields"},
	} {
		file := filepath.Join(t.TempDir(), "v.csv")
		require.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
		_, stderr, code := command(t, "litmus", ptxTestsFolder, "--model", "ptx", "--expect", file)
		assert.Equal(t, exitWrong, code)
		assert.Equal(t, "weft: "+strings.ReplaceAll(c.want, "FILE", file)+"\n", stderr)
	}
}
