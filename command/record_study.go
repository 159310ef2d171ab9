package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/internal/base/infile"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/study"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/results"
)

// studyOptions holds the flags of `weft record study`.
type studyOptions struct {
	spec, device, graphs, out, markdown, only, verify string
	set                                               []string
	seed                                              uint64
	limit, rowLimit, deadline                         time.Duration
	repeat                                            int
	again, check                                      bool
}

func (a *app) studyCommand() *cobra.Command {
	var o studyOptions
	cmd := &cobra.Command{
		Use:   "study SPECIFICATION",
		Short: "Measure candidates for each algorithm and graph, and compare them with other systems",
		Long: `Reads a specification (YAML): graphs, and for each algorithm the candidates, schemes
with their parameters. Runs each candidate on each graph, checks the answer, and
measures the time of further runs, from the first launch until the host knows that the
answer is complete in device memory. Prints a table of what was recorded.

The record (--out) is written after each row. A row that it has is not measured again
(--again does), so a study that was ended by --limit continues where it ended; if
nothing is missing, no device is needed. A row that fails is recorded with its error.

--markdown writes the fastest candidates beside the times of other systems that the
specification has.`,
		Example: `  weft record study results/peers/h200.yaml --graphs graphs --out h200.json --limit 8m
  weft record study results/peers/h200.yaml --out h200.json --only "cnr-2000 bfs" --again
  weft record study study.yaml --device sim:tiny --repeat 2 --markdown study.md`,
		Args: between("SPECIFICATION", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.spec = args[0]
			return a.study(cmd.Context(), o)
		},
	}
	flag(cmd, &o.device, option.Device)
	flag(cmd, &o.set, option.Set)
	flag(cmd, &o.seed, option.Seed)
	flag(cmd, &o.graphs, option.GraphFolder)
	flag(cmd, &o.out, option.Out)
	flag(cmd, &o.markdown, option.Markdown)
	flag(cmd, &o.only, option.Only)
	flag(cmd, &o.verify, option.Verify)
	flag(cmd, &o.again, option.Again)
	flag(cmd, &o.repeat, option.Repeat)
	flag(cmd, &o.limit, option.TimeLimit)
	flag(cmd, &o.rowLimit, option.RowLimit)
	flag(cmd, &o.deadline, option.Deadline)
	flag(cmd, &o.check, option.Check)
	return cmd
}

// study measures what the record lacks and prints the table. If it is
// interrupted, the record has the rows measured so far.
func (a *app) study(ctx context.Context, o studyOptions) error {
	text, err := infile.ReadAll(ctx, o.spec, 1<<20)
	if err != nil {
		return fmt.Errorf("%s: %w", o.spec, err)
	}
	s, err := study.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", o.spec, err)
	}
	only, err := o.checked(s)
	if err != nil {
		return err
	}
	spec, err := devices.New(o.device, devices.Options{Set: o.set, Seed: o.seed, Deadline: o.deadline, Check: o.check})
	if err != nil {
		return err
	}
	file, err := readStudy(ctx, o.out)
	if err != nil {
		return err
	}
	files := a.outputs(nil, nil).reads(spec)
	files.plan.Reads("the specification that is read", o.spec)
	out, err := files.file("--out", o.out)
	if err != nil {
		return err
	}
	markdown, err := files.file("--markdown", o.markdown)
	if err != nil {
		return err
	}
	p := &study.Plan{Spec: s, Verify: study.Verify(o.verify), Only: only, Again: o.again, Limit: o.limit, RowLimit: o.rowLimit, Log: a.stderr}
	p.Open = func(ctx context.Context) (device.Device, error) { return spec.Open(ctx, devices.Watch{}) }
	p.Meta = func(d device.Device) results.Meta { return a.origin(spec, d) }
	p.Save = func(f *study.File) error { return out.Write(ctx, f.Write) }
	p.Load = func(ctx context.Context, g study.Graph) (*graph.CSR, error) {
		csr, _, err := g.Named(func(file string) string { return filepath.Join(o.graphs, file) }).Load(ctx, a.stderr)
		return csr, err
	}
	missing, err := p.Run(ctx, file)
	if ctx.Err() != nil {
		return signals.Interrupted
	}
	study.Table(a.stdout, s, file)
	for _, k := range missing {
		fmt.Fprintf(a.stdout, "missing: %s\n", k)
	}
	if len(missing) > 0 {
		fmt.Fprintf(a.stdout, "%d rows are missing: the time was over; the same command continues\n", len(missing))
	}
	if n := study.Failed(s, file); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d rows failed or gave wrong answers; the table names them", n))
	}
	return errors.Join(err, markdown.Write(ctx, func(w io.Writer) error {
		study.Markdown(w, s, file)
		return nil
	}))
}

