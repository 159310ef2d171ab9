package command

import (
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

// collect prepares what the flags of a device ask for, and makes the files; annotate
// is what asks for an annotation, "" for nothing.
func collect(o deviceFlags, annotate string, spec *devices.Spec, files *outputs) (c *collection, err error) {
	asked := annotate
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
	if annotate != "" || o.pprof != "" {
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
// a launch leaves the files alone. facts head the trace.
func (c *collection) write(ctx context.Context, w *run.Work, facts map[string]string) error {
	if w.Launches == 0 {
		return nil
	}
	return errors.Join(
		c.pprof.Write(ctx, func(to io.Writer) error {
			return c.profile.WritePprof(to, counter.StallNames(), w.SimulatedSeconds)
		}),
		c.json.Write(ctx, func(to io.Writer) error {
			return c.trace.WriteJSON(printable.NewWriter(to), c.warps, facts)
		}))
}
