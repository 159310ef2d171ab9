package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/internal/view/annotate"
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/sim/monitor"
	"github.com/weft-gpu/weft/sim/profile"
)

// TestHelpAnnotate checks the help, and that annotate accepts all flags of run but --threads and --sample, since what it runs is
// watched whole and by one thread, and those of a protocol: it runs once.
func TestHelpAnnotate(t *testing.T) {
	stdout, stderr, code := command(t, "help", "annotate")
	require.Equal(t, exitRight, code, stderr)
	text, flags, ok := strings.Cut(stdout, "\nFlags:\n")
	require.True(t, ok)
	path := filepath.Join("testdata", "golden", "help-annotate.txt")
	golden.Check(t, path, text)
	run, _, _ := command(t, "help", "run")
	for _, f := range regexp.MustCompile(`(?m)^ +--[\w-]+`).FindAllString(run, -1) {
		refused := slices.Contains([]string{"--threads", "--sample", "--protocol", "--sources", "--component"}, strings.TrimSpace(f))
		assert.Equal(t, !refused, strings.Contains(flags, f+" "), f)
	}
}

// TestAnnotateIsDeterministic checks that equal runs give equal annotations and
// files.
func TestAnnotateIsDeterministic(t *testing.T) {
	dir := t.TempDir()
	var seen []*annotate.Annotation
	var files [][]byte
	for range 2 {
		prof, trace := filepath.Join(dir, "p.pb.gz"), filepath.Join(dir, "t.json")
		r := annotateJSON(t, "pagerank", "--device", "sim:tiny", "--graph", "rmat:scale=7,degree=8,seed=1", "--pprof", prof, "--trace", trace)
		seen = append(seen, r.Annotation)
		for _, f := range []string{prof, trace} {
			b, err := os.ReadFile(f)
			require.NoError(t, err)
			files = append(files, b)
		}
	}
	assert.Equal(t, seen[0], seen[1])
	assert.Equal(t, files[0], files[2])
	assert.Equal(t, files[1], files[3])
}

// TestProfileOfInterrupted checks that an interrupted run writes what it has
// recorded.
func TestProfileOfInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	whenLaunched(t, cancel)
	prof := filepath.Join(t.TempDir(), "p.pb.gz")
	_, stderr, code := commandContext(ctx, "run", "./testdata/user/stuck.Endless", "--device", "sim:tiny", "--graph", "testdata/triangle.mtx", "--pprof", prof)
	assert.Equal(t, exitInterrupt, code)
	assert.Equal(t, "weft: interrupted\n", stderr)
	text, err := exec.Command("go", "tool", "pprof", "-top", prof).CombinedOutput()
	require.NoError(t, err, "%s", text)
	assert.Contains(t, string(text), "stuck.Endless")
}

// timing masks what depends on timing: values, and the stall reasons derived
// from them. Columns lose their width, and rows that are sorted by a number are
// sorted by text.
var timing = []struct {
	find *regexp.Regexp
	put  string
}{
	{regexp.MustCompile(`(?m)^( +most of all at) .*$`), "$1 ..."},
	{regexp.MustCompile(`(up to|at most) [\d,]+ at once`), "$1 N at once"},
	{regexp.MustCompile(`\b\w+ \d+%(, \w+ \d+%)*`), "REASONS"},
	{regexp.MustCompile(`(?m)^( *[\d.]+% +[\d,]+ +[\d.]+) +REASONS`), "$1"},
	{regexp.MustCompile(`[\d,]+\.\d+%?`), "N"},
	{regexp.MustCompile(`(?m)^(cycles|warp cycles) .*$`), "$1 ..."},
	{regexp.MustCompile(`[\d,]+ cycles`), "N cycles"},
	{regexp.MustCompile(` +`), " "},
	{regexp.MustCompile(`(?m) REASONS$`), ""},
	{regexp.MustCompile(`(?m)^( .*\w+\.\w+\[[^\]]*\]) REASONS `), "$1 "},
	{regexp.MustCompile(`(max \d+ [\d,]+ [\d,]+) [\d,]+`), "$1 N"},
	{regexp.MustCompile(`(?m)^( \S+ (?:global|shared) \d+ \d+ N) \d+`), "$1 N"},
}

