package sweep

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/measure/hostloop"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/results"
)

// OriginAttachment is the kind of attachment that has the Origin of a run on a real GPU, as JSON.
const OriginAttachment = "origin"

// Origin says where a time that was measured comes from.
type Origin struct {
	Meta  results.Meta  `json:"meta"`
	Graph results.Graph `json:"graph"` // the facts by which --scheduler auto chooses
}

// gpu is the real GPU that the tasks of a sweep use one after the other. It stays open: a driver loads kernels, and raises
// clocks, in the first runs. So each point runs once more, without being timed, before the first of its runs that counts.
type gpu struct {
	command string // the command line of the sweep
	spec    *devices.Spec
	dev     device.Device // nil if none is open
	meta    results.Meta
	warm    map[string]bool // points that ran since it was opened
}

// run runs a request of a task. If it fails, the next task gets a GPU that was opened anew.
func (g *gpu) run(ctx context.Context, t *Task, q run.Request) (*run.Result, error) {
	if err := g.open(ctx, t.device); err != nil {
		return nil, err
	}
	if !g.warm[t.Key.Point] {
		first := q
		first.On, first.NoVerify, first.CPU = devices.Lend(g.dev), true, false
		if _, err := run.Run(ctx, first); err != nil {
			return nil, errors.Join(err, g.close())
		}
		g.warm[t.Key.Point] = true
	}
	q.On = devices.Lend(g.dev)
	r, err := run.Run(ctx, q)
	if err != nil {
		err = errors.Join(err, g.close())
	}
	return r, err
}

// open opens the GPU of a task, unless it is open.
func (g *gpu) open(ctx context.Context, spec *devices.Spec) (err error) {
	if g.dev != nil && g.spec == spec {
		return nil
	}
	if err := g.close(); err != nil {
		return err
	}
	if g.dev, err = spec.Open(ctx, devices.Watch{}); err != nil {
		g.dev = nil
		return err
	}
	g.warm = map[string]bool{}
	if g.spec != spec { // else it is the same session, also if a run failed in between
		meta := devices.Meta(g.dev, g.command)
		if meta.Host, err = g.host(ctx); err != nil {
			return errors.Join(err, g.close())
		}
		g.spec, g.meta = spec, meta
	}
	return nil
}

// host measures the host of a single GPU, which a record of the session's runs needs: times beside kernels are those of a host.
func (g *gpu) host(ctx context.Context) ([]results.Micro, error) {
	if group, ok := device.AsGroup(g.dev); ok && group.GPUs() > 1 {
		return nil, nil
	}
	return hostloop.Rows(ctx, g.dev)
}

// close closes the GPU, if one is open.
func (g *gpu) close() error {
	if g.dev == nil {
		return nil
	}
	err := g.dev.Close()
	g.dev = nil
	return err
}

// origin returns the attachment of a run on the GPU.
func (g *gpu) origin(ctx context.Context, name string, csr *graph.CSR) ([]byte, error) {
	facts, err := choice.Describe(ctx, name, csr)
	if err != nil {
		return nil, err
	}
	return json.Marshal(Origin{g.meta, facts})
}
