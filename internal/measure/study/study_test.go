package study

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

const small = `
title: A study
repeat: 3
graphs:
  - {name: grid, from: "grid:width=8", symmetrize: true}
  - {name: ring, from: "smallworld:n=40,degree=4,seed=1", symmetrize: true, vertices: 40, arcs: 160}
runs:
  - algorithm: bfs
    candidates:
      - {scheduler: warp, params: {block: [64, 128]}}
      - {scheduler: thread}
  - algorithm: sssp
    graphs: [ring]
    candidates: [{scheduler: warp}, {scheduler: none}]
problems:
  - {name: BFS, algorithms: [bfs], against: Other}
  - {name: Paths, algorithms: [sssp], per-iteration: true}
others:
  source: measured by nobody
  times:
    - {problem: BFS, graph: grid, system: Other, ms: 4}
    - {problem: BFS, graph: grid, system: Slow, ms: 400}
    - {problem: BFS, graph: ring, system: Other, ms: 2}
    - {problem: BFS, graph: ring, ms: 0.5, to: 0.75, earlier: true}
    - {problem: Paths, graph: ring, ms: 0.4, iterations: 2}
    - {problem: Paths, graph: grid, ms: 0.5, each: true}
`

// faulty is a device whose launches and answers a test can spoil.
type faulty struct {
	device.Device
	launch func(ctx context.Context) error
	read   func(dst any)
	closed *int
}

func (f *faulty) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	if f.launch != nil {
		if err := f.launch(ctx); err != nil {
			return nil, err
		}
	}
	return device.LaunchRead(ctx, f.Device, l, a)
}

func (f *faulty) Read(b device.Buffer, dst any) error {
	err := f.Device.Read(b, dst)
	if f.read != nil {
		f.read(dst)
	}
	return err
}

func (f *faulty) Close() error {
	*f.closed++
	return f.Device.Close()
}

// bench is a plan on devices that a test can spoil, and what it did.
type bench struct {
	*Plan
	f              *faulty // hooks of all devices
	opened, closed int
	saved          int
	log            bytes.Buffer
}

func onDevice(t *testing.T, open func() (device.Device, error)) *bench {
	t.Helper()
	s, err := Parse([]byte(small))
	require.NoError(t, err)
	b := &bench{f: &faulty{}}
	b.Plan = &Plan{Spec: s, Verify: VerifyAll, Log: &b.log}
	b.Open = func(context.Context) (device.Device, error) {
		b.opened++
		d, err := open()
		return &faulty{Device: d, launch: b.f.launch, read: b.f.read, closed: &b.closed}, err
	}
	b.Load = func(ctx context.Context, g Graph) (*graph.CSR, error) {
		csr, _, err := graph.Open(ctx, g.From, graph.LoadOptions{Symmetrize: g.Symmetrize})
		return csr, err
	}
	b.Meta = func(device.Device) results.Meta { return results.Meta{GPU: "a machine", Date: "today"} }
	b.Save = func(*File) error { b.saved++; return nil }
	return b
}

func onFunc(t *testing.T) *bench {
	return onDevice(t, func() (device.Device, error) { return function.New(function.Options{}), nil })
}

func onTiny(t *testing.T) *bench {
	return onDevice(t, func() (device.Device, error) {
		m, err := config.Load("tiny")
		if err != nil {
			return nil, err
		}
		return sim.New(m, sim.Options{Seed: 1})
	})
}