func maskTiming(s string) string {
	for _, m := range timing {
		s = m.find.ReplaceAllString(s, m.put)
	}
	var out []string
	for part := range strings.SplitSeq(s, "\n\n") {
		lines := strings.Split(part, "\n")
		if strings.HasPrefix(part, "lines that") || strings.HasPrefix(part, " by chain") || strings.HasPrefix(part, "atomics by") {
			slices.Sort(lines)
		}
		out = append(out, strings.Join(lines, "\n"))
	}
	return strings.Join(out, "\n\n")
}

// TestAnnotateGolden checks the form of the output on a machine with two SMs:
// the source with its lines, instructions, sectors and atomics, without its
// timing.
func TestAnnotateGolden(t *testing.T) {
	for name, line := range map[string]string{
		"annotate-queue": "annotate bfs --device sim:tiny --graph testdata/triangle.mtx --symmetrize --scheduler block-queue --source 1 --top 100",
		"annotate-user":  "annotate ../examples/widest.Widest --device sim:tiny --graph testdata/triangle.mtx --source 1 --scheduler thread --top 100",
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := command(t, strings.Fields(line)...)
			require.Equal(t, exitRight, code, stderr)
			got := fmt.Sprintf("$ weft %s\n%s", line, maskTiming(stdout))
			path := filepath.Join("testdata", "golden", name+".txt")
			golden.Check(t, path, got)
		})
	}
}

// annotateJSON runs annotate --json and decodes its output.
func annotateJSON(t *testing.T, args ...string) annotate.Run {
	t.Helper()
	stdout, stderr, code := command(t, append([]string{"annotate", "--json"}, args...)...)
	require.Equal(t, exitRight, code, stderr)
	var r annotate.Run
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&r))
	return r
}

// contended is a graph with large frontiers whose vertices have different
// degrees: many vertices are found at the same time, but few by one warp in one
// instruction.
const contended = "smallworld:n=300000,degree=4,rewire=1,seed=1"

// contendedRuns are BFS runs on that graph with two schedulers, simulated once
// for all tests that use them.
var contendedRuns = map[string]func() (*run.Result, *profile.Profile, error){}

func init() {
	for _, scheduler := range []string{"thread", "block-queue"} {
		var p *profile.Profile
		once := sync.OnceValues(func() (*run.Result, error) {
			a := &app{stderr: io.Discard, calibrate: func() float64 { return 1e8 }}
			j, err := a.job(context.Background(), runOptions{algorithm: "bfs", scheduler: scheduler, graph: graphs.Named{Spec: contended},
				source: run.MaxDegree, annotate: "annotate", changed: func(string) bool { return false },
				deviceFlags: deviceFlags{device: devices.Default, seed: 1, page: watchPage{address: monitor.Loopback}}})
			if err != nil {
				return nil, err
			}
			p = j.collected.profile
			return j.run(context.Background())
		})
		contendedRuns[scheduler] = func() (*run.Result, *profile.Profile, error) {
			r, err := once()
			return r, p, err
		}
	}
}

// contendedRun returns the run with this scheduler.
func contendedRun(t *testing.T, scheduler string) (*run.Result, *profile.Profile) {
	t.Helper()
	r, p, err := contendedRuns[scheduler]()
	require.NoError(t, err)
	return r, p
}

// annotated returns the annotation of the run with this scheduler.
func annotated(t *testing.T, scheduler string) *annotate.Run {
	t.Helper()
	r, p := contendedRun(t, scheduler)
	return annotate.Of(r, p)
}

// address returns the address of a buffer in an annotation.
func address(t *testing.T, r *annotate.Run, buffer string) annotate.Address {
	t.Helper()
	for _, a := range r.Annotation.Addresses {
		if a.Buffer == buffer {
			return a
		}
	}
	t.Fatalf("no atomics on %s", buffer)
	return annotate.Address{}
}

