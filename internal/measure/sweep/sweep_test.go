package sweep_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/internal/measure/table"
)

func planOf(t testing.TB, text string) *sweep.Plan {
	s, err := spec.Parse("study.yaml", []byte(text), sweep.Check)
	require.NoError(t, err)
	p, err := sweep.NewPlan(t.Context(), s)
	require.NoError(t, err)
	return p
}

func storeOf(t *testing.T) *store.Store {
	st, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "r.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, st.Close()) })
	return st
}

// runAll runs what is missing.
func runAll(ctx context.Context, t *testing.T, p *sweep.Plan, st *store.Store, o sweep.Running) *sweep.Summary {
	todo, err := p.Missing(t.Context(), st, false)
	require.NoError(t, err)
	s, err := p.Run(ctx, st, todo, o)
	require.NoError(t, err)
	return s
}

const small = `
set: {device: sim:tiny, graph: "rmat:scale=5,degree=4,seed=1"}
vary:
  algorithm: [bfs, sssp]
  scheduler: [warp, thread]
  l2.latency: [100, 200]
`

func TestRun(t *testing.T) {
	p, st := planOf(t, small), storeOf(t)
	require.Len(t, p.Tasks, 8)
	ended := 0
	s := runAll(t.Context(), t, p, st, sweep.Running{Jobs: 2, Progress: func(p sweep.Progress) {
		if p.Ended != nil {
			ended++
			require.Equal(t, ended, p.Done)
		}
	}})
	require.Equal(t, 8, s.Ran)
	require.Equal(t, map[store.Status]int{store.OK: 8}, s.ByStatus)
	got, err := st.SQL(t.Context(), `SELECT a.algorithm, a.scheduler, x.value < y.value
		FROM runs a JOIN settings s ON s.run = a.id AND s.name = 'l2.latency' AND s.value = '100' JOIN measured x ON x.id = a.id AND x.metric = 'cycles'
		JOIN runs b ON b.algorithm = a.algorithm AND b.scheduler = a.scheduler JOIN settings u ON u.run = b.id AND u.name = 'l2.latency' AND u.value = '200' JOIN measured y ON y.id = b.id AND y.metric = 'cycles'
		ORDER BY 1, 2`)
	require.NoError(t, err)
	require.Equal(t, [][]any{{"bfs", "thread", int64(1)}, {"bfs", "warp", int64(1)}, {"sssp", "thread", int64(1)}, {"sssp", "warp", int64(1)}}, got.Rows, "a longer latency costs cycles")

	// Nothing is run twice; a new value runs by itself.
	require.Zero(t, runAll(t.Context(), t, p, st, sweep.Running{Jobs: 1}).Ran)
	more := planOf(t, small[:len(small)-len("[100, 200]\n")]+"[100, 200, 300]\n")
	require.Equal(t, 4, runAll(t.Context(), t, more, st, sweep.Running{Jobs: 2}).Ran)

	// What a row says runs the point again.
	id, err := st.SQL(t.Context(), "SELECT run FROM settings s JOIN runs r ON r.id = s.run WHERE name = 'l2.latency' AND value = '100' AND algorithm = 'bfs' AND scheduler = 'warp'")
	require.NoError(t, err)
	r, err := st.Run(t.Context(), id.Rows[0][0].(int64))
	require.NoError(t, err)
	require.Equal(t, "weft run bfs --scheduler warp --graph rmat:scale=5,degree=4,seed=1 --device sim:tiny --set l2.latency=100", r.Command)
	require.Len(t, r.Point, 64)
	require.NotEmpty(t, r.KernelHash)
	m, err := st.Machine(t.Context(), r.Machine)
	require.NoError(t, err)
	require.Contains(t, string(m), `"l2.latency":100`)
	text, err := st.Spec(t.Context(), r.Spec)
	require.NoError(t, err)
	require.Equal(t, small, string(text))
}

