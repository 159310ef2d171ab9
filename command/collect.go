package command

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/counter"
	"github.com/weft-gpu/weft/internal/devices"
	"github.com/weft-gpu/weft/internal/outfile"
	"github.com/weft-gpu/weft/internal/printable"
	"github.com/weft-gpu/weft/internal/run"
	"github.com/weft-gpu/weft/sim/profile"
)

// collection is what a run notes beyond its counters, and the files that it
// goes to.
type collection struct {
	profile *profile.Profile // nil where nobody asked for one
	trace   *profile.Trace   // the same
	warps   int              // that the machine holds
	pprof   *outfile.File    // nil for none
	json    *outfile.File    // of the trace; nil for none
}

// collect prepares what the flags of a run ask for, and makes the files.
func collect(o runOptions, spec *devices.Spec, files *outputs) (c *collection, err error) {
	asked := map[bool]string{true: "annotate"}[o.annotate]
	if asked == "" && (o.pprof != "" || o.trace != "") {
		asked = map[bool]string{true: "--pprof", false: "--trace"}[o.pprof != ""]
	}
	c = &collection{}
	if asked == "" {
		return c, nil
	}
	needs := device.Profile
	if asked == "--trace" {
		needs = device.Trace
	}
	if err := spec.Need(asked, needs); err != nil {
		return nil, err
	}
	if o.annotate || o.pprof != "" {
		c.profile = profile.New(0)
	}
	if o.trace != "" {
		c.trace = profile.NewTrace(0, 0)
		count, _ := spec.Number("sm.count")
		warps, _ := spec.Number("sm.warps")
		c.warps = int(count * warps)
	}
	if c.pprof, err = files.file("--pprof", o.pprof); err != nil {
		return nil, err
	}
	c.json, err = files.file("--trace", o.trace)
	return c, err
}

// write fills the files with what a run left, also one that ended early: what
// hangs, or takes too long, is what one wants to see. A run that never came to
// a launch leaves the files alone.
func (c *collection) write(ctx context.Context, r *run.Result) error {
	if r.Launches == 0 {
		return nil
	}
	return errors.Join(
		c.pprof.Write(ctx, func(w io.Writer) error {
			return c.profile.WritePprof(w, counter.StallNames(), r.SimulatedSeconds)
		}),
		c.json.Write(ctx, func(w io.Writer) error {
			return c.trace.WriteJSON(printable.NewWriter(w), c.warps, map[string]string{
				"command": r.Command, "device": r.Device, "graph": r.Graph.Name, "weft": cmp.Or(r.Build.Commit, r.Build.Version),
			})
		}))
}
