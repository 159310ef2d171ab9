package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/proof/progress"
	"github.com/weft-gpu/weft/internal/proof/progress/litmus"
	"github.com/weft-gpu/weft/internal/proof/progress/trial"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/sim/policy"
)

// progressOptions holds the flags of `weft progress`.
type progressOptions struct {
	models         []string
	json           bool
	expect         string
	counterexample bool
	states         int
	writeSchedule  string
	progressRun
	progressKernel
}

// defaultStates is the default of --states.
const defaultStates = 1_000_000

// allModels is the value of --model for all of them.
const allModels = "all"

func (a *app) progressCommand() *cobra.Command {
	var o progressOptions
	var models strings.Builder
	for _, m := range progress.Models {
		fair := "weakly"
		if m.Strong {
			fair = "strongly"
		}
		fmt.Fprintf(&models, "  %-14s  %-8s  %s\n", m.Name, fair, m.What)
	}
	cmd := &cobra.Command{
		Use:   "progress FILE|DIR|KERNEL [--model NAME,...]",
		Short: "Decide under which progress models a litmus test or a kernel is sure to end",
		Long: `Explores all schedules of a small program and decides whether it ends in every
execution that a progress model allows (terminates), or whether the model allows one
that never ends (may_hang).

FILE is a forward-progress litmus test, DIR has several: its files whose names end in
.txt, in the order of their numbers. KERNEL is a kernel as weft launch names it; it needs
--grid, --block and its arguments. Its blocks are the threads of the model, or with
--threads its warps or lanes; if blocks are fair, so are the warps and lanes in them.
With --cluster, whole clusters are the threads in place of blocks.
Memory is sequentially consistent. It must have few states: some blocks of one or a few
threads, and buffers that do not count for ever.

The models, how they are fair, and to which threads (Sorensen et al., OOPSLA 2021):
` + models.String() + `
Weakly fair: such a thread takes infinitely many steps, unless it ends. Strongly fair:
each of its steps that is possible infinitely often, from the same state of the whole
program, is taken infinitely often.

--counterexample prints an execution that never ends; the text of one test under one
model has it anyway. --json prints one object per line for each test and model, with
test (the file's name without .txt), model and verdict. --expect compares with
published verdicts: CSV with a line for each test and a column for each model.

--write-schedule FILE writes that execution as a schedule, which simulated machines
follow: with --run --schedule FILE, the test hangs; a kernel does with weft launch
--schedule FILE.

--run compiles the tests to kernels and runs them on a device instead, their threads as
blocks or as lanes of a warp (--as), and reports which did not end. A test that did not
end is not launched again. On a real GPU, loops look at the clock, and end the kernel
after --deadline; simulated machines run each launch with a seed of its own. The device
is held against obe if threads are blocks, and against weak_fair if they are lanes, or
against --model. --json prints one object per line for each test.

Exit codes:
  0  everything was decided, also if a test may hang; with --run: no test hung that the
     model guarantees to end
  1  a file is not a litmus test, a verdict differs from that in --expect, or a kernel
     fails in some schedule
  3  with --run: a test hung that the model guarantees to end; for a kernel: it may hang
     under a model that --model names
  4  a program has more states than --states, or than half of the free memory holds;
     its verdicts are "undecided"`,
		Example: `  weft progress 2t_3i_10.txt
  weft progress 2t_3i_10.txt --model lobe
  weft progress tests/ --model obe,lobe_strong --json
  weft progress tests/ --expect tests/verdicts.csv
  weft progress 2t_3i_10.txt --model lobe --write-schedule hang.json
  weft progress 2t_3i_10.txt --run --device sim:tiny --schedule hang.json
  weft progress tests/ --run --device sim:h200 --launches 100
  weft progress tests/ --run --device sim:k40 --as lanes
  weft progress tests/ --run --device hw --instances 20000 --json
  weft progress ./mydir.Barrier --grid 3 --block 1 --arg arrived=0
  weft progress ./mydir.Lock --grid 2 --block 2 --arg lock=0 --threads lanes --model lobe`,
		Args: between("FILE, DIR or KERNEL", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.progress(cmd.Context(), args[0], o)
		},
	}
	flag(cmd, &o.models, option.ProgressModels, strings.Join(progress.ModelNames(), ", "))
	flag(cmd, &o.json, option.JSON)
	flag(cmd, &o.expect, option.Verdicts)
	flag(cmd, &o.counterexample, option.Counterexample)
	flag(cmd, &o.writeSchedule, option.WriteSchedule)
	o.progressRun.register(cmd)
	o.progressKernel.register(cmd)
	o.states = defaultStates
	flag(cmd, &o.states, option.States)
	return cmd
}

