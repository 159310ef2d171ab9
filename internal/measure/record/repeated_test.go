package record

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/results"
)

// TestExport runs a small sweep and checks the record that is made of it, and that it is added to one that is there.
func TestExport(t *testing.T) {
	s, err := spec.Parse("study.yaml", []byte(`
graphs:
  three: {graph: "grid:width=6", symmetrize: true}
set: {graph: three}
runs:
  - set: {algorithm: bfs, device: sim:tiny, scheduler: warp}
    vary: {param.block: [64, 128]}
  - set: {algorithm: bfs, device: sim:tiny, scheduler: auto}
  - set: {algorithm: sssp, device: func, verify: false}
  - set: {algorithm: bfs, scheduler: multi, device: funcx2, param.exchange: all}
  - set: {algorithm: bfs, device: sim:tiny, scheduler: union-find}
`), sweep.Check)
	require.NoError(t, err)
	p, err := sweep.NewPlan(t.Context(), s)
	require.NoError(t, err)
	st, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "r.db"))
	require.NoError(t, err)
	defer st.Close()
	_, err = p.Run(t.Context(), st, p.Tasks, sweep.Running{Jobs: 2})
	require.NoError(t, err)

	old := results.Row{Key: results.Key{Graph: "three", Algorithm: "bfs", Scheduler: "warp", Params: "block=64"}, Error: "it hung"}
	other := results.Row{Key: results.Key{Graph: "four"}}
	f := &results.Repeated{Sessions: []results.Meta{{GPU: "NVIDIA H200"}}, Rows: []results.Row{old, other}}
	n, err := Export(t.Context(), st, nil, f)
	require.NoError(t, err)
	require.Equal(t, 6, n)
	require.Len(t, f.Rows, 7)
	assert.Equal(t, other, f.Rows[1])
	assert.Equal(t, []string{"NVIDIA H200", "sim:tiny", "func", "funcx2"}, []string{f.Sessions[0].GPU, f.Sessions[1].GPU, f.Sessions[2].GPU, f.Sessions[3].GPU})

	r := f.Rows[0]
	assert.Equal(t, old.Key, r.Key)
	assert.Equal(t, 1, r.Session)
	assert.Empty(t, r.Error)
	assert.Equal(t, results.ByReference, r.Checked)
	assert.Equal(t, []int{36, 120}, []int{r.Vertices, r.Arcs})
	require.Len(t, r.Seconds, 1)
	assert.Greater(t, r.WithCopy[0], r.Seconds[0])
	assert.Greater(t, r.Seconds[0], r.KernelSeconds[0])
	assert.Positive(t, r.Iterations)
	assert.GreaterOrEqual(t, r.Launches, r.Iterations)
	require.NotNil(t, r.Source)
	assert.Nil(t, r.Chosen)
	assert.Equal(t, "block=128", f.Rows[2].Params)
	scheme, _, ok := f.Rows[3].Choice()
	assert.True(t, ok)
	assert.Equal(t, "simdx", scheme)
	assert.Equal(t, results.Unchecked, f.Rows[4].Checked, "nobody compared the answer")
	assert.NotEmpty(t, f.Rows[4].Settings, "the parameters of sssp")
	require.NotNil(t, f.Rows[5].Communication)
	assert.Positive(t, f.Rows[5].Communication.Bytes())
	assert.Len(t, f.Rows[5].Communication.Pairs, 2)
	assert.Contains(t, f.Rows[6].Error, "union-find")

	var first, again bytes.Buffer
	require.NoError(t, f.Write(&first))
	_, err = Export(t.Context(), st, nil, f)
	require.NoError(t, err)
	require.NoError(t, f.Write(&again))
	assert.Equal(t, first.String(), again.String(), "the same rows of the same sessions")
	_, err = Export(t.Context(), st, []string{"algorithm=sssp"}, &results.Repeated{})
	require.NoError(t, err)
}

// TestExportRepeats checks what becomes of the runs of a point that do not all end well, and where they come from.
// TestExportSource checks that a record has the source's number in memory and not that of the file, which counts from 1: comparisons look for it.
func TestExportSource(t *testing.T) {
	karate, err := filepath.Abs("../../../graph/testdata/karate.mtx.gz")
	require.NoError(t, err)
	s, err := spec.Parse("study.yaml", []byte("set: {algorithm: bfs, device: func, source: 34, graph: "+karate+"}\n"), sweep.Check)
	require.NoError(t, err)
	p, err := sweep.NewPlan(t.Context(), s)
	require.NoError(t, err)
	st, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "r.db"))
	require.NoError(t, err)
	defer st.Close()
	_, err = p.Run(t.Context(), st, p.Tasks, sweep.Running{Jobs: 1})
	require.NoError(t, err)
	f := &results.Repeated{}
	_, err = Export(t.Context(), st, nil, f)
	require.NoError(t, err)
	require.NotNil(t, f.Rows[0].Source)
	assert.Equal(t, uint32(33), *f.Rows[0].Source)
}

func TestExportRepeats(t *testing.T) {
	st, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "r.db"))
	require.NoError(t, err)
	defer st.Close()
	origin := sweep.Origin{Meta: results.Meta{GPU: "NVIDIA H200", Date: "today"}, Graph: results.Graph{Name: "g"}}
	text, err := json.Marshal(origin)
	require.NoError(t, err)
	for i, statuses := range [][]store.Status{{store.OK, store.OK, store.OK}, {store.OK, store.Undecided}, {store.Undecided}, {store.OK, store.Wrong}} {
		for repeat, status := range statuses {
			r := &store.Run{Point: string(rune('a' + i)), Repeat: repeat, Algorithm: "bfs", Scheduler: "warp", Graph: "g", Device: "hw", Status: status,
				Settings: map[string]string{"param.block": string(rune('1' + i))}, Attachments: map[string][]byte{"result": []byte("{}"), sweep.OriginAttachment: text}}
			if status == store.OK {
				r.Metrics = []store.Metric{{Name: "solve_seconds", Value: float64(repeat + 1)}, {Name: "verified", Value: 1}}
			} else {
				r.Error = "it is " + string(status)
			}
			_, err := st.Add(t.Context(), r)
			require.NoError(t, err)
		}
	}
	f := &results.Repeated{}
	_, err = Export(t.Context(), st, nil, f)
	require.NoError(t, err)
	require.Equal(t, []results.Meta{origin.Meta}, f.Sessions)
	require.Equal(t, []results.Graph{origin.Graph}, f.Graphs)
	require.Len(t, f.Rows, 4)
	assert.Equal(t, []float64{1, 2, 3}, f.Rows[0].Seconds)
	assert.Equal(t, "block=1", f.Rows[0].Params)
	assert.Equal(t, []float64{1}, f.Rows[1].Seconds, "the time was over later")
	assert.Equal(t, []string{"", "", "it is undecided", "it is wrong"}, []string{f.Rows[0].Error, f.Rows[1].Error, f.Rows[2].Error, f.Rows[3].Error})
	assert.Equal(t, []results.Checked{results.ByReference, results.ByReference, results.Unchecked, results.Unchecked},
		[]results.Checked{f.Rows[0].Checked, f.Rows[1].Checked, f.Rows[2].Checked, f.Rows[3].Checked})
	assert.Empty(t, f.Rows[3].Seconds)
}
