package command

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPlot(t *testing.T) {
	t.Chdir(t.TempDir())
	swept(t)
	require.NoError(t, os.WriteFile("study.yaml", []byte(`
set: {algorithm: bfs, device: sim:tiny, graph: "rmat:scale=5,degree=4,seed=1"}
vary: {scheduler: [warp, thread], l2.latency: [100, 200]}
plots:
  - {kind: lines, x: l2.latency, y: cycles, series: scheduler}
  - {kind: bars, x: scheduler, y: cycles, file: by-scheme}
`), 0o644))
	for line, want := range map[string]string{
		"plot study.db --kind lines --x l2.latency --y cycles --series scheduler":                           "lines-cycles-l2.latency-scheduler.svg\n",
		"plot study.db --kind bars --x scheduler --y cycles --where l2.latency=100 --out a.png":             "a.png\n",
		"plot study.db --kind bars --x scheduler --y cycles --out b --format pdf,svg":                       "b.pdf\nb.svg\n",
		"plot study.db --spec study.yaml --out deep/pictures --format svg,png":                              "deep/pictures/lines-cycles-l2.latency-scheduler.svg\ndeep/pictures/lines-cycles-l2.latency-scheduler.png\ndeep/pictures/by-scheme.svg\ndeep/pictures/by-scheme.png\n",
		"plot study.db --kind bars --x scheduler --y cycles --baseline scheduler=thread --logy --out c.SVG": "c.svg\n",
	} {
		stdout, stderr, code := command(t, strings.Fields(line)...)
		require.Equal(t, exitRight, code, stderr)
		assert.Equal(t, want, stdout, line)
		for file := range strings.Lines(stdout) {
			info, err := os.Stat(strings.TrimSpace(file))
			require.NoError(t, err)
			assert.Greater(t, info.Size(), int64(1000), file)
		}
	}
	stdout, stderr, code := command(t, "sweep", "study.yaml", "--plots", "drawn", "--out", "new.db")
	require.Equal(t, exitRight, code, stderr)
	assert.True(t, strings.HasSuffix(stdout, "results  new.db\ndrawn/lines-cycles-l2.latency-scheduler.svg\ndrawn/by-scheme.svg\n"), stdout)
}

// TestPlotTraces draws a run over time, from the file of a trace and from a store.
func TestPlotTraces(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("broken.json", []byte("{"), 0o644))
	for line, want := range map[string]string{
		"run bfs --device sim:tiny --graph rmat:scale=5,degree=4,seed=1 --trace a.json":                       "",
		"sweep bfs --device sim:tiny --graph rmat:scale=5,degree=4,seed=1 --vary trace=50,100 --out trace.db": "",
	} {
		_, stderr, code := command(t, strings.Fields(line)...)
		require.Equal(t, exitRight, code, stderr+want)
	}
	for line, want := range map[string]string{
		"plot a.json":             "time.svg\n",
		"plot a.json --out x.png": "x.png\n",
		"plot a.json a.json --y occupancy,dram-bandwidth --out two --format pdf":         "two.pdf\n",
		"plot trace.db --kind time --series trace --y occupancy --width 8.5 --out y.svg": "y.svg\n",
	} {
		stdout, stderr, code := command(t, strings.Fields(line)...)
		require.Equal(t, exitRight, code, stderr)
		assert.Equal(t, want, stdout, line)
		info, err := os.Stat(strings.TrimSpace(stdout))
		require.NoError(t, err)
		assert.Greater(t, info.Size(), int64(1000), line)
	}
	for line, want := range map[string]string{
		"plot broken.json":                                 "weft: broken.json: not a trace: unexpected EOF\n",
		"plot a.json trace.db":                             "weft: trace.db is not a trace; one store or several traces can be drawn\n",
		"plot a.json --spec x.yaml":                        "weft: --spec goes with a store, and a.json is a trace\n",
		"plot a.json --series scheduler":                   "weft: --series: series selects runs of a store; a trace is one run\n",
		"plot a.json --kind bars --x graph --y cycles":     "weft: --kind: a trace is drawn over time, and cannot be as bars\n",
		"plot a.json --y ocupancy":                         "weft: --y: a trace has no \"ocupancy\"; did you mean occupancy?\n",
		"plot a.json --out x":                              "weft: --out: the name of x does not say a format\n  name it .png, .svg or .pdf, or use --format\n",
		"plot trace.db --kind time":                        "weft: runs 1 and 2 differ in trace, and would be one line; tell them apart with series or facet, or select one with where\n",
		"sweep bfs --device func --vary trace=50":          "weft: --vary: trace: device func does not show what happens over time\n  name a simulated machine by --device, such as sim:h200\n",
		"sweep bfs --device sim:tiny --vary trace=1000000": "weft: --vary: trace: \"1000000\" is neither 0 nor a number of samples from 10 to 10000\n",
	} {
		_, stderr, code := command(t, strings.Fields(line)...)
		assert.NotEqual(t, exitRight, code, line)
		assert.Equal(t, want, stderr, line)
	}
}