// chosen returns the models of --model, in the order of progress.Models.
func (o *progressOptions) chosen() ([]*progress.Model, error) {
	want := map[string]bool{}
	for _, name := range o.models {
		name = strings.TrimSpace(name)
		if _, err := progress.Lookup(name); err != nil && name != allModels {
			return nil, err
		}
		want[name] = true
	}
	var models []*progress.Model
	for _, m := range progress.Models {
		if want[m.Name] || want[allModels] {
			models = append(models, m)
		}
	}
	if len(models) == 0 {
		return nil, usage.Errorf("such as --model obe,lobe", "--model names no progress model")
	}
	return models, nil
}

// subject is a program whose schedules are explored.
type subject struct {
	name     string
	thread   string // what a thread of it is called
	sys      progress.System
	schedule func(*progress.Counterexample) *policy.Schedule
	results  []*progress.Result
}

// progress decides the programs that the user named and prints the verdicts.
func (a *app) progress(ctx context.Context, what string, o progressOptions) error {
	models, err := o.chosen()
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	var expected litmus.Verdicts
	if o.expect != "" {
		if expected, err = litmus.ReadVerdicts(ctx, o.expect); err != nil {
			return err
		}
	}
	var subjects []*subject
	isKernel := o.grid != "" || o.block != ""
	if isKernel {
		sys, err := a.kernelSystem(ctx, what, &o)
		if err != nil {
			return err
		}
		subjects = []*subject{{name: what, thread: sys.Thread(), sys: sys, schedule: sys.Schedule}}
	} else {
		if err := o.onlyLitmus(); err != nil {
			return err
		}
		tests, err := litmusTests(ctx, what)
		if err != nil {
			return err
		}
		if o.run {
			return a.runProgress(ctx, tests, &o.progressRun, models, o.json)
		}
		for _, t := range tests {
			subjects = append(subjects, &subject{name: t.Name, thread: "thread", sys: t.System(), schedule: trial.Schedule})
		}
	}
	var undecided error
	for _, s := range subjects {
		g, err := progress.Explore(ctx, s.sys, progress.Limits{States: o.states})
		if err == nil {
			s.results = g.Results(s.name, models)
		} else if s.results = progress.UndecidedResults(s.name, models, err); s.results == nil {
			return fmt.Errorf("%s: %w", s.name, err)
		} else {
			hint := "--states allows more"
			if limit := new(progress.LimitError); errors.As(err, &limit) && limit.Bytes > 0 {
				hint = "that is half of what was free; fewer threads or smaller buffers have fewer and smaller states"
			}
			undecided = errors.Join(undecided, usage.WithHint(fmt.Errorf("%s: %w", s.name, err), hint))
		}
	}
	if o.writeSchedule != "" {
		if err := a.writeSchedule(ctx, what, subjects, o); err != nil {
			return err
		}
	}
	if o.json {
		err = a.progressJSON(subjects, o.counterexample)
	} else {
		a.progressText(subjects, models, o.counterexample)
	}
	err = errors.Join(err, undecided, a.progressExpected(subjects, expected, o))
	if isKernel && len(models) < len(progress.Models) {
		err = errors.Join(err, hangsUnder(subjects[0].results))
	}
	return err
}