// TestHeavyAnnotateTellsWhy checks what annotate promises to show: the global
// queue's counter is a single address that every found vertex accesses, and
// atomics queue up there; a queue in each block's shared memory removes nearly
// all of them.
func TestHeavyAnnotateTellsWhy(t *testing.T) {
	global, block := annotated(t, "thread"), annotated(t, "block-queue")
	assert.Greater(t, float64(global.Work.Cycles), 1.1*float64(block.Work.Cycles), "the block-private queue wins")

	g, b := address(t, global, "queue.Count"), address(t, block, "queue.Count")
	assert.Greater(t, g.Ops, uint64(40_000), "one for the vertices that a warp finds at a time")
	assert.Less(t, b.Ops, g.Ops/10, "one for each block")
	assert.Greater(t, g.Queue, 10*b.Queue)
	assert.Greater(t, g.Waited, 10*b.Waited)
	assert.Equal(t, "scheduler/queue.go", g.File)
	q := address(t, block, "q.state.Found")
	assert.Nil(t, q.Index, "it is no array")
	assert.Equal(t, "shared", q.Space)
	assert.Greater(t, q.Ops, uint64(40_000))
	assert.LessOrEqual(t, q.Queue, uint32(32))

	line := func(r *annotate.Run) (most annotate.Line) {
		for _, k := range r.Annotation.Kernels {
			for _, l := range k.Lines {
				if l.Stalled > most.Stalled {
					most = l
				}
			}
		}
		return most
	}
	l := line(global)
	assert.Equal(t, "scheduler/queue.go", l.File, "where most of the waiting is")
	assert.Equal(t, g.Line, l.Line)
	assert.Equal(t, g.Queue, l.Queue)
	assert.Greater(t, l.Stalls["long_scoreboard"], l.Stalled*9/10)
	assert.NotEqual(t, "scheduler/queue.go", line(block).File)

	for _, r := range []*annotate.Run{global, block} {
		insts, stalled := 0.0, uint64(0)
		for _, k := range r.Annotation.Kernels {
			calls := uint64(0)
			for _, c := range k.Calls {
				calls += c.Cycles
			}
			lines := uint64(0)
			for _, l := range k.Lines {
				insts += float64(l.Instructions)
				stalled += l.Stalled
				lines += l.Cycles
			}
			assert.Equal(t, lines, calls, "both views add up to the same")
		}
		assert.Equal(t, r.Work.WarpInstructions, insts)
		assert.Equal(t, r.Annotation.Stalled, stalled)
		assert.GreaterOrEqual(t, len(r.Annotation.Launches), r.Work.Launches-1, "all but the last add to a queue")
	}
}

// TestHeavyAnnotateText checks that a reader sees the counter's line, its
// operations and its queue.
func TestHeavyAnnotateText(t *testing.T) {
	r, p := contendedRun(t, "thread")
	var out strings.Builder
	require.NoError(t, annotate.Text(&out, annotate.Of(r, p).Head, &r.Work, p, 3, false))
	stdout := out.String()
	assert.Regexp(t, `(?m)^lines that warps wait at most\n.*\n +\d\d\.\d% +[\d,]+ +scheduler/queue\.go:\d+ +bsp\.Push\[kernels\.BFS, scheduler\.ThreadPerVertex, uint32\] +long_scoreboard`, stdout)
	assert.Regexp(t, `(?m)^  bsp\.Push\[kernels\.BFS, scheduler\.ThreadPerVertex, uint32\]: \d+ launches, .*\n +launched with +128 threads per block, 1 to [\d,]+ blocks, \d+ registers per thread, no shared memory\n +occupancy +16 blocks, 64 of 64 warps per SM, limited by warps; [\d.]+% resident on average\n +warps execute +[\d,]+ instructions, with [\d.]+ of 32 lanes on average\n +they wait for +long_scoreboard \d\d%.*\n +balance +the longest launch has [\d,]+ blocks, .*\n(?: +roofline +[\d.]+%  (?:L1|L2|DRAM): .*\n){3} +bound by +latency: .*\n +most of all at +scheduler/queue\.go:\d+, \d\d%: q\.Vertices\[gpu\.AtomicAdd\(q\.Count, 1\)\] = v\n +atomics meet at +queue\.Count\[0\]: \d\d,\d\d\d operations, `, stdout)
	assert.Regexp(t, `(?m) +\d\d,\d\d\d +[\d,]+ +[\d,]+ +\d+ +q\.Vertices\[gpu\.AtomicAdd\(q\.Count, 1\)\] = v$`, stdout)
	assert.Regexp(t, `(?m)^  queue\.Count\[0\] +global +\d\d,\d\d\d +\d[\d,]+ `, stdout)
	assert.Regexp(t, `more addresses: --top, --json`, stdout)
}