// TestContended selects the most contended words of runs: in a level-synchronous search with a queue, the counter of the
// queue is one of them, and the first has the longest wait.
func TestContended(t *testing.T) {
	st := storeOf(t)
	runAll(t.Context(), t, planOf(t, `
set: {device: sim:tiny, graph: "rmat:scale=7,degree=8,seed=1", algorithm: bfs, scheduler: hierq, param.levels: global}
vary: {atomic.step: [1, 8]}
`), st, sweep.Running{Jobs: 1})
	got, err := st.Query(t.Context(), store.Query{Columns: []string{"contended_1", "contended_1_operations", "contended_1_wait_cycles", "contended_1_queue",
		"contended_2_wait_cycles", counter.AtomicOps, counter.AtomicWait, counter.AtomicQueue}, Order: []string{"atomic.step"}})
	require.NoError(t, err)
	require.Len(t, got.Rows, 2)
	require.Equal(t, []string{"", "operation", "cycle", "operation", "cycle", "operation", "cycle", "operation"}, units(got))
	number := func(row, column int) float64 { return got.Rows[row][column].(float64) }
	for i, row := range got.Rows {
		require.Equal(t, "counts[0]", row[0], "the counter of a queue")
		require.GreaterOrEqual(t, number(i, 2), number(i, 4), "ordered by waiting time")
		require.LessOrEqual(t, number(i, 1), number(i, 5))
		require.LessOrEqual(t, number(i, 2)+number(i, 4), number(i, 6))
		require.LessOrEqual(t, number(i, 3), number(i, 7))
	}
	require.Equal(t, number(0, 5), number(1, 5), "as many operations")
	require.Greater(t, number(1, 2), 2*number(0, 2), "a slower unit makes them wait longer")
	require.Subset(t, sweep.Metrics(), []string{"contended_1", "contended_10_wait_cycles"})
}

// TestCPU measures the processor beside the device: another point than the same without, which runs beside no other task.
func TestCPU(t *testing.T) {
	st := storeOf(t)
	p := planOf(t, `
set: {device: sim:tiny, graph: "rmat:scale=6,degree=8,seed=1"}
vary: {algorithm: [bfs, scc], cpu: [true, false]}
`)
	require.Equal(t, map[store.Status]int{store.OK: 4}, runAll(t.Context(), t, p, st, sweep.Running{Jobs: 4}).ByStatus)
	got, err := st.Query(t.Context(), store.Query{Columns: []string{"algorithm", "cpu", "cpu_sequential_seconds", "cpu_sequential_code", "cpu_parallel_seconds", "cpu_parallel_code", "cpu_cores"},
		Order: []string{"algorithm", "cpu"}})
	require.NoError(t, err)
	require.Equal(t, []string{"", "", "s", "", "s", "", "core"}, units(got))
	require.Len(t, got.Rows, 4)
	require.Equal(t, []any{"bfs", "false", nil, nil, nil, nil, nil}, got.Rows[0])
	require.Equal(t, []any{"scc", "false", nil, nil, nil, nil, nil}, got.Rows[2])
	for _, row := range [][]any{got.Rows[1], got.Rows[3]} {
		require.Positive(t, row[2])
		require.Equal(t, float64(runtime.GOMAXPROCS(0)), row[6])
	}
	require.Positive(t, got.Rows[1][4])
	require.Equal(t, "direction-optimising", got.Rows[1][5])
	require.Equal(t, []any{"Tarjan", nil, nil}, got.Rows[3][3:6], "there is no parallel code")
	commands, err := st.Query(t.Context(), store.Query{Columns: []string{"command"}, Where: []string{"algorithm=scc"}, Order: []string{"cpu"}})
	require.NoError(t, err)
	require.Equal(t, [][]any{{"weft run scc --scheduler warp --graph rmat:scale=6,degree=8,seed=1 --device sim:tiny"},
		{"weft run scc --scheduler warp --graph rmat:scale=6,degree=8,seed=1 --device sim:tiny --cpu"}}, commands.Rows)
	require.Subset(t, sweep.Metrics(), []string{"cpu_sequential_seconds", "cpu_parallel_seconds", "cpu_cores", "cpu_name"})
}

// units returns the units of a table's columns.
func units(t *table.Table) (list []string) {
	for _, c := range t.Columns {
		list = append(list, c.Unit)
	}
	return list
}

