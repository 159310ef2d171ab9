// Command scaling runs the points of experiments/studies/gpus-simulated.yaml, each once and with a profile, which says in which share of
// their time warps are in barriers. It adds a row for each to results/multi/scaling.csv, without those that are there, and writes the
// table of the page.
//
//	go run ./internal/measure/multi/scaling
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/sim/profile"
)

func main() {
	study := flag.String("study", filepath.Join("experiments", "studies", "gpus-simulated.yaml"), "the specification")
	out := flag.String("out", filepath.Join("results", "multi"), "the folder with scaling.csv, to which rows are added, and with README.md, whose table is replaced")
	jobs := flag.Int("jobs", 2, "runs at the same time; 0 runs nothing, and writes the table of what is there")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, *study, *out, *jobs); err != nil {
		fmt.Fprintln(os.Stderr, "scaling:", err)
		os.Exit(1)
	}
}

// measure runs what is missing, and writes both files.
func measure(ctx context.Context, study, out string, jobs int) error {
	s, err := spec.Load(ctx, study, sweep.Check)
	if err != nil {
		return err
	}
	file := filepath.Join(out, "scaling.csv")
	rows, err := read(file)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var group sync.WaitGroup
	room := make(chan struct{}, jobs)
	for _, p := range s.Points {
		k := keyOf(p)
		if _, ok := rows[k]; ok || jobs == 0 {
			continue
		}
		room <- struct{}{}
		group.Go(func() {
			defer func() { <-room }()
			r, e := point(ctx, p)
			mu.Lock()
			defer mu.Unlock()
			if e != nil {
				err = errors.Join(err, fmt.Errorf("%v: %w", k, e))
				return
			}
			rows[k] = r
			err = errors.Join(err, write(file, s.Points, rows))
			fmt.Println(k, r)
		})
	}
	group.Wait()
	failed := err // of what ran the page has the rows
	page := filepath.Join(out, "README.md")
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	filled, err := fill(string(text), table(s.Points, rows))
	if err != nil {
		return err
	}
	return errors.Join(failed, os.WriteFile(page, []byte(filled), 0o644))
}

// key is what distinguishes points.
type key struct{ algorithm, graph, device string }

func keyOf(p spec.Point) (k key) {
	for _, s := range p.Settings {
		switch s.Name {
		case "algorithm":
			k.algorithm = s.Value
		case option.Graph.Key:
			k.graph = s.Value
		case option.Device.Key:
			k.device = s.Value
		}
	}
	return k
}

// point runs a point.
func point(ctx context.Context, p spec.Point) (row, error) {
	settings := map[string]string{}
	for _, s := range p.Settings {
		settings[s.Name] = s.Value
	}
	again, err := sweep.NewAgain(ctx, &store.Run{Settings: settings})
	if err != nil {
		return row{}, err
	}
	seen := profile.New(1)
	r, _, err := again.Run(ctx, devices.Watch{Profile: seen}, io.Discard)
	if err != nil {
		return row{}, err
	}
	if r.Answer != run.AnswerVerified {
		return row{}, fmt.Errorf("the answer was not verified: %s", r.Answer)
	}
	return rowOf(r, seen), nil
}

// rowOf returns what the table has of a run.
func rowOf(r *run.Result, seen *profile.Profile) row {
	x := row{gpus: 1, iterations: float64(r.Iterations), kernel: r.KernelSeconds, seconds: r.AlgorithmSeconds}
	if r.Group != nil {
		x.gpus = float64(len(r.Group.GPUs))
		for _, m := range r.Group.Measures {
			switch name := strings.TrimPrefix(m.Name, "remote_"); {
			case m.Name == "compute_time":
				x.kernel = m.Value
			case m.Name == "bytes_per_arc":
				x.perArc = m.Value
			case m.Name == "cut_arcs":
				x.cut = m.Value
			case name == m.Name:
			case name == "barriers":
				x.barriers = m.Value
				x.remote += m.Value
			default:
				x.remote += m.Value
			}
		}
	}
	x.ofGPUs, x.ofGrid = inBarriers(seen)
	return x
}

// inBarriers returns the shares of the cycles of resident warps, of the kernels that do the work, in the barrier of all GPUs and in that of the grid of one.
func inBarriers(seen *profile.Profile) (gpus, grid float64) {
	var all, ofGPUs, ofGrid uint64
	for _, k := range seen.Kernels {
		if !strings.HasPrefix(k.Name, "multi.") || strings.HasPrefix(k.Name, "multi.Begin") {
			continue
		}
		for pc := range k.Insts {
			n := k.Insts[pc].Cycles()
			all += n
			for _, p := range k.Chain(pc) {
				if strings.Contains(p.Func, "GroupBarrier.") {
					ofGPUs += n
					break
				}
				if strings.Contains(p.Func, "GridBarrier.") {
					ofGrid += n
					break
				}
			}
		}
	}
	if all == 0 {
		return 0, 0
	}
	return 100 * float64(ofGPUs) / float64(all), 100 * float64(ofGrid) / float64(all)
}