// TestHeavyAgainst checks that a comparison of both schedulers shows the
// counter's atomics and their line as the difference.
func TestHeavyAgainst(t *testing.T) {
	global, block := annotated(t, "thread"), annotated(t, "block-queue")
	var out strings.Builder
	annotate.Compare(global, block).Print(&out, 2)
	stdout := out.String()
	for _, want := range []string{
		`^run +bfs by thread on sim:h200$`, `^against bfs by block-queue, answer verified$`, `^ +thread +block-queue$`,
		`^cycles +[\d,]+ +[\d,]+ +0\.[5-9]\d x$`, `^  lanes of 32, mean +[123]?\d\.\d +[123]?\d\.\d$`, `^  waiting: long_scoreboard +[\d,]+ +[\d,]+ +0\.\d\d x$`, `^  waiting: barrier +0 +[\d,]+$`,
		`^  most at one address +queue\.Count\[0\] +queue\.Count\[0\]$`, `^  most at one address +q\.state\.Found$`, `^  operations there +\d\d,\d{3} +[\d,]{3,5}$`,
		`^  of the run +[1-9]\d\.\d% +[0-4]\.\d%$`,
	} {
		assert.Regexp(t, `(?m)`+want, stdout)
	}
	assert.Regexp(t, `lines that differ most\n.*\n +[\d,]+ +0 +-[\d,]+ +scheduler/queue\.go:\d+ +q\.Vertices\[gpu\.AtomicAdd\(q\.Count, 1\)\] = v\n.*\n$`, stdout, "two lines, that one first")
}