// TestRun checks a study from its rows to its tables, and that it continues where it ended.
func TestRun(t *testing.T) {
	b := onTiny(t)
	f := &File{}
	missing, err := b.Run(t.Context(), f)
	require.NoError(t, err)
	require.Empty(t, missing)
	require.Len(t, f.Rows, 7)
	assert.Equal(t, 1, b.opened)
	assert.Equal(t, 1, b.closed)
	assert.Equal(t, 7, b.saved)
	var checked []Checked
	for _, r := range f.Rows {
		checked = append(checked, r.Checked)
		require.Empty(t, r.Error)
		require.Len(t, r.Seconds, 3)
		require.Len(t, r.KernelSeconds, 3)
		for i := range r.Seconds {
			assert.Greater(t, r.Seconds[i], r.KernelSeconds[i])
		}
		assert.Positive(t, r.Iterations)
		assert.GreaterOrEqual(t, r.Launches, r.Iterations)
	}
	assert.Equal(t, []Checked{ByReference, ByValues, ByValues, ByReference, ByValues, ByValues, ByReference}, checked)
	assert.Equal(t, Key{"ring", "bfs", "warp", "block=128"}, f.Rows[4].Key)
	require.EqualError(t, b.Spec.Check(), `ring sssp none: unknown scheduler "none"; there are: `+schedulers(t, b.Spec))
	assert.Equal(t, 1, Failed(b.Spec, f))

	var text bytes.Buffer
	require.NoError(t, f.Write(&text))
	again, err := Read(text.Bytes())
	require.NoError(t, err)
	require.Equal(t, f, again)
	_, err = b.Run(t.Context(), again)
	require.NoError(t, err)
	assert.Equal(t, 1, b.opened, "nothing was missing")
	b.Again, b.Only = true, func(row string) bool { return row == "grid bfs thread" }
	_, err = b.Run(t.Context(), again)
	require.NoError(t, err)
	assert.Len(t, again.Rows, 7)
	assert.Len(t, again.Sessions, 2)
	assert.Equal(t, 1, again.Find(Key{"grid", "bfs", "thread", ""}).Session)
	assert.Equal(t, 0, again.Rows[0].Session)
}

// schedulers returns the list in the message about an unknown scheduler.
func schedulers(t *testing.T, s *Spec) string {
	t.Helper()
	_, list, found := strings.Cut(s.Check().Error(), "there are: ")
	require.True(t, found)
	require.Contains(t, list, "thread, vwc, warp")
	return list
}

// TestNoClock checks that rows are verified but not timed on a device that has no clock.
func TestNoClock(t *testing.T) {
	b := onFunc(t)
	b.Verify = VerifyFirst
	f := &File{}
	_, err := b.Run(t.Context(), f)
	require.NoError(t, err)
	var checked []Checked
	for _, r := range f.Rows {
		checked = append(checked, r.Checked)
		assert.Empty(t, r.Seconds)
		assert.Empty(t, r.Error)
	}
	assert.Equal(t, []Checked{ByReference, Unchecked, ByValues, ByReference, Unchecked, ByValues, ByReference}, checked)
	b.Verify, f = VerifyNone, &File{}
	_, err = b.Run(t.Context(), f)
	require.NoError(t, err)
	for _, r := range f.Rows {
		assert.Equal(t, Unchecked, r.Checked)
	}
}

// TestFailures checks that a wrong answer and a failed launch are errors of their rows only, and that the next row has
// another device.
func TestFailures(t *testing.T) {
	b := onFunc(t)
	b.f.read = func(dst any) {
		if v, ok := dst.([]uint32); ok && len(v) == 64 {
			v[5]++
		}
	}
	f := &File{}
	missing, err := b.Run(t.Context(), f)
	require.NoError(t, err)
	require.Empty(t, missing)
	for _, r := range f.Rows {
		if r.Graph == "grid" {
			assert.Contains(t, r.Error, "wrong answer: bfs: vertex 5 has level")
			assert.Equal(t, Unchecked, r.Checked)
		} else {
			assert.Empty(t, r.Error)
		}
	}
	assert.Equal(t, 4, b.opened)
	assert.Equal(t, 4, b.closed)
	assert.Equal(t, 4, Failed(b.Spec, f))

	b = onFunc(t)
	b.f.launch = func(context.Context) error { return errors.New("the GPU fell off") }
	f = &File{}
	_, err = b.Run(t.Context(), f)
	require.NoError(t, err)
	require.Len(t, f.Rows, 7)
	for _, r := range f.Rows {
		assert.Contains(t, r.Error, "the GPU fell off")
	}
}

