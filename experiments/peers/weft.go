package main

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// timed is a device that measures the CPU time of its launches.
type timed struct {
	device.Device
	inside float64 // seconds
}

// Launch calls the device's Launch and measures its CPU time.
func (t *timed) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	start := cpu()
	defer func() { t.inside += cpu() - start }()
	return t.Device.Launch(ctx, l)
}

// measureWeft runs Weft's breadth-first search, whose answer must be correct.
func measureWeft(ctx context.Context, g *graph.CSR, machine, scheduler string, repeats int) (best speed, err error) {
	cfg, err := config.Load(machine)
	if err != nil {
		return best, err
	}
	for range repeats {
		d, err := sim.New(cfg, sim.Options{Seed: 1})
		if err != nil {
			return best, err
		}
		t := &timed{Device: d}
		res, err := catalog.Run(ctx, t, catalog.Request{Algorithm: "bfs", Scheduler: scheduler, Graph: g, Verify: true})
		if err != nil {
			return best, err
		}
		if !res.Verified {
			return best, fmt.Errorf("weft: wrong answer: %w", res.Mismatch)
		}
		insts, _ := res.Report.Counter("smsp__inst_executed.sum")
		s := speed{"weft", machine, "bfs by warp", insts, t.inside, float64(res.Report.Cycles) / (cfg.Clock.SM * 1e6)}
		if best.Insts == 0 || s.Seconds < best.Seconds {
			best = s
		}
		if err := d.Close(); err != nil {
			return best, err
		}
	}
	return best, nil
}