// TestAgainstJSON checks that --json has the differences, not two annotations once more, and that the text of the same command
// line has the same numbers.
func TestAgainstJSON(t *testing.T) {
	line := []string{"annotate", "bfs", "--device", "sim:tiny", "--graph", "rmat:scale=6,degree=8,seed=1", "--scheduler", "thread", "--against", "block-queue"}
	stdout, stderr, code := command(t, append(line, "--json")...)
	require.Equal(t, exitRight, code, stderr)
	assert.NotContains(t, stdout, `"annotation"`)
	var c struct {
		Runs []run.Result `json:"runs"`
		annotate.Comparison
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &c))
	require.Len(t, c.Runs, 2)
	assert.Equal(t, []string{"thread", "block-queue"}, []string{c.Runs[0].Scheduler, c.Runs[1].Scheduler})
	require.NotEmpty(t, c.Lines)
	seen := map[string]bool{}
	for i, l := range c.Lines {
		at := fmt.Sprintf("%s:%d", l.File, l.Line)
		assert.False(t, seen[at], "line %s occurs twice", at)
		seen[at] = true
		assert.Equal(t, int64(l.Cycles[1])-int64(l.Cycles[0]), l.Difference)
		if i > 0 {
			assert.LessOrEqual(t, max(l.Difference, -l.Difference), max(c.Lines[i-1].Difference, -c.Lines[i-1].Difference), "the largest first")
		}
	}
	stdout, stderr, code = command(t, line...)
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^against bfs by block-queue, answer verified$`, stdout)
	assert.Regexp(t, fmt.Sprintf(`(?m)^cycles +%s +%s `, format.Thousands(int64(c.Quantities[0].Values[0])), format.Thousands(int64(c.Quantities[0].Values[1]))), stdout)
	assert.Regexp(t, fmt.Sprintf(`(?m)^ +%s +%s +[+-]?%s  `, format.Thousands(c.Lines[0].Cycles[0]), format.Thousands(c.Lines[0].Cycles[1]), format.Thousands(max(c.Lines[0].Difference, -c.Lines[0].Difference))), stdout)
	require.NotEmpty(t, c.Atomics)
	assert.Equal(t, "global", c.Atomics[0].Space)
	assert.NotNil(t, c.Atomics[0].Hottest[0])
}

// TestAnnotateEveryPair checks that each of our kernels can be shown, including
// those whose end has no position.
func TestAnnotateEveryPair(t *testing.T) {
	for _, e := range catalog.Entries() {
		stdout, stderr, code := command(t, "annotate", e.Algorithm.Name, "--scheduler", e.Scheduler.Name, "--device", "sim:tiny", "--graph", "rmat:scale=5,degree=4,seed=1")
		assert.Equal(t, exitRight, code, "%s: %s", e.Name(), stderr)
		shown := func(k scheduler.EntryPoint) bool {
			return !strings.HasPrefix(k.Name, "scheduler.Init[") && strings.Contains(stdout, "\n"+k.Name+": ")
		}
		assert.True(t, slices.ContainsFunc(e.Kernels, shown), "%s: %s", e.Name(), stdout)
		assert.Contains(t, stdout, "\natomics by launch", e.Name())
	}
}

// TestAnnotateFails checks that what was recorded before an error is shown, and
// that the exit code is that of the error.
func TestAnnotateFails(t *testing.T) {
	stdout, stderr, code := command(t, "annotate", "./testdata/user/stuck.Hang", "--device", "sim:tiny", "--graph", "testdata/triangle.mtx")
	assert.Equal(t, exitHang, code)
	assert.Contains(t, stdout, "stuck.go")
	assert.NotEmpty(t, stderr)
}

func TestPprofAndTrace(t *testing.T) {
	dir := t.TempDir()
	prof, trace := filepath.Join(dir, "p.pb.gz"), filepath.Join(dir, "t.json")
	line := []string{"bfs", "--device", "sim:tiny", "--graph", "rmat:scale=7,degree=8,seed=1"}
	r := runJSON(t, exitRight, append(line, "--pprof", prof, "--trace", trace)...)
	plain := runJSON(t, exitRight, line...)
	assert.Equal(t, plain.Counters, r.Counters, "observing changes nothing")

	text, err := exec.Command("go", "tool", "pprof", "-top", prof).CombinedOutput()
	require.NoError(t, err, "%s", text)
	assert.Contains(t, string(text), "Type: cycles")
	assert.Contains(t, string(text), "scheduler.Min.Update (inline)")
	assert.Contains(t, string(text), "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]")
	text, err = exec.Command("go", "tool", "pprof", "-sample_index=instructions", "-tags", prof).CombinedOutput()
	require.NoError(t, err, "%s", text)
	assert.Contains(t, string(text), fmt.Sprintf("kernel: Total %.0f of", r.WarpInstructions))
	text, err = exec.Command("go", "tool", "pprof", "-tags", prof).CombinedOutput()
	require.NoError(t, err, "%s", text)
	assert.Contains(t, string(text), "long_scoreboard")

	b, err := os.ReadFile(trace)
	require.NoError(t, err)
	var c struct {
		TraceEvents []struct {
			Name, Ph string
			Ts, Dur  float64
			Pid, Tid int
		} `json:"traceEvents"`
	}
	require.NoError(t, json.Unmarshal(b, &c))
	blocks, launches := 0, 0
	for _, e := range c.TraceEvents {
		assert.LessOrEqual(t, (e.Ts+e.Dur)/1e6, r.SimulatedSeconds*(1+1e-9))
		switch {
		case e.Ph == "X" && strings.HasPrefix(e.Name, "block "):
			blocks++
		case e.Ph == "X" && strings.Contains(e.Name, "[kernels."):
			launches++
		}
	}
	assert.Equal(t, r.Launches, launches)
	assert.EqualValues(t, r.Counters["sm__ctas_launched.sum"], blocks)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, files, 2, "nothing half-written stays")
}

// TestHeavyPprofFindsSources: go tool pprof shows the source of a user's algorithm, of a
// package that it imports and of Weft's own packages from any directory.
func TestHeavyPprofFindsSources(t *testing.T) {
	prof := filepath.Join(t.TempDir(), "run.pb.gz")
	_, stderr, code := command(t, "run", "./testdata/user/helped.Hops", "--device", "sim:tiny", "--graph", "grid:width=8", "--pprof", prof)
	require.Equal(t, exitRight, code, stderr)
	for function, want := range map[string]string{
		"helped.Hops.Compute": "func (Hops) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return step.On(src), true }",
		"step.On":             "func On(hops uint32) uint32 { return min(hops, Far-1) + 1 }",
		"scheduler.SendArc$":  "SendUpdate[A, V](alg, edge, src, &values[v], activate)",
	} {
		cmd := exec.Command("go", "tool", "pprof", "-list", function, prof)
		cmd.Dir = filepath.Dir(prof)
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", text)
		assert.Contains(t, string(text), want)
		cmd = exec.Command("go", "tool", "pprof", "-weblist", function, "-output", filepath.Join(cmd.Dir, "list.html"), prof)
		cmd.Dir = filepath.Dir(prof)
		_, err = cmd.CombinedOutput()
		require.NoError(t, err)
	}
}