// TestPlotOfStudy draws the plots of one specification from a store that has the runs of another one, too, and from a store
// into which the runs were merged, as those of a cluster are: the pictures are the same, and the caption names the study.
func TestPlotOfStudy(t *testing.T) {
	t.Chdir(t.TempDir())
	const study = "set: {algorithm: bfs, device: sim:tiny, graph: 'rmat:scale=5,degree=4,seed=1'}\nvary: {scheduler: [warp, thread], l2.latency: [%s]}\nplots:\n  - {kind: lines, x: l2.latency, y: cycles, series: scheduler, file: p}\n"
	require.NoError(t, os.WriteFile("one.yaml", []byte(fmt.Sprintf(study, "100, 200")), 0o644))
	require.NoError(t, os.WriteFile("other.yaml", []byte(fmt.Sprintf(study, "300")), 0o644))
	for _, line := range []string{
		"sweep one.yaml --out one.db --plots alone",
		"sweep other.yaml --out both.db",
		"results merge both.db one.db",
		"plot both.db --spec one.yaml --out together",
		"plot both.db --kind lines --x l2.latency --y cycles --series scheduler --out all/p.svg",
		"plot both.db --kind lines --x l2.latency --y contended_1_wait_cycles --series scheduler --out all/waits.svg",
	} {
		require.NoError(t, os.MkdirAll("all", 0o755))
		_, stderr, code := command(t, strings.Fields(line)...)
		require.Equal(t, exitRight, code, stderr)
	}
	read := func(file string) string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(text)
	}
	assert.Equal(t, read("alone/p.svg"), strings.Replace(read("together/p.svg"), "4 runs of both.db (study one); ", "4 runs of one.db; ", 1), "but for the words that say so")
	_, stderr, code := command(t, "plot", "both.db", "--spec", "one.yaml", "--where", "l2.latency=100", "--where", "scheduler=warp", "--out", "fewer")
	require.Equal(t, exitRight, code, stderr)
	assert.NotContains(t, read("fewer/p.svg"), ">200<")
	_, stderr, _ = command(t, "plot", "both.db", "--spec", "one.yaml", "--where", "scheduler")
	assert.Equal(t, "weft: --where: condition \"scheduler\" is not NAME=VALUE; the operators are = != < <= > >= ~\n  \"weft plot --help\" explains the flags\n", stderr)
	assert.NotContains(t, read("together/p.svg"), ">300<")
	assert.Contains(t, read("all/p.svg"), ">300<")
	assert.Contains(t, read("all/p.svg"), ">l2.latency (L2 cycle)<")
	assert.Contains(t, read("all/waits.svg"), ">contended_1_wait_cycles (cycle)<", "how long atomics waited for the most contended word")
	assert.Regexp(t, `<path d="M[\d.,]+L[\d.,]+L[\d.,]+" style="fill:none;stroke:#0072B2;`, read("all/waits.svg"), "a line through three points")
	require.NoError(t, os.WriteFile("third.yaml", []byte(fmt.Sprintf(study, "400")), 0o644))
	_, stderr, _ = command(t, "plot", "both.db", "--spec", "third.yaml")
	assert.Equal(t, "weft: third.yaml:4:5: plots: no run of the specification with status ok is selected\n", stderr)
}

func TestPlotRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	swept(t)
	require.NoError(t, os.WriteFile("none.yaml", []byte("set: {algorithm: bfs}\n"), 0o644))
	require.NoError(t, os.WriteFile("bad.yaml", []byte("set: {algorithm: bfs}\nplots:\n  - {kind: lines, x: l2.latency, serie: cycles}\n  - {kind: bar}\n"), 0o644))
	require.NoError(t, os.WriteFile("typo.yaml", []byte("set: {algorithm: bfs}\nplots:\n  - {kind: lines, x: l2.latncy, y: cycles}\n"), 0o644))
	for line, want := range map[string]string{
		"plot none.db --kind bars --x a --y b":                              "weft: stat none.db: no such file or directory\n  \"weft sweep --help\" explains how to make one\n",
		"plot study.db":                                                     "weft: --kind: kind is missing; there are lines, bars, heat, histogram, correlation, time\n  \"weft plot --help\" explains the flags\n",
		"plot study.db --kind lines --x l2.latency":                         "weft: --kind: lines needs y, such as --y cycles\n  \"weft plot --help\" explains the flags\n",
		"plot study.db --kind bars --x scheduler --y cycles --baseline x":   "weft: --baseline: \"x\" is not NAME=VALUE, such as scheduler=thread\n  \"weft plot --help\" explains the flags\n",
		"plot study.db --kind lnes":                                         "weft: --kind: unknown \"lnes\"; did you mean lines?\n  \"weft plot --help\" explains the flags\n",
		"plot study.db --kind bars --x scheduler --y cycels":                "weft: --y: there is no column, setting or metric \"cycels\"; did you mean cycles?\n",
		"plot study.db --kind bars --x scheduler --y cycles --format bmp":   "weft: unknown format \"bmp\"\n  there are: pdf, png, svg\n",
		"plot study.db --kind bars --x scheduler --y cycles --out x":        "weft: --out: the name of x does not say a format\n  name it .png, .svg or .pdf, or use --format\n",
		"plot study.db --kind bars --x scheduler --y cycles --out no/x.svg": "weft: --out: cannot write no/x.svg: no such file or directory\n",
		"plot study.db --kind correlation --y cycles --record h200":         "weft: --y: a record has kernel_seconds, algorithm_seconds, solve_seconds, not cycles\n",
		"plot study.db --kind correlation --y kernel_seconds --record h20":  "weft: --record: there is no record and no file \"h20\"; there are records of h100, h200\n",
		"plot study.db --kind correlation --y kernel_seconds":               "weft: --kind: correlation needs a, such as --a device=hw, or --record h200\n  \"weft plot --help\" explains the flags\n",
		"plot study.db --spec none.yaml":                                    "weft: none.yaml has no plots:\n  docs/plots.md explains them\n",
		"plot study.db --spec none.yaml --kind bars":                        "weft: --kind does not go with --spec, which says what to draw\n  write it into the file\n",
		"plot study.db --spec bad.yaml":                                     "weft: bad.yaml:3:41: plots: unknown key \"serie\"; did you mean series?\n\tbad.yaml:4:12: plots: kind: unknown \"bar\"; did you mean bars?\n  docs/plots.md explains plots\n",
		"plot study.db --spec typo.yaml":                                    "weft: typo.yaml:3:22: plots: there is no column, setting or metric \"l2.latncy\"; did you mean l2.latency?\n",
		"sweep bad.yaml":                                                    "weft: bad.yaml:3:41: plots: unknown key \"serie\"; did you mean series?\n\tbad.yaml:4:12: plots: kind: unknown \"bar\"; did you mean bars?\n  docs/plots.md explains plots\n",
		"sweep none.yaml --plots x":                                         "weft: --plots: none.yaml has no plots:\n  docs/plots.md explains them\n",
	} {
		_, stderr, code := command(t, strings.Fields(line)...)
		assert.NotEqual(t, exitRight, code, line)
		assert.Equal(t, want, stderr, line)
	}
}
