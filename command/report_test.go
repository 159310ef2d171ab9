package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/view/page"
)

func TestReport(t *testing.T) {
	t.Chdir(t.TempDir())
	swept(t)
	stdout, stderr, code := command(t, "report", "study.db")
	require.Equal(t, exitRight, code, stderr)
	require.Equal(t, "study.html: 4 runs\n", stdout)
	plain, err := os.ReadFile("study.html")
	require.NoError(t, err)
	require.Regexp(t, `"changed":\[\{"name":"l2.latency","value":"[12]00","preset":"\d+"\}\]`, string(plain)[strings.Index(string(plain), `"machines":`):][:1000], "parameters that differ from the preset")

	for _, file := range []string{"a.html", "b.html"} {
		_, stderr, code = command(t, "report", "study.db", "-o", file, "--title", "A <title>", "--where", "scheduler=warp", "--annotate", "each-algorithm,1")
		require.Equal(t, exitRight, code, stderr)
	}
	a, err := os.ReadFile("a.html")
	require.NoError(t, err)
	require.True(t, strings.Contains(string(a), "<title>A &lt;title&gt;</title>"))
	require.True(t, strings.Contains(string(a), `"source":[{"file":"kernels/bfs.go","parts":[{"first":`), "source of the kernel that ran again")
	b, err := os.ReadFile("b.html")
	require.NoError(t, err)
	require.True(t, bytes.Equal(a, b), "the same store gives the same bytes")
}