// TestIdentity checks which changes make another point.
func TestIdentity(t *testing.T) {
	dir := t.TempDir()
	graph := filepath.Join(dir, "g.txt")
	key := func(text string) string {
		p := planOf(t, text)
		require.Len(t, p.Tasks, 1)
		return p.Tasks[0].Key.Point
	}
	base := key("set: {algorithm: bfs, device: sim:tiny}")
	for _, same := range []string{
		"set: {algorithm: bfs, device: sim:tiny, scheduler: warp, graph: demo, source: max-degree}", "set: {device: sim:tiny, algorithm: bfs, param.block: 128}",
		"set: {algorithm: bfs, device: sim:tiny, seed: 7}",
	} {
		require.Equal(t, base, key(same), same)
	}
	seen := map[string]string{base: "the first"}
	require.NoError(t, os.WriteFile(graph, []byte("0 1\n"), 0o644))
	distinct := func(text string) {
		k := key(text)
		require.Empty(t, seen[k], "%s is the same as %s", text, seen[k])
		seen[k] = text
	}
	for _, other := range []string{
		"set: {algorithm: sssp, device: sim:tiny}", "set: {algorithm: bfs, device: sim:k40}", "set: {algorithm: bfs, device: sim:tiny, scheduler: thread}",
		"set: {algorithm: bfs, device: sim:tiny, l2.latency: 99}", "set: {algorithm: bfs, device: sim:tiny, param.block: 64}", "set: {algorithm: bfs, device: sim:tiny, source: 30}",
		"set: {algorithm: bfs, device: sim:tiny, permute: 3}", "set: {algorithm: bfs, device: sim:tiny, power: 2}", "set: {algorithm: bfs, device: sim:tiny, jitter.message: 10}", "set: {algorithm: bfs, device: sim:tiny, jitter.message: 10, seed: 7}",
		"set: {algorithm: bfs, device: sim:tiny, graph: '" + graph + "'}",
	} {
		distinct(other)
	}
	require.NoError(t, os.WriteFile(graph, []byte("0 1\n1 2\n"), 0o644))
	distinct("set: {algorithm: bfs, device: sim:tiny, graph: '" + graph + "'}")
}

// TestFailures checks that points that fail are results, and which of them are run again.
func TestFailures(t *testing.T) {
	st := storeOf(t)
	p := planOf(t, `
set: {device: sim:tiny, graph: "grid:width=8"}
runs:
  - vary: {algorithm: [bfs, pagerank], scheduler: union-find}
  - set: {algorithm: bfs, scheduler: warp, device: sim:tinyx2}
  - set: {algorithm: bfs, dram.capacity: 1, graph: "grid:width=600"}
  - set: {algorithm: bfs, budget: 100, graph: "grid:width=64"}
  - set: {algorithm: bfs}
`)
	refused, why := p.Refused()
	require.Len(t, refused, 3)
	require.ErrorContains(t, why[0], "union-find")
	require.EqualError(t, why[2], "scheduler warp uses one GPU, and sim:tinyx2 is a group of 2; schedulers that run bfs on all of them: atos, bitmap, multi, near-far")
	s := runAll(t.Context(), t, p, st, sweep.Running{Jobs: 2})
	require.Equal(t, map[store.Status]int{store.OK: 1, store.Failed: 4, store.Undecided: 1}, s.ByStatus)
	got, err := st.SQL(t.Context(), "SELECT error FROM runs WHERE status = 'failed' AND graph LIKE '%600'")
	require.NoError(t, err)
	require.Contains(t, got.Rows[0][0], "out of memory")
	todo, err := p.Missing(t.Context(), st, true)
	require.NoError(t, err)
	require.Len(t, todo, 5, "all but the one that ended well")
	s, err = p.Run(t.Context(), st, todo, sweep.Running{Jobs: 1, Timeout: time.Nanosecond})
	require.NoError(t, err)
	require.Equal(t, 5, s.Ran)
	keys, err := st.Keys(t.Context())
	require.NoError(t, err)
	require.Len(t, keys, 6, "results are replaced")
}

