package command

import (
	"context"
	"errors"
	"io"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/outfile"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/sim/profile"
)

// collection is what a run records besides its counters, and the files for it.
type collection struct {
	profile *profile.Profile // nil if not requested
	trace   *profile.Trace   // nil if not requested
	warps   int              // number of warps that the machine holds
	pprof   *outfile.File    // nil if not requested
	json    *outfile.File    // file of the trace; nil if not requested
	hang    hangFiles
}

// collect prepares the recordings that the device flags request, and their
// files; annotate names what requests an annotation, "" for none.
func collect(o deviceFlags, annotate string, spec *devices.Spec, files *outputs) (c *collection, err error) {
	asked := annotate
	if asked == "" && (o.pprof != "" || o.trace != "") {
		asked = map[bool]string{true: "--pprof", false: "--trace"}[o.pprof != ""]
	}
	c = &collection{}
	if c.hang, err = o.hang.open(files); err != nil || asked == "" {
		return c, err
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

// write writes the recordings of a run to the files, also of one that ended
// early: a run that hangs or takes too long is the one to look at. If the run
// never reached a launch, it does not touch the files. facts are put at the
// head of the trace, which also says what ended it early.
func (c *collection) write(ctx context.Context, w *run.Work, early *run.Failure, facts map[string]string) error {
	if w.Launches == 0 {
		return nil
	}
	if early != nil {
		facts["incomplete"] = "ended early (" + early.Kind + ")"
	}
	return errors.Join(
		c.pprof.Write(ctx, func(to io.Writer) error {
			kernels, err := catalog.Kernels()
			if err != nil {
				return err
			}
			return c.profile.WritePprof(to, counter.StallNames(), w.SimulatedSeconds, kernels.OnDisk)
		}),
		c.json.Write(ctx, func(to io.Writer) error {
			return c.trace.WriteJSON(printable.NewWriter(to), c.warps, facts)
		}))
}
