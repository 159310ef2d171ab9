package ncu

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/results"
)

// TestByKernel checks that launches are combined: sums are added, and a mean is weighted.
func TestByKernel(t *testing.T) {
	const wait = "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"
	launches := []Launch{
		{0, "a", map[string]float64{"smsp__issue_active.sum": 1, wait: 5}},
		{1, "b", map[string]float64{"smsp__issue_active.sum": 2, wait: 1}},
		{2, "a", map[string]float64{"smsp__issue_active.sum": 3, wait: 1}},
	}
	require.Equal(t, []results.KernelCounters{
		{Kernel: "a", Launches: 2, Counters: map[string]float64{"smsp__issue_active.sum": 4, wait: 2}},
		{Kernel: "b", Launches: 1, Counters: map[string]float64{"smsp__issue_active.sum": 2, wait: 1}},
	}, ByKernel(launches))
	require.Len(t, OneByOne(launches), 3)
	missing := Missing(ByKernel(launches))
	require.Contains(t, missing, "smsp__inst_executed.sum")
	require.NotContains(t, missing, wait)
	require.Len(t, missing, len(Metrics())-2)
}

// TestComplete checks the sum of Hopper's counters of atomics with result, which are separate for each unit.
func TestComplete(t *testing.T) {
	m := map[string]float64{counter.GenericALU: 3, counter.GenericCAS: 4}
	complete(m)
	require.EqualValues(t, 7, m[counter.GlobalAtomics])
	complete(map[string]float64{})
	m = map[string]float64{counter.GlobalAtomics: 1, counter.GenericALU: 3}
	complete(m)
	require.EqualValues(t, 1, m[counter.GlobalAtomics], "where there is one it counts")
}

// fake puts a program named ncu first in the PATH.
func fake(t *testing.T, script string) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ncu"), []byte("#!/bin/sh\n"+script), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

const answer = `cat <<'EOF'
"ID","Kernel Name","Metric Name","Metric Value"
"0","k","smsp__inst_executed.sum","7"
EOF
`

// TestRun checks that counters that ncu does not know are dropped, and the others read.
func TestRun(t *testing.T) {
	fake(t, `case "$*" in
*lts__t_sectors_op_red.sum*) echo "==ERROR== Failed to find metric lts__t_sectors_op_red.sum" >&2; exit 1;;
*"--cache-control none"*"--clock-control none"*|*"--clock-control none"*"--cache-control none"*) `+answer+`;;
*) exit 3;;
esac
`)
	l, err := Run(t.Context(), nil, "weft", "run")
	require.NoError(t, err)
	require.Equal(t, []Launch{{0, "k", map[string]float64{"smsp__inst_executed.sum": 7}}}, l)
}

// TestRunWithoutInstrumentation checks that kernels whose code cannot be instrumented are counted without the counters
// that require it.
func TestRunWithoutInstrumentation(t *testing.T) {
	fake(t, `case "$*" in
*smsp__sass_*) echo "==ERROR== cannot patch" >&2; exit 1;;
*) `+answer+`;;
esac
`)
	l, err := Run(t.Context(), nil, "weft")
	require.NoError(t, err)
	require.Len(t, l, 1)
}

func TestRunFails(t *testing.T) {
	fake(t, "echo '==ERROR== ERR_NVGPUCTRPERM' >&2; exit 1\n")
	_, err := Run(t.Context(), nil, "weft")
	require.EqualError(t, err, "ncu: exit status 1: ==ERROR== ERR_NVGPUCTRPERM")
	fake(t, answer+"exit 1\n")
	l, err := Run(t.Context(), nil, "weft")
	require.ErrorContains(t, err, "exit status 1")
	require.Len(t, l, 1, "what it did launch counts")
	t.Setenv("PATH", t.TempDir())
	_, err = Run(t.Context(), nil, "weft")
	require.ErrorIs(t, err, ErrMissing)
}

// TestRefused checks that a name that begins like another one is not confused with it.
func TestRefused(t *testing.T) {
	asked := []string{"lts__t_sectors.sum", "lts__t_sectors_op.sum"}
	require.Equal(t, asked[1:], refused(asked, "no metric lts__t_sectors_op.sum here"))
	require.Empty(t, refused(asked, "a_lts__t_sectors.sum"))
}
