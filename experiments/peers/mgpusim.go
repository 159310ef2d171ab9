package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	_ "github.com/mattn/go-sqlite3" // MGPUSim writes its metrics with it
	"github.com/sarchlab/mgpusim/v4/amd/benchmarks/shoc/bfs"
	"github.com/sarchlab/mgpusim/v4/amd/samples/runner"

	"github.com/weft-gpu/weft/graph"
)

// childWord starts the process that runs MGPUSim, whose runner uses the flags and the working directory of the
// process.
const childWord = "mgpusim-child"

// timedFile is the child's output file: the seconds of the benchmark.
const timedFile = "seconds.json"

// stopwatch is MGPUSim's benchmark with its CPU time.
type stopwatch struct {
	*bfs.Benchmark
	seconds float64
}

// Run runs the benchmark, which copies data and launches a kernel for each level.
func (s *stopwatch) Run() {
	start := cpu()
	s.Benchmark.Run()
	s.seconds = cpu() - start
}

// child runs MGPUSim's BFS sample. args are its edge list, the depth at which it stops, and flags of its runner.
func child(args []string) {
	os.Args = append([]string{"mgpusim"}, args[2:]...)
	flag.Parse()
	r := new(runner.Runner).Init()
	b := bfs.NewBenchmark(r.Driver())
	b.Arch, b.Path = r.ArchType, args[0]
	depth, err := strconv.Atoi(args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
	b.MaxDepth = depth
	s := &stopwatch{Benchmark: b}
	r.AddBenchmark(s)
	r.Run()
	text, err := json.Marshal(s.seconds)
	if err == nil {
		err = os.WriteFile(timedFile, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// measurePeer runs MGPUSim's own breadth-first search on g: once with its answer verified and instructions counted,
// and then without, for the time. The time for the copies of the graph, which it also simulates, is measured in runs
// that stop before the first level, and subtracted. (MGPUSim has a flag for copies that take no time, but this
// benchmark's answer is wrong with it.)
func measurePeer(ctx context.Context, g *graph.CSR, repeats int) (speed, error) {
	s := speed{Simulator: "mgpusim 4.2.0", Machine: "r9nano", Kernel: "shoc BFS_kernel_warp"}
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(dir)
	edges := filepath.Join(dir, "edges.txt")
	if err := writeEdges(edges, g); err != nil {
		return s, err
	}
	runs := 0
	child := func(depth int, flags ...string) (at string, seconds float64, err error) {
		at = filepath.Join(dir, fmt.Sprint(runs))
		runs++
		seconds, err = runChild(ctx, at, edges, depth, append(flags, "-timing", "-disable-rtm"))
		return at, seconds, err
	}
	at, _, err := child(math.MaxInt32, "-report-inst-count", "-verify")
	if err != nil {
		return s, err
	}
	if s.Insts, s.Simulated, err = metrics(at); err != nil {
		return s, err
	}
	whole, copies := math.Inf(1), math.Inf(1)
	for range repeats {
		_, t, err := child(math.MaxInt32)
		if err != nil {
			return s, err
		}
		whole = min(whole, t)
		if _, t, err = child(0); err != nil {
			return s, err
		}
		copies = min(copies, t)
	}
	s.Seconds = whole - copies
	return s, nil
}

// runChild runs MGPUSim in a separate process, in a new directory.
func runChild(ctx context.Context, dir, edges string, depth int, flags []string) (seconds float64, err error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{childWord, edges, strconv.Itoa(depth)}, flags...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("mgpusim: %w\n%s", err, out[max(0, len(out)-2000):])
	}
	text, err := os.ReadFile(filepath.Join(dir, timedFile))
	if err != nil {
		return 0, err
	}
	return seconds, json.Unmarshal(text, &seconds)
}

// writeEdges writes one arc per line, in the format that MGPUSim reads.
func writeEdges(path string, g *graph.CSR) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for v := range g.Vertices() {
		for _, u := range g.Col[g.Row[v]:g.Row[v+1]] {
			fmt.Fprintf(w, "%d %d\n", v, u)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// metrics returns the wavefront instructions and the simulated seconds of kernels that a run of MGPUSim in dir
// recorded.
func metrics(dir string) (insts, seconds float64, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.sqlite3"))
	if err != nil || len(files) != 1 {
		return 0, 0, fmt.Errorf("mgpusim left %d databases: %w", len(files), err)
	}
	db, err := sql.Open("sqlite3", files[0])
	if err != nil {
		return 0, 0, err
	}
	defer db.Close()
	err = db.QueryRow(`SELECT
		(SELECT TOTAL(Value) FROM mgpusim_metrics WHERE What = 'cu_inst_count'),
		(SELECT TOTAL(Value) FROM mgpusim_metrics WHERE What = 'kernel_time' AND Location = 'Driver')`).Scan(&insts, &seconds)
	if err == nil && insts == 0 {
		err = fmt.Errorf("mgpusim counted no instructions")
	}
	return insts, seconds, err
}
