package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/view/plot"
	"github.com/weft-gpu/weft/sim/config"
)

// plotOptions holds the flags of `weft plot`.
type plotOptions struct {
	from      []string // a store, or traces
	spec, out string
	formats   []string
	section   spec.Section // the flags that say what to draw
}

func (a *app) plotCommand() *cobra.Command {
	var o plotOptions
	cmd := &cobra.Command{
		Use:   "plot STORE|TRACE... [flags]",
		Short: "Draw the results of studies, as PNG, SVG or PDF",
		Long: `Draws runs of a file that "weft sweep" wrote. --kind says what:

  lines        --y over --x, a line for each value of --series, with the spread of the runs
  bars         a group of bars for each --x, a bar for each value of --series
  heat         --value by color, over two settings --x and --y
  histogram    how many runs have which value of the metric --x
  correlation  the metric --y of the runs of --b over that of the runs of --a, or over what a
               GPU took (--record)
  time         occupancy, instructions, bandwidth, ... (--y) over the simulated time of each run
               that was swept with the setting trace, or of traces of "weft run --trace"

Names are columns of runs, settings and metrics; "weft results STORE --names" lists them.
--y 'cycles / arcs' draws a quotient. Runs that the picture does not tell apart become one
value, by --reduce, and the picture says so. --baseline scheduler=thread draws speed-ups
over those runs that have all other settings in common.

--spec draws the plots: of a specification into a folder; docs/plots.md explains them.
With --where they show fewer runs.`,
		Example: `  weft plot study.db --kind lines --x l2.latency --y cycles --series scheduler --out latency.svg
  weft plot study.db --kind bars --x graph --y cycles --series scheduler --baseline scheduler=thread --out speedup.pdf
  weft plot study.db --kind correlation --y kernel_seconds --a device=hw --b device=sim:h200 --series algorithm
  weft plot study.db --kind correlation --y kernel_seconds --record h200 --series algorithm
  weft plot study.db --spec study.yaml --out pictures --format svg,png
  weft plot study.db --kind time --y occupancy,dram-bandwidth --series scheduler --where graph=demo
  weft plot bfs.json --out bfs.pdf      # of weft run bfs --trace bfs.json`,
		Args: between("STORE or TRACE", 1, 28),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.from = args
			o.section = spec.Section{}
			cmd.Flags().Visit(func(f *pflag.Flag) {
				if slices.Contains(plot.Keys(), f.Name) {
					o.section.Values = append(o.section.Values, plotSettings(f)...)
				}
			})
			return a.plot(cmd.Context(), o)
		},
	}
	flag(cmd, &o.spec, option.Spec)
	flag(cmd, &o.out, option.Out)
	flag(cmd, &o.formats, option.PictureFormats)
	plotFlags(cmd)
	return cmd
}

// plotFlags adds the flags that say what to draw; each is a key of plot.Spec.
func plotFlags(cmd *cobra.Command) {
	flag(cmd, new(string), option.PictureKind, strings.Join(plot.Kinds, ", "))
	flag(cmd, new([]string), option.X)
	flag(cmd, new([]string), option.Y)
	flag(cmd, new(string), option.HeatValue)
	flag(cmd, new([]string), option.A)
	flag(cmd, new([]string), option.B)
	flag(cmd, new(string), option.RecordOfGPU)
	flag(cmd, new([]string), option.Series)
	flag(cmd, new([]string), option.Facet)
	flag(cmd, new([]string), option.Where)
	flag(cmd, new(bool), option.LogX)
	flag(cmd, new(bool), option.LogY)
	flag(cmd, new([]string), option.Baseline)
	flag(cmd, new(string), option.Ratio)
	flag(cmd, new(string), option.Reduce, strings.Join(plot.Reductions, ", "))
	flag(cmd, new(string), option.Spread)
	flag(cmd, new(string), option.Title)
	flag(cmd, new(string), option.XLabel)
	flag(cmd, new(string), option.YLabel)
	flag(cmd, new(string), option.Width)
	flag(cmd, new(string), option.Height)
}

// plotSettings returns a flag as settings of a plot.
func plotSettings(f *pflag.Flag) (list []spec.Setting) {
	values := []string{f.Value.String()}
	v := f.Value
	if named, ok := v.(namedValue); ok {
		v = named.Value
	}
	if several, ok := v.(pflag.SliceValue); ok {
		values = several.GetSlice()
	}
	for _, value := range values {
		list = append(list, spec.Setting{Name: f.Name, Value: value, Place: "--" + f.Name})
	}
	return list
}