// TestInterrupted ends sweeps in their middle until all is done.
func TestInterrupted(t *testing.T) {
	p, st := planOf(t, small), storeOf(t)
	rounds, ran := 0, 0
	for {
		todo, err := p.Missing(t.Context(), st, false)
		require.NoError(t, err)
		if len(todo) == 0 {
			break
		}
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		s, err := p.Run(ctx, st, todo, sweep.Running{Jobs: 2, Progress: func(p sweep.Progress) {
			if p.Ended != nil {
				if n++; n == 2 {
					cancel()
				}
			}
		}})
		cancel()
		if len(todo) > 4 {
			require.ErrorIs(t, err, context.Canceled)
		}
		ran += s.Ran
		rounds++
	}
	require.Greater(t, rounds, 2)
	require.Equal(t, 8, ran, "none twice")
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"set: {algorithm: bsf}":    "study.yaml:1:18: unknown algorithm \"bsf\"",
		"set: {scheduler: wrap}":   "study.yaml:1:18: unknown scheduler \"wrap\"",
		"set: {l2.latncy: 3}":      "study.yaml:1:18: unknown parameter \"l2.latncy\"",
		"set: {l2.latency: fast}":  "study.yaml:1:19: parameter l2.latency: \"fast\" is not a value in L2 cycle from 1 to 2000 (latency of a hit within the slice)",
		"set: {device: sim:h2000}": "study.yaml:1:15: unknown device \"sim:h2000\"",
		"set: {blok: 3}":           "study.yaml:1:13: unknown setting \"blok\"",
		"set: {seed: -1}":          "study.yaml:1:13: seed: \"-1\" is not a whole number from 0 to 18446744073709551615",
		"set: {verify: perhaps}":   "study.yaml:1:15: verify: \"perhaps\" is neither true nor false",
		"set: {gpus: 17}":          "study.yaml:1:13: gpus: \"17\" is not a whole number from 1 to 16",
		"set: {shared: 4*}":        "study.yaml:1:15: shared: \"4*\" is neither a number of bytes nor an expression of arguments, such as 4*len(bins): a value is missing at the end",
		"set: {cpu: perhaps}":      "study.yaml:1:12: cpu: \"perhaps\" is neither true nor false",
		"set: {power: 5}":          "study.yaml:1:14: power: \"5\" is not a whole number from 1 to 4",
		"set: {weights: none}":     "study.yaml:1:16: weights: unknown weights value \"none\"",
	} {
		_, err := spec.Parse("study.yaml", []byte(text), sweep.Check)
		require.ErrorContains(t, err, want)
	}
	for text, want := range map[string]string{
		"set: {device: func}":                                                      "study.yaml:1:15: no algorithm; it needs a setting such as algorithm: bfs, or kernel: ./dir.Kernel",
		"set: {block: 64}":                                                         "study.yaml:1:14: grid, block and arguments belong to a kernel; it needs a setting such as kernel: ./dir.Kernel",
		"set: {algorithm: bfs, kernel: micro.Copy}":                                "study.yaml:1:18: both an algorithm and a kernel",
		"set: {kernel: micro.Copy, grid: 4}":                                       "study.yaml:1:15: kernel micro.Copy needs block, such as block: 256",
		"set: {kernel: micro.Coppy, grid: 4, block: 32}":                           "study.yaml:1:15: unknown kernel \"micro.Coppy\"",
		"set: {kernel: bfs, grid: 4, block: 32}":                                   "study.yaml:1:15: bfs is an algorithm; write algorithm: bfs",
		"set: {kernel: ../../../examples/axpy.Axpy, grid: 4, block: 32, arg.a: 2}": "study.yaml:1:15: ",
		"set: {kernel: micro.Copy, grid: 4x, block: 32}":                           "study.yaml:1:33: grid: \"4x\" is not one to three whole numbers of at least 1 with x between them",
		"set: {kernel: micro.Copy, grid: 4, block: 32, launches: 0}":               "launches: 0 is not from 1 to 1,000,000",
		"set: {kernel: ../../../examples/axpy.Dot, grid: 4, block: 32, shared: 4*len(z), arg.x: 'iota:9', arg.y: 'iota:9', arg.sum: 0}":  "study.yaml:1:71: shared: \"z\" is not a parameter of kernel ../../../examples/axpy.Dot",
		"set: {kernel: ../../../examples/axpy.Dot, grid: 4, block: 32, shared: -4*len(x), arg.x: 'iota:9', arg.y: 'iota:9', arg.sum: 0}": "study.yaml:1:71: shared: -4*len(x) is -36, which is not a number of bytes",
		"set: {kernel: micro.Copy, grid: 4, block: 32, cpu: true}":                                                                       "study.yaml:1:52: cpu goes with an algorithm, of which there is CPU code",
		"set: {kernel: micro.Copy, grid: 4, block: 32, sample: 2%}":                                                                      "study.yaml:1:55: sample goes with an algorithm",
		"set: {algorithm: bfs, device: sim:tiny, trace: 50, sample: 2%}":                                                                 "study.yaml:1:60: sample and trace exclude each other: with trace, everything is simulated",
		"set: {algorithm: bfs, device: func, sample: 2%}":                                                                                "sample: device func is not simulated",
		"set: {algorithm: bfs, device: sim:tiny, sample: 2x}":                                                                            "sample: \"2x\" is not an error from 0.1% to 50%",
		"set: {algorithm: bp, cpu: true}":                                                                                                "study.yaml:1:27: cpu: there is no CPU code for bp",
		"set: {algorithm: sssp, weights: unit, power: 2}":                                                                                "power and weights exclude each other: the weight of an arc of a power is a number of arcs",
		"set: {algorithm: sssp, power: 2, weights: unit}":                                                                                "power and weights exclude each other: the weight of an arc of a power is a number of arcs",
		"set: {algorithm: bfs, graph: none.mtx}":                                                                                         "study.yaml:1:30: stat none.mtx: no such file or directory",
		"set: {algorithm: bfs, graph: rmat}":                                                                                             "study.yaml:1:30: generator rmat needs values, such as rmat:scale=20,degree=16,seed=1",
		"set: {algorithm: bfs, device: func, l2.latency: 3}":                                                                             "study.yaml:1:31: set: device func has no parameters",
		"set: {algorithm: bfs, device: sim:tiny, sm.count: 0}":                                                                           "study.yaml:1:51: parameter sm.count: \"0\" is not a value in SM from 1 to 1024 (streaming multiprocessors)",
	} {
		s, err := spec.Parse("study.yaml", []byte(text), sweep.Check)
		if err == nil {
			_, err = sweep.NewPlan(t.Context(), s)
		}
		require.ErrorContains(t, err, want, text)
	}
}