// TestLimits checks what becomes of rows when the time of a row, or of the study, is over.
func TestLimits(t *testing.T) {
	hang := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	b := onFunc(t)
	b.f.launch, b.RowLimit = hang, 1
	f := &File{}
	missing, err := b.Run(t.Context(), f)
	require.NoError(t, err)
	require.Empty(t, missing)
	require.Len(t, f.Rows, 7)
	for _, r := range f.Rows {
		assert.Equal(t, "a run took longer than the limit of a row, 1ns", r.Error)
	}

	b = onFunc(t)
	b.f.launch, b.Limit = hang, 1
	f = &File{}
	missing, err = b.Run(t.Context(), f)
	require.NoError(t, err)
	assert.Empty(t, f.Rows)
	assert.Len(t, missing, 7)

	b = onTiny(t) // the row's time is over in its second timed run
	var expire context.CancelFunc
	b.rowContext = func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, expire = context.WithCancel(ctx)
		return ctx, expire
	}
	b.Only = func(row string) bool { return row == "grid bfs thread" }
	launches, perRun := 0, 0
	b.f.launch = func(context.Context) error { launches++; return nil }
	f = &File{}
	_, err = b.Run(t.Context(), f)
	require.NoError(t, err)
	require.Zero(t, launches%5, "one run, one with the reference, three timed")
	perRun = launches / 5
	launches, f = 0, &File{}
	b.f.launch = func(ctx context.Context) error {
		if launches++; launches == 3*perRun+2 {
			expire()
		}
		return ctx.Err()
	}
	_, err = b.Run(t.Context(), f)
	require.NoError(t, err)
	require.Empty(t, f.Rows[0].Error)
	assert.Len(t, f.Rows[0].Seconds, 1)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.Run(ctx, &File{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestNamed checks that the options of a graph reach its loader, and that a folder is put before files only.
func TestNamed(t *testing.T) {
	s, err := Parse([]byte("repeat: 1\ngraphs: [{name: a, from: b.mtx, symmetrize: true, drop-isolated: true, permute: 3, weights: unit}, {name: g, from: 'grid:width=3'}]\n"))
	require.NoError(t, err)
	at := func(file string) string { return "folder/" + file }
	assert.Equal(t, graphs.Named{Spec: "folder/b.mtx", Options: graphs.Options{Symmetrize: true, DropIsolated: true, Permute: 3, Weights: "unit"}}, s.Graphs[0].Named(at))
	assert.Equal(t, graphs.Named{Spec: "grid:width=3"}, s.Graphs[1].Named(at))
}

// TestGraphs checks that a graph that cannot be loaded, or is not the expected one, leaves the others to be measured.
func TestGraphs(t *testing.T) {
	b := onFunc(t)
	b.Spec.Graphs[0].From = "nowhere.mtx"
	f := &File{}
	_, err := b.Run(t.Context(), f)
	require.ErrorContains(t, err, "graph grid: nowhere.mtx")
	assert.Len(t, f.Rows, 4)
	b.Spec.Graphs[1].Arcs = 162
	_, err = b.Run(t.Context(), &File{})
	require.ErrorContains(t, err, "graph ring: 40 vertices and 160 arcs; the study is about a graph with 40 and 162")
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"title: x\nrepeat: 0\n": "repeat: 0 is not from 1 to 1000",
		"repeat: 1\ngraphs: [{name: a}, {name: b, from: demo}, {name: b, from: demo}, {name: c, from: demo, weights: no}]\n": "graphs: number 1 needs a name: and a from:\n" +
			"graphs: two are called b\ngraphs: c: unknown weights value \"no\"",
		"repeat: 1\ngraphs: [{name: b, from: demo}]\nruns: [{candidates: [{}]}, {algorithm: bfs, graphs: [c], candidates: [{scheduler: warp}]}]\n": "runs: number 1 needs an algorithm: and candidates:\n" +
			"runs: : a candidate needs a scheduler:\nruns: bfs: there is no graph c",
		"repeat: 1\ngraphs: [{name: b, from: demo}]\nproblems: [{name: P}, {name: P}]\nothers: {times: [{graph: b, problem: Q, ms: 1}, {graph: c, problem: P, ms: 1}, {graph: b, problem: P}, {graph: b, problem: P, ms: 2, to: 1}]}\n": "problems: two are called P\n" +
			"others: the source: of the times is missing\nothers: there is no problem \"Q\"\nothers: there is no graph \"c\"\nothers: b, P: 0 to 0 ms is no time\nothers: b, P: 2 to 1 ms is no time",
	} {
		_, err := Parse([]byte(text))
		require.EqualError(t, err, want)
	}
	_, err := Parse([]byte("repeat: 1\nrepeats: 2\n"))
	require.ErrorContains(t, err, `unknown field "repeats"`)
	_, err = Read([]byte(`{"rows":[{"graph":"g","session":1}]}`))
	require.EqualError(t, err, "row g: there is no session 1")
}

// TestSpread compares with quartiles computed by hand.
func TestSpread(t *testing.T) {
	assert.Equal(t, Spread{1, 2, 3, 4, 5}, SpreadOf([]float64{5, 3, 1, 2, 4}))
	assert.Equal(t, Spread{1, 1.75, 2.5, 3.25, 4}, SpreadOf([]float64{4, 3, 2, 1}))
	assert.Equal(t, Spread{7, 7, 7, 7, 7}, SpreadOf([]float64{7}))
}

// recorded is a record of the small study with times that a reader can compute with.
func recorded() *File {
	ms := func(times ...float64) []float64 {
		for i := range times {
			times[i] /= 1000
		}
		return times
	}
	row := func(graph, algorithm, scheduler, params string, checked Checked, iterations int, times ...float64) Row {
		return Row{Key: Key{graph, algorithm, scheduler, params}, Checked: checked, Iterations: iterations, Launches: iterations + 1, Seconds: ms(times...), WithCopy: ms(4, 4), KernelSeconds: ms(0.25, 0.25)}
	}
	f := &File{
		Sessions: []results.Meta{{GPU: "NVIDIA H200", Driver: "580", SMs: 132, ClockMHz: 1980, Date: "2026-11-22", Commit: "0123456789"}, {GPU: "sim:tiny", Date: "2026-11-23"}},
		Rows: []Row{
			row("grid", "bfs", "warp", "block=64", ByReference, 14, 3, 1, 2),
			row("grid", "bfs", "warp", "block=128", Unchecked, 14, 0.5, 0.5, 0.5), // the fastest, but nobody checked it
			{Key: Key{"grid", "bfs", "thread", ""}, Error: "wrong answer"},
			row("ring", "bfs", "thread", "", ByValues, 5, 1, 1, 1),
			row("ring", "sssp", "warp", "", ByReference, 4, 1.2, 1.2, 1.2),
		},
	}
	f.Rows[4].Settings = map[string]string{"delta": "3"}
	return f
}

func TestTables(t *testing.T) {
	s, err := Parse([]byte(small))
	require.NoError(t, err)
	var b bytes.Buffer
	Table(&b, s, recorded())
	golden.Check(t, filepath.Join("testdata", "table.txt"), strings.Replace(b.String(), schedulers(t, s), "...", 1))
	b.Reset()
	Markdown(&b, s, recorded())
	golden.Check(t, filepath.Join("testdata", "comparison.md"), b.String())
}

// TestPeers checks that every row of the project's own study can be run, and that its README.md is what the record
// says.
func TestPeers(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "results", "peers")
	text, err := os.ReadFile(filepath.Join(dir, "h200.yaml"))
	require.NoError(t, err)
	s, err := Parse(text)
	require.NoError(t, err)
	require.NoError(t, s.Check())
	f := &File{}
	if text, err = os.ReadFile(filepath.Join(dir, "h200.json")); !errors.Is(err, os.ErrNotExist) {
		require.NoError(t, err)
		f, err = Read(text)
		require.NoError(t, err)
	}
	var b bytes.Buffer
	Markdown(&b, s, f)
	golden.Check(t, filepath.Join(dir, "README.md"), b.String())
}

// TestPairs checks that the record of all pairs is the one that its README.md describes.
func TestPairs(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "results", "pairs")
	text, err := os.ReadFile(filepath.Join(dir, "h200.yaml"))
	require.NoError(t, err)
	s, err := Parse(text)
	require.NoError(t, err)
	require.NoError(t, s.Check())
	text, err = os.ReadFile(filepath.Join(dir, "h200.json"))
	require.NoError(t, err)
	f, err := Read(text)
	require.NoError(t, err)
	counted := map[Checked]int{}
	pairs := map[string]bool{}
	for _, r := range f.Rows {
		require.True(t, r.Error == "" || r.Checked == Unchecked, r.Key)
		counted[r.Checked]++
		pairs[r.Algorithm+"/"+r.Scheduler] = true
	}
	require.Len(t, pairs, 107)
	require.Equal(t, map[Checked]int{ByReference: 578, ByValues: 1108}, counted)
	require.Zero(t, Failed(s, f))
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	require.Contains(t, string(readme), "right in all of them: in 578 by")
	for _, r := range f.Rows {
		if r.Error != "" {
			require.Contains(t, string(readme), "`"+r.Algorithm+"` by `"+r.Scheduler+"` on "+r.Graph)
		}
	}
}
