package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// record is the result of the experiment.
type record struct {
	Title string `json:"title"`
	Rows  []row  `json:"rows"`
}

// row is a run. Times are in seconds of the simulated machine, 0 on func.
type row struct {
	Table      string  `json:"table"`
	Device     string  `json:"device"`
	Graph      string  `json:"graph"`
	Vertices   int     `json:"vertices"`
	Arcs       int     `json:"arcs"` // of the graph on which the algorithm ran
	Algorithm  string  `json:"algorithm"`
	GPUs       int     `json:"gpus"`
	Exchange   string  `json:"exchange"`
	Transfer   string  `json:"transfer"`
	Overlap    bool    `json:"overlap"`
	Iterations int     `json:"iterations"`
	Sent       uint64  `json:"sent_bytes"`
	Useful     uint64  `json:"useful_bytes"` // 0 if they were not counted, in rows with times
	Compute    float64 `json:"compute_seconds"`
	Transfers  float64 `json:"transfer_seconds"`
	Overlapped float64 `json:"overlap_seconds"`
	Solve      float64 `json:"solve_seconds"` // from the first launch until the host knows that the answer is complete
}

// efficiency returns the useful part of what was sent.
func (r row) efficiency() float64 {
	if r.Sent == 0 {
		return 0
	}
	return float64(r.Useful) / float64(r.Sent)
}

// perArc returns the bytes that were sent per arc and iteration.
func (r row) perArc() float64 { return float64(r.Sent) / float64(r.Arcs) / float64(r.Iterations) }

// measure runs all cases of a plan and calls each with every row.
func measure(ctx context.Context, plan []cases, folder string, each func(r row) error) error {
	for _, c := range plan {
		spec := c.graph
		if !strings.Contains(spec, ":") {
			spec = filepath.Join(folder, spec)
		}
		g, _, err := graph.Open(ctx, spec, graph.LoadOptions{})
		if err != nil {
			return err
		}
		for _, algorithm := range c.algorithms {
			for _, gpus := range c.gpus {
				for _, exchange := range c.exchanges {
					for _, w := range c.ways {
						r := row{Table: c.table, Device: c.device, Graph: c.graph, Algorithm: algorithm, GPUs: gpus, Exchange: exchange, Transfer: w.transfer, Overlap: w.overlap}
						if err := r.run(ctx, g); err != nil {
							return fmt.Errorf("%s on %s, %d GPUs, %s: %w", algorithm, c.graph, gpus, exchange, err)
						}
						if err := each(r); err != nil {
							return err
						}
					}
				}
			}
		}
	}
	return nil
}

// run runs the row and checks the answer.
func (r *row) run(ctx context.Context, g *graph.CSR) error {
	dev, err := open(r.Device, r.GPUs)
	if err != nil {
		return err
	}
	source, _ := g.MaxDegreeVertex()
	timed := r.Device != "func"
	res, err := catalog.Run(ctx, dev, catalog.Request{Algorithm: r.Algorithm, Scheduler: "multi", Graph: g, Source: source, Verify: true, Params: map[string]string{
		"exchange": r.Exchange, "transfer": r.Transfer, "overlap": strconv.FormatBool(r.Overlap), "useful": strconv.FormatBool(!timed)}})
	switch {
	case err != nil:
		return err
	case res.Mismatch != nil:
		return res.Mismatch
	}
	r.Vertices, r.Arcs, r.Iterations, r.Solve = res.Graph.Vertices(), res.Graph.Arcs(), res.Iterations, res.SolveSeconds
	for _, s := range res.Steps {
		for _, n := range s.Numbers {
			switch n.Name {
			case "sent_bytes":
				r.Sent += uint64(n.Value)
			case "useful_bytes":
				r.Useful += uint64(n.Value)
			case "compute_seconds":
				r.Compute += n.Value
			case "transfer_seconds":
				r.Transfers += n.Value
			case "overlap_seconds":
				r.Overlapped += n.Value
			}
		}
	}
	return dev.Close()
}

// open opens a group, or one GPU, whose host needs no lists of commands.
func open(name string, gpus int) (device.Device, error) {
	if name == "func" {
		return function.NewGroup(gpus, function.Options{})
	}
	machine, err := config.Load(name)
	if err != nil {
		return nil, err
	}
	if gpus == 1 {
		return sim.New(machine, sim.Options{})
	}
	return sim.NewGroup(machine, gpus, sim.Options{})
}