// writeSchedule writes the counterexample of the only result.
func (a *app) writeSchedule(ctx context.Context, input string, subjects []*subject, o progressOptions) error {
	if len(subjects) != 1 || len(subjects[0].results) != 1 {
		return usage.Errorf("", "--write-schedule goes with one test and one model")
	}
	r := subjects[0].results[0]
	if r.Moves == nil {
		return fmt.Errorf("--write-schedule: %s under %s: %s, so there is no schedule to write", r.Test, r.Model, r.Verdict)
	}
	files := a.outputs(nil, []string{input})
	files.plan.Reads("the test", input)
	f, err := files.file("--write-schedule", o.writeSchedule)
	if err != nil {
		return err
	}
	return f.Write(ctx, func(w io.Writer) error { return format.JSON(w, subjects[0].schedule(r.Moves)) })
}

// litmusTests reads the test of a file, or those of a directory.
func litmusTests(ctx context.Context, path string) ([]*litmus.Test, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, usage.Errorf("write the name of a litmus test, or of a directory of them; a kernel needs --grid and --block", "there is no file or directory %s", printable.Line(path))
	case info.IsDir():
		return litmus.ReadDir(ctx, path)
	}
	t, err := litmus.Read(ctx, path)
	return []*litmus.Test{t}, err
}

// progressJSON prints each result as a line.
func (a *app) progressJSON(subjects []*subject, counterexamples bool) error {
	for _, s := range subjects {
		for _, r := range s.results {
			line := *r
			switch {
			case !counterexamples:
				line.Counterexample = nil
			case r.Moves != nil:
				line.Counterexample.Schedule = s.schedule(r.Moves)
			}
			if err := format.JSONLine(a.stdout, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// progressText prints a table with a line for each test or, if there is only
// one, for each model; and counterexamples.
func (a *app) progressText(subjects []*subject, models []*progress.Model, counterexamples bool) {
	var rows [][]string
	cols := "ll"
	if len(subjects) == 1 {
		rows = append(rows, []string{"model", subjects[0].name})
		for _, r := range subjects[0].results {
			rows = append(rows, []string{r.Model, r.Verdict})
		}
		counterexamples = counterexamples || len(models) == 1
	} else {
		cols = "l" + strings.Repeat("l", len(models))
		head := []string{"test"}
		for _, m := range models {
			head = append(head, m.Name)
		}
		rows = append(rows, head)
		for _, s := range subjects {
			row := []string{s.name}
			for _, r := range s.results {
				row = append(row, r.Verdict)
			}
			rows = append(rows, row)
		}
	}
	format.Table(a.stdout, "", cols, rows)
	if !counterexamples {
		return
	}
	for _, s := range subjects {
		for i, r := range s.results {
			if r.Counterexample != nil {
				fmt.Fprintf(a.stdout, "\n%s may hang under %s\n", r.Test, r.Model)
				r.Counterexample.Print(a.stdout, s.thread, models[i])
			}
		}
	}
}

// progressExpected compares the results with published verdicts.
func (a *app) progressExpected(subjects []*subject, expected litmus.Verdicts, o progressOptions) error {
	if expected == nil {
		return nil
	}
	var differ []string
	compared := 0
	for _, s := range subjects {
		for _, r := range s.results {
			want, ok := expected[r.Test][r.Model]
			switch {
			case !ok:
				differ = append(differ, fmt.Sprintf("%s has no verdict on %s under %s", filepath.Base(o.expect), r.Test, r.Model))
			case r.Verdict != want:
				differ = append(differ, fmt.Sprintf("%s under %s: %s, expected %s", r.Test, r.Model, r.Verdict, want))
			default:
				compared++
			}
		}
	}
	return a.agreed(compared, differ, o.expect)
}

// agreed says on the standard error how many verdicts are as in a file, or
// returns what differs.
func (a *app) agreed(compared int, differ []string, file string) error {
	if len(differ) > 0 {
		return errors.New(strings.Join(differ, "\n"))
	}
	fmt.Fprintf(a.stderr, "%s verdicts as in %s\n", format.Thousands(compared), filepath.Base(file))
	return nil
}