func (a *app) plot(ctx context.Context, o plotOptions) error {
	for _, f := range o.formats {
		if !slices.Contains(plot.Formats, f) {
			return usage.Unknown("format", f, plot.Formats, "")
		}
	}
	traces, err := readTraces(o.from)
	if err != nil {
		return err
	}
	if traces != nil {
		return a.plotTraces(ctx, o, traces)
	}
	var plots []*plot.Spec
	switch {
	case o.spec != "":
		var where []string
		for _, v := range o.section.Values {
			if v.Name != "where" {
				return usage.Errorf("write it into the file", "%s does not go with --spec, which says what to draw", v.Place)
			}
			if _, _, _, err := store.ParseCondition(v.Value); err != nil {
				return usage.Errorf("\"weft plot --help\" explains the flags", "--where: %v", err)
			}
			where = append(where, v.Value)
		}
		s, err := spec.Load(ctx, o.spec, nil)
		if err != nil {
			return specError(err)
		}
		if plots, err = plotsOf(s); err != nil {
			return err
		}
		if len(plots) == 0 {
			return usage.Errorf("docs/plots.md explains them", "%s has no plots:", o.spec)
		}
		for _, p := range plots {
			p.Where = append(p.Where, where...)
		}
	default:
		if plots, err = plot.Parse([]spec.Section{o.section}); err != nil {
			return usage.Errorf("\"weft plot --help\" explains the flags", "%v", err)
		}
	}
	st, err := store.Open(ctx, o.from[0])
	if err != nil {
		return usage.WithHint(err, "\"weft sweep --help\" explains how to make one")
	}
	defer func() { _ = st.Close() }() // only read
	if o.spec != "" {
		return a.drawAll(ctx, st, plots, o.out, o.formats, []string{o.from[0], o.spec}, a.stdout)
	}
	plots[0].UnitOf = sweep.Unit
	base, formats, err := o.files(plots[0].File)
	if err != nil {
		return err
	}
	return a.draw(ctx, st, plots[0], base, formats, o.from, a.stdout)
}

// files returns the name of the picture without its ending, and its formats. file is the name if --out says none.
func (o *plotOptions) files(file string) (base string, formats []string, err error) {
	ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(o.out)), ".")
	switch {
	case o.out == "":
		return file, o.formats, nil
	case slices.Contains(plot.Formats, ext):
		base, formats = strings.TrimSuffix(o.out, filepath.Ext(o.out)), o.formats
		if len(formats) == 0 {
			formats = []string{ext}
		}
		return base, formats, nil
	case len(o.formats) == 0:
		return "", nil, usage.Errorf("name it .png, .svg or .pdf, or use --format", "--out: the name of %s does not say a format", o.out)
	}
	return o.out, o.formats, nil
}

// plotsOf returns the plots of a specification.
func plotsOf(s *spec.Spec) ([]*plot.Spec, error) {
	plots, err := plot.Parse(s.Plots)
	if err != nil {
		return nil, usage.Errorf("docs/plots.md explains plots", "%v", err)
	}
	study := plot.StudyOf(s.Points)
	study.Name = s.Name
	for _, p := range plots {
		p.Study, p.UnitOf = study, sweep.Unit
		if strings.HasPrefix(p.Record, "./") || strings.HasPrefix(p.Record, "../") { // as all paths in a specification
			p.Record = filepath.Join(filepath.Dir(s.File), p.Record)
		}
	}
	return plots, nil
}

// doubtPlots warns of names in plots that look misspelt, before a sweep.
func (a *app) doubtPlots(s *spec.Spec, plots []*plot.Spec) error {
	if len(plots) == 0 {
		return nil
	}
	all, err := counters()
	if err != nil {
		return err
	}
	known := sweep.Metrics()
	for _, c := range all {
		known = append(known, c.Name)
	}
	for _, c := range store.Columns() {
		known = append(known, c.Name)
	}
	for _, p := range config.Parameters() {
		known = append(known, p.Path)
	}
	for _, p := range s.Points {
		known = slices.AppendSeq(known, maps.Keys(p.Map()))
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, p := range plots {
		for _, err := range p.Doubts(known) {
			fmt.Fprintf(a.stderr, "note: %v\n", err)
		}
	}
	return nil
}

// specError words mistakes in a specification.
func specError(err error) error {
	var mistakes spec.Errors
	if errors.As(err, &mistakes) {
		return usage.Errorf("docs/studies.md explains specifications", "%v", mistakes)
	}
	return err
}

// drawAll draws plots into a folder, also if some of them cannot be drawn.
func (a *app) drawAll(ctx context.Context, st *store.Store, plots []*plot.Spec, folder string, formats, reads []string, list io.Writer) error {
	if folder != "" {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	var errs []error
	for _, p := range plots {
		errs = append(errs, a.draw(ctx, st, p, filepath.Join(folder, p.File), formats, reads, list))
	}
	return errors.Join(errs...)
}

// draw draws a plot of a store into files that begin with base, and lists them.
func (a *app) draw(ctx context.Context, st *store.Store, s *plot.Spec, base string, formats, reads []string, list io.Writer) error {
	p, err := plot.Draw(ctx, st, s)
	if err != nil {
		return queryError(err)
	}
	return a.write(ctx, p, base, formats, reads, list)
}

// write writes a picture into files that begin with base, and lists them.
func (a *app) write(ctx context.Context, p *plot.Picture, base string, formats, reads []string, list io.Writer) error {
	if len(formats) == 0 {
		formats = []string{"svg"}
	}
	for _, format := range formats {
		file := base + "." + format
		f, err := a.outputs(reads, nil).file("--out", file)
		if err != nil {
			return err
		}
		if err := f.Write(ctx, func(w io.Writer) error { return p.Write(w, format) }); err != nil {
			return err
		}
		fmt.Fprintln(list, file)
	}
	return nil
}