// TestSent checks that what the GPUs of a group send each other is among the metrics.
func TestSent(t *testing.T) {
	p, st := planOf(t, "set: {algorithm: bfs, scheduler: multi, device: sim:tinyx2, graph: 'grid:width=4', param.useful: true}"), storeOf(t)
	runAll(t.Context(), t, p, st, sweep.Running{Jobs: 1})
	r, err := st.Run(t.Context(), 1)
	require.NoError(t, err)
	require.Empty(t, r.Error)
	sent, _ := r.Metric("bytes_sent")
	useful, _ := r.Metric("useful_bytes")
	share, _ := r.Metric("communication_efficiency")
	transfer, _ := r.Metric("transfer_time")
	require.Positive(t, useful)
	require.InDelta(t, 100*useful/sent, share, 1e-9)
	require.Positive(t, transfer)
}

// TestGroups checks that a group of GPUs is the same point by its name and by gpus.
func TestGroups(t *testing.T) {
	p := planOf(t, "set: {algorithm: bfs, scheduler: warp}\nruns:\n  - set: {device: sim:tinyx2}\n  - set: {device: sim:tiny, gpus: 2}\n  - set: {device: sim:tiny}\n")
	require.Len(t, p.Tasks, 3)
	require.Equal(t, p.Tasks[0].Key, p.Tasks[1].Key)
	require.NotEqual(t, p.Tasks[0].Key, p.Tasks[2].Key)
}