// checked rejects invalid values of flags, and applies --repeat.
func (o studyOptions) checked(s *study.Spec) (only func(string) bool, err error) {
	modes := []string{string(study.VerifyAll), string(study.VerifyFirst), string(study.VerifyNone)}
	if !slices.Contains(modes, o.verify) {
		return nil, usage.Unknown("--verify value", o.verify, modes, "")
	}
	if o.repeat < 0 || o.repeat > 1000 {
		return nil, usage.Errorf("", "--repeat: %d is not from 1 to 1000", o.repeat)
	}
	s.Repeat = cmp.Or(o.repeat, s.Repeat)
	if o.limit < 0 || o.rowLimit < 0 {
		return nil, usage.Errorf("", "--limit and --row-limit: a time below 0")
	}
	if o.only == "" {
		return nil, nil
	}
	match, err := regexp.Compile(o.only)
	if err != nil {
		return nil, usage.Errorf("", "--only: %v", err)
	}
	return match.MatchString, nil
}

// readStudy reads a record that is to be continued; if there is none, it is
// empty.
func readStudy(ctx context.Context, path string) (*study.File, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return &study.File{}, nil
	}
	text, err := infile.ReadAll(ctx, path, 1<<30)
	if err != nil {
		return nil, fmt.Errorf("--out: %s: %w", path, err)
	}
	f, err := study.Read(text)
	if err != nil {
		return nil, fmt.Errorf("--out: %s is not the record of a study: %w", path, err)
	}
	return f, nil
}

// origin describes where rows of a study come from.
func (a *app) origin(spec *devices.Spec, d device.Device) results.Meta {
	if gpu, ok := d.(interface{ Info() hw.Info }); ok {
		m := a.meta(gpu.Info())
		if g, ok := device.AsGroup(d); ok && g.GPUs() > 1 {
			m.GPU, m.Peers = fmt.Sprintf("%d x %s", g.GPUs(), m.GPU), peers(g)
		}
		return m
	}
	return results.Meta{GPU: spec.Name, Date: time.Now().UTC().Format(time.RFC3339), Commit: buildinfo.This().Commit, Command: "weft " + strings.Join(a.args, " ")}
}

// peers says how the GPUs of a group reach each other. If not all do so in the
// same way, it lists the pairs.
func peers(g device.Group) string {
	var pairs, words []string
	for i := range g.GPUs() {
		for j := range g.GPUs() {
			if i == j {
				continue
			}
			words = append(words, waysOf(g.Peer(i, j)))
			pairs = append(pairs, fmt.Sprintf("%d to %d: %s", i, j, words[len(words)-1]))
		}
	}
	if len(slices.Compact(slices.Clone(words))) == 1 {
		return words[0]
	}
	return strings.Join(pairs, "; ")
}

// waysOf describes how a GPU reaches the memory of another one.
func waysOf(p device.Peer) string {
	if !p.Copy {
		return "through the memory of the host"
	}
	words := []string{"copies"}
	if p.Access {
		words = append(words, "remote accesses")
	}
	if p.Atomics {
		words = append(words, "remote atomics")
	}
	text := strings.Join(words, ", ")
	if p.Link != "" {
		text = p.Link + ": " + text
	}
	return text
}
