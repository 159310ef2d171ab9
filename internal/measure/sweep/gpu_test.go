package sweep_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/internal/service/devices"
)

// bench has simulated devices in place of real GPUs, and what happened to them.
type bench struct {
	opened, closed, launches int
	fail                     func(ctx context.Context, launch int) error // may be nil
}

// real puts simulated devices in the place of real GPUs.
func real(t *testing.T) *bench {
	b := &bench{}
	open := devices.Opener
	t.Cleanup(func() { devices.Opener = open })
	tiny, err := devices.New("sim:tiny", devices.Options{Seed: 1})
	require.NoError(t, err)
	devices.Opener = func(ctx context.Context, s *devices.Spec, w devices.Watch) (device.Device, error) {
		if !s.Can().Has(device.Silicon) {
			return open(ctx, s, w)
		}
		d, err := open(ctx, tiny, w)
		b.opened++
		return &watched{device.Wrapper{Device: d}, b}, err
	}
	return b
}

type watched struct {
	device.Wrapper
	b *bench
}

func (w *watched) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	if w.b.launches++; w.b.fail != nil {
		if err := w.b.fail(ctx, w.b.launches); err != nil {
			return nil, err
		}
	}
	return device.LaunchRead(ctx, w.Device, l, a)
}

func (w *watched) Close() error {
	w.b.closed++
	return w.Device.Close()
}

const onGPU = `
name: gpu
repeat: 3
graphs:
  mesh: {graph: "grid:width=8", symmetrize: true, vertices: 64}
  ring: {graph: "smallworld:n=40,degree=4,seed=1", symmetrize: true}
set: {device: hw, algorithm: bfs}
vary: {graph: [mesh, ring], scheduler: [warp, thread]}
`

func statuses(t *testing.T, st *store.Store) (list []string) {
	require.NoError(t, st.Runs(t.Context(), nil, func(_ int64, r *store.Run) error {
		list = append(list, string(r.Status))
		return nil
	}))
	return list
}

// TestGPU checks that a sweep keeps a GPU open, runs each point once more before its first timed run, and says where times come
// from.
func TestGPU(t *testing.T) {
	b := real(t)
	p, st := planOf(t, onGPU), storeOf(t)
	s := runAll(t.Context(), t, p, st, sweep.Running{Jobs: 2, Command: "weft sweep gpu.yaml"})
	require.Equal(t, map[store.Status]int{store.OK: 12}, s.ByStatus)
	assert.Equal(t, []int{1, 1}, []int{b.opened, b.closed})

	var launches []float64 // of the runs that count
	first := ""
	require.NoError(t, st.Runs(t.Context(), nil, func(id int64, r *store.Run) error {
		n, _ := r.Metric("launches")
		launches = append(launches, n)
		text, err := st.Attachment(t.Context(), id, sweep.OriginAttachment)
		require.NoError(t, err)
		var o sweep.Origin
		require.NoError(t, json.Unmarshal(text, &o))
		assert.Equal(t, "weft sweep gpu.yaml", o.Meta.Command)
		assert.Equal(t, r.Graph, o.Graph.Name)
		assert.EqualValues(t, r.Vertices, o.Graph.Shape.Vertices)
		if first == "" {
			first = o.Meta.Date
		}
		assert.Equal(t, first, o.Meta.Date, "one session")
		require.Len(t, o.Meta.Host, 2, "the host of the session")
		assert.Contains(t, []string{"mesh", "ring"}, r.Graph)
		assert.NotEqual(t, r.Graph, r.Settings["graph"], "which runs it again")
		right, _ := r.Metric("verified")
		assert.Equal(t, 1.0, right)
		return nil
	}))
	sum := 0.0
	for i := 0; i < len(launches); i += 3 {
		assert.Equal(t, launches[i], launches[i+1], "a run counts what it did itself")
		assert.Equal(t, launches[i], launches[i+2])
		sum += 4 * launches[i]
	}
	const host = 26 * (16 + 48 + 4) // of hostloop.Rows: pairs of runs, each with a launch that prepares it and one that finds nothing
	assert.Equal(t, host+int(sum), b.launches)
}

// TestGPUFailures checks that a run that fails or takes too long is a result, and that the next one gets a GPU that was opened anew.
func TestGPUFailures(t *testing.T) {
	b := real(t)
	b.fail = func(_ context.Context, launch int) error {
		if launch == 1 {
			return errors.New("the GPU fell off")
		}
		return nil
	}
	st := storeOf(t)
	runAll(t.Context(), t, planOf(t, onGPU), st, sweep.Running{Jobs: 1})
	want := append([]string{"failed"}, strings.Fields(strings.Repeat("ok ", 11))...)
	assert.Equal(t, want, statuses(t, st))
	assert.Equal(t, []int{2, 2}, []int{b.opened, b.closed})

	b = real(t)
	b.fail = func(ctx context.Context, launch int) error {
		if launch > 3 {
			<-ctx.Done()
		}
		return ctx.Err()
	}
	st = storeOf(t)
	runAll(t.Context(), t, planOf(t, strings.Replace(onGPU, "repeat: 3", "repeat: 1", 1)), st, sweep.Running{Jobs: 1, Timeout: 100 * time.Millisecond})
	assert.Equal(t, strings.Fields("undecided undecided undecided undecided"), statuses(t, st))
	assert.Equal(t, 4, b.opened)

	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Nanosecond, errors.New("the time is over"))
	defer cancel()
	p := planOf(t, onGPU)
	s, err := p.Run(ctx, storeOf(t), p.Tasks, sweep.Running{Jobs: 1})
	require.EqualError(t, err, "the time is over")
	assert.Zero(t, s.Ran)
}

// TestNamedGraphs checks how a graph with a name is loaded, where its file is, and that it must have the size that is written.
func TestNamedGraphs(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "path.txt"), []byte("0 1\n1 2\n"), 0o666))
	s, err := spec.Parse("study.yaml", []byte(`
graphs:
  small: {graph: path.txt, symmetrize: true, vertices: 3, arcs: 4}
  wrong: {graph: path.txt, arcs: 4}
set: {algorithm: bfs, device: func}
runs:
  - set: {graph: small}
  - set: {graph: small, symmetrize: false}
  - set: {graph: wrong}
  - set: {graph: path.txt}
`), sweep.Check)
	require.NoError(t, err)
	s.GraphFolder = dir
	p, err := sweep.NewPlan(t.Context(), s)
	require.NoError(t, err)
	st := storeOf(t)
	runAll(t.Context(), t, p, st, sweep.Running{Jobs: 1})
	var got []string
	require.NoError(t, st.Runs(t.Context(), nil, func(_ int64, r *store.Run) error {
		got = append(got, strings.Join([]string{r.Graph, r.Command[strings.Index(r.Command, "--graph"):], r.Error}, "|"))
		return nil
	}))
	file := filepath.Join(dir, "path.txt")
	assert.Equal(t, []string{
		"small|--graph " + file + " --symmetrize --device func|",
		"small|--graph " + file + " --device func|graph small has 3 vertices and 2 arcs; it must have 3 vertices and 4 arcs",
	}, got[:2])
}
