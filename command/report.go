package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/view/annotate"
	"github.com/weft-gpu/weft/internal/view/page"
	"github.com/weft-gpu/weft/sim/profile"
)

// reportOptions holds the flags of `weft report`.
type reportOptions struct {
	out, title      string
	where, annotate []string
	specs           []string // files
}

func (a *app) reportCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report STORE [flags]",
		Short: "Write the results of studies as one page of HTML",
		Long: `Writes a page with the runs of a file that "weft sweep" wrote: figures and a table
that can be filtered, failures, reports of hangs, machines, specifications, and the
commands that do it all again. The page is one file and needs no network.

The first figures are those under plots: in the specifications, with the numbers that
"weft plot" draws. Others, whose columns can be chosen in the page, follow its filters.

The store has a specification as it was when its runs were made. --spec takes it as it
is now, such as with other plots.

--annotate runs points again, with a profile, and shows the source of their kernels
with the cost of each line, as "weft annotate" does.`,
		Example: `  weft report study.db
  weft report study.db -o report.html --where status=ok --title 'L2 latency'
  weft report study.db --spec study.yaml
  weft report study.db --annotate slowest
  weft report study.db --annotate 17,18`,
		Args: between("STORE", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.report(cmd.Context(), args[0], o) },
	}
	flag(cmd, &o.out, option.Out)
	flag(cmd, &o.title, option.Title)
	flag(cmd, &o.where, option.Where)
	flag(cmd, &o.specs, option.Specs)
	flag(cmd, &o.annotate, option.AnnotateRuns)
	return cmd
}

// report writes a page.
func (a *app) report(ctx context.Context, file string, o reportOptions) error {
	st, err := store.Open(ctx, file)
	if err != nil {
		return usage.WithHint(err, "\"weft sweep --help\" explains how to make one")
	}
	defer func() { _ = st.Close() }() // only read
	if o.out == "" {
		o.out = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) + ".html"
	}
	files := a.outputs(nil, nil)
	files.plan.Reads("the store that is read", file)
	out, err := files.file("--out", o.out)
	if err != nil {
		return err
	}
	options := page.Options{Title: o.title, Where: o.where, Preset: preset, UnitOf: sweep.Unit}
	for _, name := range o.specs {
		s, err := spec.Load(ctx, name, nil)
		if err != nil {
			return specError(err)
		}
		if _, err := plotsOf(s); err != nil {
			return err
		}
		options.Specs = append(options.Specs, s)
	}
	p, err := page.Load(ctx, st, options)
	switch {
	case errors.Is(err, page.ErrNoRuns) && len(o.where) > 0:
		return usage.Errorf("\"weft results STORE --where ...\" shows what conditions select", "--where: no run of %s fulfils the conditions", file)
	case errors.Is(err, page.ErrNoRuns):
		return usage.Errorf("\"weft sweep\" adds them", "there are no runs in %s", file)
	case err != nil:
		return queryError(err)
	}
	if len(o.annotate) > 0 {
		if p.Profiles, err = a.profiles(ctx, st, o); err != nil {
			return err
		}
	}
	if err := out.Write(ctx, func(w io.Writer) error { return page.Write(w, p) }); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s: %s\n", o.out, format.Thousands(p.Runs)+" runs")
	return nil
}

// preset returns the parameters of a device as it comes; nil if it has none.
func preset(name string) map[string]any {
	spec, err := devices.New(name, devices.Options{})
	if err != nil { // a file of a machine that is no longer there
		return nil
	}
	values, _ := spec.Machine()
	return values
}

// profiles runs the chosen runs again with a profile.
func (a *app) profiles(ctx context.Context, st *store.Store, o reportOptions) (list []page.Profile, err error) {
	ids, err := page.Select(ctx, st, o.where, o.annotate)
	if err != nil {
		return nil, usage.Errorf("\"weft results STORE\" lists the runs", "--annotate: %v", err)
	}
	for _, id := range ids {
		p, err := a.profile(ctx, st, id)
		if err != nil {
			return nil, fmt.Errorf("--annotate: run %d: %w", id, err)
		}
		list = append(list, *p)
	}
	return list, nil
}

// profile runs one run again.
func (a *app) profile(ctx context.Context, st *store.Store, id int64) (*page.Profile, error) {
	r, err := st.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	again, err := sweep.NewAgain(ctx, r)
	if err != nil {
		var mistake *usage.Error // of the settings, which nobody wrote: they were right where the run was made
		if errors.As(err, &mistake) {
			return nil, usage.Errorf("a program with algorithms or schemes of its own has \"report\", too; paths begin where the sweep ran", "this program cannot run it again here: %v", mistake)
		}
		return nil, err
	}
	got, err := a.annotateAgain(ctx, again)
	if err != nil {
		return nil, err
	}
	an := got.Annotation
	p := &page.Profile{Run: id, Command: again.Command, Cycles: an.Cycles, Stalled: an.Stalled}
	for i := range an.Kernels {
		k, err := profileKernel(&an.Kernels[i])
		if err != nil {
			return nil, err
		}
		for _, explained := range got.Work.Kernels {
			if explained.Name == k.Name {
				if k.Explained, err = json.Marshal(explained); err != nil {
					return nil, err
				}
			}
		}
		p.Kernels = append(p.Kernels, *k)
	}
	if was, ok := r.Metric("cycles"); ok && uint64(was) != got.Work.Cycles {
		p.Note = fmt.Sprintf("The run took %s cycles, and %s when it was profiled: the kernel or the simulator has changed since.", format.Thousands(uint64(was)), format.Thousands(got.Work.Cycles))
	}
	return p, nil
}

// annotateAgain runs what a run of a store asked for, with a progress bar, and returns where it spent its time.
func (a *app) annotateAgain(ctx context.Context, again *sweep.Again) (*annotate.Run, error) {
	p := profile.New(0)
	w := &runWatch{bar: progressbar.New(a.stderr, again.Device.Name), start: time.Now()}
	defer w.bar.Finish()
	ran, launched, err := again.Run(ctx, devices.Watch{Profile: p, Progress: w.inside}, a.stderr)
	switch {
	case err != nil:
		return nil, err
	case launched != nil:
		return annotatedLaunch(launched, &collection{profile: p}), errors.Join(launched.Err(), launched.RaceErr())
	}
	return annotate.Of(ran, p), errors.Join(ran.Err(), ran.RaceErr())
}

// profileKernel returns what a page shows of a kernel.
func profileKernel(k *annotate.Kernel) (*page.ProfileKernel, error) {
	lines, err := json.Marshal(k.Lines)
	if err != nil {
		return nil, err
	}
	source, err := k.Source()
	if err != nil {
		return nil, err
	}
	p := &page.ProfileKernel{Name: k.Name, Launches: k.Launches, Cycles: k.Cycles, Lines: lines}
	for _, f := range source {
		shown := page.SourceFile{File: f.File}
		for _, part := range f.Parts {
			shown.Parts = append(shown.Parts, page.SourcePart(part))
		}
		p.Source = append(p.Source, shown)
	}
	return p, nil
}