// TestGroupsRun runs groups of GPUs of several sizes.
func TestGroupsRun(t *testing.T) {
	st := storeOf(t)
	p := planOf(t, "set: {algorithm: pagerank-pull, scheduler: multi, graph: 'grid:width=8'}\nruns:\n  - set: {device: sim:tiny}\n    vary: {gpus: [1, 2, 4]}\n  - set: {device: sim:tinyx2}\n")
	require.Len(t, p.Tasks, 4)
	s := runAll(t.Context(), t, p, st, sweep.Running{Jobs: 2})
	require.Equal(t, map[store.Status]int{store.OK: 3}, s.ByStatus, "sim:tinyx2 is gpus: 2 of sim:tiny")
	got, err := st.Query(t.Context(), store.Query{Columns: []string{"gpus", "device", "status"}, Order: []string{"gpus"}})
	require.NoError(t, err)
	require.Equal(t, [][]any{{"1", "sim:tinyx1", "ok"}, {"2", "sim:tinyx2", "ok"}, {"4", "sim:tinyx4", "ok"}}, got.Rows)
}

// TestKernels launches a kernel of a folder with several grids, on several machines.
func TestKernels(t *testing.T) {
	p, st := planOf(t, `
set: {kernel: ../../../examples/axpy.Axpy, device: sim:tiny, block: 64, arg.a: 2, arg.x: "random:1000", arg.y: "iota:1000"}
vary: {grid: [1, 4], l2.latency: [100, 200]}
`), storeOf(t)
	s := runAll(t.Context(), t, p, st, sweep.Running{Jobs: 2})
	require.Equal(t, map[store.Status]int{store.OK: 4}, s.ByStatus)
	got, err := st.SQL(t.Context(), "SELECT count(DISTINCT point), count(DISTINCT value), min(value) > 100, max(command) FROM measured WHERE metric = 'cycles'")
	require.NoError(t, err)
	require.Equal(t, []any{int64(4), int64(4), int64(1), "weft launch ../../../examples/axpy.Axpy --grid 4 --block 64 --arg a=2 --arg x=random:1000 --arg y=iota:1000 --device sim:tiny --set l2.latency=200"}, got.Rows[0])
	require.Zero(t, runAll(t.Context(), t, p, st, sweep.Running{Jobs: 1}).Ran)
}

// TestShared computes the shared memory of a launch from its arguments, and takes a point that writes the number for the same.
func TestShared(t *testing.T) {
	const study = "set: {kernel: ../../../examples/axpy.Axpy, device: sim:tiny, grid: 1, block: 64, arg.a: 2, arg.y: zeros:len(x), shared: %s}\nvary: {arg.x: ['iota:16', 'iota:64']}\n"
	p, st := planOf(t, fmt.Sprintf(study, "4*len(x) + 8")), storeOf(t)
	require.Equal(t, map[store.Status]int{store.OK: 2}, runAll(t.Context(), t, p, st, sweep.Running{Jobs: 1}).ByStatus)
	got, err := st.Query(t.Context(), store.Query{Columns: []string{"shared", "command"}, Where: []string{"arg.x=iota:16"}})
	require.NoError(t, err)
	require.Equal(t, []any{"72", "weft launch ../../../examples/axpy.Axpy --grid 1 --block 64 --arg a=2 --arg 'y=zeros:len(x)' --arg x=iota:16 --shared 72 --device sim:tiny"}, got.Rows[0])
	require.Equal(t, 1, runAll(t.Context(), t, planOf(t, fmt.Sprintf(study, "72")), st, sweep.Running{Jobs: 1}).Ran)
}

func TestOutlook(t *testing.T) {
	p, st := planOf(t, small), storeOf(t)
	rough, err := p.Outlook(t.Context(), nil, p.Tasks, 2)
	require.NoError(t, err)
	require.Zero(t, rough.Known)
	require.Positive(t, rough.Seconds)
	alone, err := p.Outlook(t.Context(), nil, p.Tasks, 1)
	require.NoError(t, err)
	require.InDelta(t, 2*rough.Seconds, alone.Seconds, 1e-9)
	require.Equal(t, rough.Bytes, 2*alone.Bytes, "tasks of the same size")
	s := runAll(t.Context(), t, p, st, sweep.Running{Jobs: 1})
	known, err := p.Outlook(t.Context(), st, p.Tasks, 1)
	require.NoError(t, err)
	require.Equal(t, 8, known.Known)
	require.InDelta(t, s.Busy.Seconds(), known.Seconds, 1e-6, "what they took")
	none, err := p.Outlook(t.Context(), st, nil, 1)
	require.NoError(t, err)
	require.Equal(t, sweep.Outlook{}, none)

	p, st = planOf(t, "set: {algorithm: bfs, device: func, graph: 'grid:width=8'}\nvary: {scheduler: [warp, thread]}\n"), storeOf(t)
	began, err := p.Run(t.Context(), st, p.Tasks[:1], sweep.Running{Jobs: 1})
	require.NoError(t, err)
	half, err := p.Outlook(t.Context(), st, p.Tasks, 1)
	require.NoError(t, err)
	require.Equal(t, 1, half.Known)
	require.InDelta(t, 2*began.Busy.Seconds(), half.Seconds, 1e-6, "the one that is not known is corrected by the other")
}

