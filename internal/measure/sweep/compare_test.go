package sweep_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
)

// TestCompareWith compares launches with another device: a kernel whose answer depends on the clock differs.
func TestCompareWith(t *testing.T) {
	st := storeOf(t)
	p := planOf(t, `
set: {kernel: ../../../examples/axpy.Axpy, device: sim:tiny, block: 64, arg.a: 2, arg.x: "random:100", arg.y: "iota:100", grid: 2}
vary: {compare-with: [func, sim:h200]}
`)
	require.Equal(t, map[store.Status]int{store.OK: 2}, runAll(t.Context(), t, p, st, sweep.Running{Jobs: 2}).ByStatus)
	plain := planOf(t, `set: {kernel: ../../../examples/axpy.Axpy, device: sim:tiny, block: 64, arg.a: 2, arg.x: "random:100", arg.y: "iota:100", grid: 2}`)
	require.Equal(t, 1, runAll(t.Context(), t, plain, st, sweep.Running{Jobs: 1}).Ran, "a point that is not compared is another one")
	wrong := planOf(t, `
set: {kernel: ../../../internal/service/launch/testdata/forms.Clocks, device: sim:tiny, block: 32, grid: 2, arg.out: "zeros:4", arg.sums: "1000,0.5", compare-with: func}
vary: {tolerance: [0, 1e-4]}
`)
	s := runAll(t.Context(), t, wrong, st, sweep.Running{Jobs: 1})
	require.Equal(t, map[store.Status]int{store.Wrong: 2}, s.ByStatus)
	got, err := st.SQL(t.Context(), "SELECT status, value, count(*) FROM measured WHERE metric = 'verified' GROUP BY 1, 2 ORDER BY 1, 2")
	require.NoError(t, err)
	require.Equal(t, [][]any{{"ok", 0.0, int64(1)}, {"ok", 1.0, int64(2)}, {"wrong", 0.0, int64(2)}}, got.Rows)
	got, err = st.SQL(t.Context(), "SELECT error, command FROM runs WHERE status = 'wrong' ORDER BY id DESC LIMIT 1")
	require.NoError(t, err)
	require.Regexp(t, `^the devices differ: sim:tiny and func disagree at 2 numbers of 6; the first is out\[0\]: \d+, and \d+ on func$`, got.Rows[0][0])
	require.Regexp(t, ` --compare-with func --tolerance 0\.0001 --device sim:tiny$`, got.Rows[0][1])
}

// TestCompareMistakes checks what a specification may not compare.
func TestCompareMistakes(t *testing.T) {
	const head = "set: {kernel: micro.Copy, grid: 4, block: 32, device: func, "
	for text, want := range map[string]string{
		"compare-with: func}":               "study.yaml:1:75: compare-with: cannot compare func with itself",
		"compare-with: funcx2}":             "study.yaml:1:75: compare-with: a launch uses one GPU, and funcx2 is a group of 2",
		"tolerance: 1e-5}":                  "study.yaml:1:72: tolerance goes with compare-with, such as compare-with: func",
		"compare-with: fun}":                "unknown device",
		"compare-with: sim, tolerance: -1}": `tolerance: "-1" is not a number of at least 0, such as 1e-5`,
	} {
		s, err := spec.Parse("study.yaml", []byte(head+text), sweep.Check)
		if err == nil {
			_, err = sweep.NewPlan(t.Context(), s)
		}
		require.ErrorContains(t, err, want, text)
	}
}