// TestReportFigures checks that a plot of a specification has the same numbers in the page as in the picture of "weft plot",
// and that the command in the page draws that picture.
func TestReportFigures(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("study.yaml", []byte(`name: study
set: {algorithm: bfs, device: "sim:tiny", graph: "rmat:scale=5,degree=4,seed=1"}
vary: {scheduler: [thread, warp], l2.latency: [100, 200, 300]}
plots:
  - {kind: bars, x: l2.latency, y: cycles, series: scheduler, baseline: scheduler=thread, ratio: relative, where: l2.latency>100, title: "Relative, <thread>", file: relative}
  - {kind: lines, x: l2.latency, y: cycles / arcs, series: scheduler, logy: true, file: lines}
  - {kind: correlation, y: cycles, a: scheduler=thread, b: scheduler=warp, file: pairs}
  - {kind: lines, x: l2.latency, y: nothing, file: wrong}
`), 0o644))
	_, stderr, code := command(t, "sweep", "study.yaml", "--out", "study.db")
	require.Equal(t, exitRight, code, stderr)
	_, stderr, code = command(t, "report", "study.db", "-o", "report.html")
	require.Equal(t, exitRight, code, stderr)
	text, err := os.ReadFile("report.html")
	require.NoError(t, err)
	_, data, _ := strings.Cut(string(text), `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	var page page.Page
	require.NoError(t, json.Unmarshal([]byte(data), &page))
	require.Len(t, page.Plots, 3)
	require.Equal(t, []string{`plot 4 of study is not shown: study.yaml:8:37: plots: there is no column, setting or metric "nothing"`}, page.Notes)
	stdout, stderr, code := command(t, "results", "study.db", "--columns", "cycles", "--order", "l2.latency,scheduler", "--format", "csv")
	require.Equal(t, exitRight, code, stderr)
	var cycles []float64
	for _, line := range strings.Fields(stdout)[1:] {
		x, err := strconv.ParseFloat(line, 64)
		require.NoError(t, err)
		cycles = append(cycles, x)
	}
	relative := page.Plots[0]
	require.Len(t, relative.Values, 2)
	assert.InDelta(t, cycles[3]/cycles[2], relative.Values[0].Y, 1e-12, "latency 200")
	assert.InDelta(t, cycles[5]/cycles[4], relative.Values[1].Y, 1e-12, "latency 300")
	assert.Len(t, page.Plots[2].Pairs, 3)

	_, _, _ = command(t, "plot", "study.db", "--spec", "study.yaml", "--out", "pictures") // the last plot is wrong
	for _, p := range page.Plots {
		_, stderr, code := command(t, append([]string{"plot", "study.db", "--out", p.File + ".svg"}, p.Flags...)...)
		require.Equal(t, exitRight, code, stderr)
		want, err := os.ReadFile(filepath.Join("pictures", p.File+".svg"))
		require.NoError(t, err)
		got, err := os.ReadFile(p.File + ".svg")
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), p.File)
	}
}

// TestReportSpec writes a page with the plots of a specification as it is now.
func TestReportSpec(t *testing.T) {
	t.Chdir(t.TempDir())
	const study = "set: {algorithm: bfs, device: sim:tiny, graph: 'grid:width=4'}\nvary: {scheduler: [warp, thread]}\nplots:\n  - {kind: bars, x: scheduler, y: %s}\n"
	write := func(y string) { require.NoError(t, os.WriteFile("study.yaml", []byte(fmt.Sprintf(study, y)), 0o644)) }
	run := func(line string) string {
		_, stderr, _ := command(t, strings.Fields(line)...)
		return stderr
	}
	page := func() (p page.Page) {
		text, err := os.ReadFile("study.html")
		require.NoError(t, err)
		_, data, _ := strings.Cut(string(text), `id="data">`)
		data, _, _ = strings.Cut(data, "</script>")
		require.NoError(t, json.Unmarshal([]byte(data), &p))
		return p
	}
	write("cycels")
	require.Contains(t, run("sweep study.yaml --out study.db"), "cycels")
	write("cycles")
	require.Empty(t, run("report study.db"))
	require.Empty(t, page().Plots, "those of the runs")
	require.Empty(t, run("report study.db --spec study.yaml"))
	p := page()
	require.Empty(t, p.Notes)
	require.Len(t, p.Plots, 1)
	require.Len(t, p.Specs, 1)
	require.Equal(t, fmt.Sprintf(study, "cycles"), p.Specs[0].Text)
	require.Equal(t, []string{"study.yaml", "plot 1 of study"}, []string{p.Plots[0].Spec, p.Plots[0].From})
	write("[]")
	require.Equal(t, "weft: stat none.db: no such file or directory\n  \"weft sweep --help\" explains how to make one\n", run("report none.db --spec study.yaml"))
	require.Contains(t, run("report study.db --spec none.yaml"), "weft: open none.yaml: no such file or directory\n")
	require.Equal(t, "weft: study.yaml:4:5: plots: kind: bars needs y, such as y: cycles\n  docs/plots.md explains plots\n", run("report study.db --spec study.yaml"))
}

func TestReportRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	swept(t)
	st, err := store.Create(t.Context(), "empty.db")
	require.NoError(t, err)
	require.NoError(t, st.Close())
	require.NoError(t, os.WriteFile("text.db", []byte("this is not a database, although it is long enough to have the head of one"), 0o644))
	require.NoError(t, os.Mkdir("folder", 0o755))
	newer, err := os.ReadFile("empty.db")
	require.NoError(t, err)
	newer[62] = 1 // the version of the schema is the number of four bytes at 60
	require.NoError(t, os.WriteFile("newer.db", newer, 0o644))
	version, known := 256+int(newer[63]), int(newer[63])
	_, stderr, code := command(t, "sweep", "bfs", "--device", "func", "--graph", "rmat:scale=5,degree=4,seed=1", "--out", "func.db")
	require.Equal(t, exitRight, code, stderr)
	other, err := store.Create(t.Context(), "other.db")
	require.NoError(t, err)
	_, err = other.Add(t.Context(), &store.Run{Point: "p", Status: store.OK, Algorithm: "minimax", Device: "sim:tiny", Machine: "m", Settings: map[string]string{"algorithm": "minimax", "device": "sim:tiny"}, Metrics: []store.Metric{{Name: "cycles", Value: 1}}},
		&store.Run{Point: "q", Status: store.OK, Kernel: "./mine.Kernel", Device: "sim:tiny", Machine: "m", Settings: map[string]string{"kernel": "./mine.Kernel", "grid": "1", "block": "32", "device": "sim:tiny"}, Metrics: []store.Metric{{Name: "cycles", Value: 1}}})
	require.NoError(t, err)
	require.NoError(t, other.Close())
	const elsewhere = "\n  a program with algorithms or schemes of its own has \"report\", too; paths begin where the sweep ran\n"
	for line, want := range map[string]string{
		"report other.db --annotate 1":            "weft: --annotate: run 1: this program cannot run it again here: unknown algorithm \"minimax\"" + elsewhere,
		"report other.db --annotate 2":            "weft: --annotate: run 2: this program cannot run it again here: its settings: kernel \"./mine.Kernel\": there is no directory ./mine" + elsewhere,
		"report":                                  "weft: weft report needs STORE\n  usage: weft report STORE [flags]\n",
		"report none.db":                          "weft: stat none.db: no such file or directory\n  \"weft sweep --help\" explains how to make one\n",
		"report text.db":                          "weft: results in text.db: it is not a file of results; weft sweep writes them\n  \"weft sweep --help\" explains how to make one\n",
		"report empty.db":                         "weft: there are no runs in empty.db\n  \"weft sweep\" adds them\n",
		"report newer.db":                         fmt.Sprintf("weft: results in newer.db: they have schema version %d; this program knows versions up to %d: use a newer weft\n  \"weft sweep --help\" explains how to make one\n", version, known),
		"report folder":                           "weft: folder is not a regular file\n  \"weft sweep --help\" explains how to make one\n",
		"report study.db --where scheduler=block": "weft: --where: no run of study.db fulfils the conditions\n  \"weft results STORE --where ...\" shows what conditions select\n",
		"report study.db --where scheduller=warp": "weft: unknown column, setting or metric \"scheduller\"\n  did you mean scheduler?\n  \"weft results STORE --names\" lists all\n",
		"report study.db --annotate 99":           "weft: --annotate: there is no run 99 among those of the page\n  \"weft results STORE\" lists the runs\n",
		"report study.db --annotate fastest":      "weft: --annotate: \"fastest\" is not the id of a run, slowest or each-algorithm\n  \"weft results STORE\" lists the runs\n",
		"report func.db --annotate slowest":       "weft: --annotate: no run on a simulated machine ended well\n  \"weft results STORE\" lists the runs\n",
		"report study.db -o study.db":             "weft: --out: study.db is the store that is read, too\n  name another file\n",
		"report study.db -o none/report.html":     "weft: --out: cannot write none/report.html: no such file or directory\n",
		"report study.db -o folder":               "weft: --out: cannot write folder: it is a directory\n",
		"report study.db --out":                   "weft: flag needs an argument: --out\n  \"weft report --help\" explains the flags\n",
	} {
		_, stderr, code := command(t, strings.Fields(line)...)
		assert.NotEqual(t, exitRight, code, line)
		assert.Equal(t, want, stderr, line)
	}
	left, err := filepath.Glob("*.html")
	require.NoError(t, err)
	require.Empty(t, left, "a page that could not be made leaves no file")
}

// TestReportAgain checks that a page runs again what a run asked for, of whatever its settings are, and says how to do the
// same on the command line.
func TestReportAgain(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("study.yaml", []byte(`name: study
set: {device: "sim:tiny"}
runs:
  - set: {algorithm: sssp, graph: demo, symmetrize: true, weights: hash, source: 3, seed: 7, scheduler: auto, gpus: 1}
  - set: {algorithm: pagerank, graph: demo, scheduler: warp, param.damping: 0.5, param.pagerank.epsilon: 1e-3, param.block: 64, l2.latency: 100, verify: false}
  - set: {kernel: `+filepath.Join(here, "testdata", "pairs")+`.Add, grid: 3, block: 64, arg.n: 300, arg.x: 'random:n', arg.y: 'iota:n', arg.out: 'zeros:n', arg.order: 'zeros:64', arg.next: 0, shared: 512, compare-with: func, tolerance: 1e-6}
`), 0o644))
	_, stderr, code := command(t, "sweep", "study.yaml", "--out", "study.db", "-j", "1")
	require.Equal(t, exitRight, code, stderr)
	_, stderr, code = command(t, "report", "study.db", "--annotate", "1,2,3")
	require.Equal(t, exitRight, code, stderr)
	text, err := os.ReadFile("study.html")
	require.NoError(t, err)
	_, data, _ := strings.Cut(string(text), `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	var p page.Page
	require.NoError(t, json.Unmarshal([]byte(data), &p))
	require.Len(t, p.Profiles, 3)
	for _, profile := range p.Profiles {
		assert.Empty(t, profile.Note, "it takes as many cycles as the first time: %s", profile.Command)
		assert.NotEmpty(t, profile.Kernels)
		assert.NotEmpty(t, profile.Kernels[0].Explained)
		words := strings.Fields(profile.Command)
		_, stderr, code := command(t, words[1:]...)
		assert.Equal(t, exitRight, code, "%s: %s", profile.Command, stderr)
	}
}