func TestUnit(t *testing.T) {
	for setting, want := range map[string]string{
		"l2.latency": "L2 cycle", "sm.count": "SM", "issue.scheduler": "", "block": "thread", "param.block": "thread", "param.atos.sleep": "ns", "param.levels": "", "graph": "",
	} {
		require.Equal(t, want, sweep.Unit(setting), setting)
	}
}

// TestUnreadable names graphs that cannot be read, or not twice: no plan waits for them or reads them without end.
func TestUnreadable(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, syscall.Mkfifo("fifo", 0o666))
	require.NoError(t, os.Mkdir("folder", 0o777))
	require.NoError(t, os.Symlink("/dev/zero", "zero.mtx"))
	for name, want := range map[string]string{
		"/dev/zero":  "/dev/zero is not a regular file, and a study reads a graph more than once",
		"/dev/stdin": "/dev/stdin is not a regular file, and a study reads a graph more than once",
		"zero.mtx":   "zero.mtx is not a regular file, and a study reads a graph more than once",
		"fifo":       "fifo is not a regular file, and a study reads a graph more than once",
		"folder":     "folder is a directory; name a graph file in it",
	} {
		s, err := spec.Parse("study.yaml", []byte("set: {algorithm: bfs, device: func, graph: "+name+"}"), sweep.Check)
		require.NoError(t, err)
		_, err = sweep.NewPlan(t.Context(), s)
		require.EqualError(t, err, "study.yaml:1:44: "+want)
	}
	// A file of which every byte is a hole.
	f, err := os.Create("huge.mtx")
	require.NoError(t, err)
	require.NoError(t, f.Truncate(1<<42))
	require.NoError(t, f.Close())
	s, err := spec.Parse("study.yaml", []byte("set: {algorithm: bfs, device: func, graph: huge.mtx}"), sweep.Check)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = sweep.NewPlan(ctx, s)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// TestGraphHash checks that a run has the hash of its graph's arcs and weights, whatever file they come from.
func TestGraphHash(t *testing.T) {
	t.Chdir(t.TempDir())
	const head = "%%MatrixMarket matrix coordinate pattern general\n"
	for name, text := range map[string]string{"a.mtx": head + "3 3 2\n1 2\n2 3\n", "b.txt": "0 1\n1 2\n", "c.mtx": head + "3 3 2\n1 2\n1 3\n"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	st := storeOf(t)
	runAll(t.Context(), t, planOf(t, "set: {algorithm: bfs, device: func, scheduler: warp}\nvary: {graph: [a.mtx, b.txt, c.mtx]}\n"), st, sweep.Running{})
	got, err := st.SQL(t.Context(), "SELECT graph, graph_hash FROM runs ORDER BY 1")
	require.NoError(t, err)
	g, _, err := graph.Open(t.Context(), "a.mtx", graph.LoadOptions{})
	require.NoError(t, err)
	require.Equal(t, []any{"a.mtx", g.Hash()}, got.Rows[0])
	require.Equal(t, []any{"b.txt", g.Hash()}, got.Rows[1])
	require.NotEqual(t, g.Hash(), got.Rows[2][1])

	// The same bytes under another name are the same point, so that nothing runs again.
	require.NoError(t, os.Rename("a.mtx", "renamed.mtx"))
	require.Zero(t, runAll(t.Context(), t, planOf(t, "set: {algorithm: bfs, device: func, scheduler: warp, graph: renamed.mtx}\n"), st, sweep.Running{}).Ran)
}
