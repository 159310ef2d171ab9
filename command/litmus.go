package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/proof/ptxlitmus"
	"github.com/weft-gpu/weft/internal/service/option"
)

// litmusOptions holds the flags of `weft litmus`.
type litmusOptions struct {
	model    string
	json     bool
	expect   string
	outcomes bool
	witness  bool
	check    ptxlitmus.Options
	run      litmusRunOptions
}

func (a *app) litmusCommand() *cobra.Command {
	var o litmusOptions
	cmd := &cobra.Command{
		Use:   "litmus FILE|DIR... [--device NAME | --model ptx]",
		Short: "Run PTX litmus tests on a device, or decide them under the memory model",
		Long: `Reads litmus tests of the PTX memory model, in the format of Dat3M. FILE is a test, DIR
has several: its files whose names end in .litmus.

Without --model, it runs many instances of each test on a device: in many launches, each
with a seed of its own, which decides where threads and words are, when threads start,
which lines L1 holds, and what other warps do. It prints how often each outcome appeared
and whether the condition was seen: an outcome that satisfies the condition of an exists
or ~exists, or violates that of a forall. An outcome that the model of PTX forbids is an
error. Instances of which a thread never ends have that as their outcome.

With --model ptx, it decides whether the conditions hold under the memory model of PTX
(ISA 7.5, with proxies and aliases; docs/memory.md names the papers): it enumerates all
executions of the test. The verdict is 1 or 0: for exists, whether some execution
satisfies the condition; for ~exists, whether none does; for forall, whether all do.
Executions in which a thread waits forever do not count. A test that needs what the
model does not have (bar.red) gets the verdict "-" with the reason, null in JSON.

--json prints one object per line for each test, with test (the file's name without
.litmus). If the test ran: observed (how many instances had each outcome), condition
("seen", "never", or "not run", with the reason as unsupported) and forbidden (the
outcomes that the model forbids). Under --model: verdict, and the outcomes: the final
states that the model allows. --expect compares with published verdicts: CSV with the
columns test and condition_holds.

Exit codes:
  0  every test ran or was decided, or needs what the device or the model does not have
  1  a test showed what the model forbids, a file is not a litmus test, or a verdict
     differs from that in --expect
  4  a test has too many executions to enumerate, or --budget ended a launch`,
		Example: `  weft litmus MP-cta.litmus
  weft litmus tests/ --device sim:v100 --instances 1000000 --json
  weft litmus tests/ --device hw --instances 1000000 --json
  weft litmus SB+sc-cta.litmus --model ptx
  weft litmus tests/ --model ptx --expect tests/verdicts.csv
  weft litmus MP-cta.litmus --model ptx --outcomes --witness`,
		Args: func(cmd *cobra.Command, args []string) error { return between("FILE or DIR", 1, len(args))(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := onlyFor(cmd, o.model != ""); err != nil {
				return err
			}
			switch {
			case o.model == "":
				return a.litmusRun(cmd.Context(), args, &o.run, o.json)
			case o.model != ptxlitmus.Model:
				return usage.Unknown("model", o.model, []string{ptxlitmus.Model}, "")
			}
			return a.litmusModel(cmd.Context(), args, o)
		},
	}
	o.run.register(cmd)
	flag(cmd, &o.model, option.MemoryModel)
	flag(cmd, &o.json, option.JSON)
	flag(cmd, &o.expect, option.Verdicts)
	flag(cmd, &o.outcomes, option.Outcomes)
	flag(cmd, &o.witness, option.Witness)
	o.check.Bound = ptxlitmus.DefaultBound
	flag(cmd, &o.check.Bound, option.Bound)
	o.check.Budget = ptxlitmus.DefaultBudget
	flag(cmd, &o.check.Budget, option.MaxExecutions)
	return cmd
}

// litmusModel decides the tests that the user named and prints the verdicts. A test
// that cannot be read or decided does not keep the others from it.
func (a *app) litmusModel(ctx context.Context, paths []string, o litmusOptions) error {
	var expected map[string]bool
	if o.expect != "" {
		var err error
		if expected, err = ptxlitmus.ReadVerdicts(ctx, o.expect); err != nil {
			return err
		}
	}
	files, err := litmusFiles(paths)
	if err != nil {
		return err
	}
	var reports []ptxlitmus.Report
	var failed error
	for _, file := range files {
		r, err := a.litmusReport(ctx, file, o)
		if err != nil && signals.Ended(err) {
			failed = errors.Join(failed, err)
			break
		}
		failed = errors.Join(failed, err)
		if r != nil {
			reports = append(reports, *r)
		}
	}
	if !o.json {
		a.litmusText(reports, o)
	}
	return errors.Join(failed, a.litmusExpected(reports, expected, o))
}

// litmusFiles returns the tests that the user named.
func litmusFiles(paths []string) (files []string, err error) {
	for _, path := range paths {
		found, err := ptxlitmus.Files(path)
		if err != nil {
			return nil, usage.Errorf("write the name of a litmus test, or of a directory of them", "%s", printable.Line(err.Error()))
		}
		files = append(files, found...)
	}
	return files, nil
}

// litmusReport decides a test. Under --json it prints the report.
func (a *app) litmusReport(ctx context.Context, file string, o litmusOptions) (*ptxlitmus.Report, error) {
	t, err := ptxlitmus.Read(ctx, file)
	if err != nil {
		return nil, err
	}
	var rep ptxlitmus.Report
	r, err := ptxlitmus.Check(ctx, t, o.check)
	var limit *ptxlitmus.LimitError
	switch {
	case errors.As(err, &limit):
		rep = t.Undecided(limit.What)
		err = usage.WithHint(fmt.Errorf("%s: %w", t.Name, err), "--max-executions allows more")
	case err != nil:
		return nil, err
	default:
		rep = r.Report()
	}
	if !o.witness {
		rep.Witness = nil
	}
	if o.json {
		err = errors.Join(err, format.JSONLine(a.stdout, rep))
	}
	return &rep, err
}

// litmusText prints a table with a line for each test, and what else the flags ask for.
func (a *app) litmusText(reports []ptxlitmus.Report, o litmusOptions) {
	rows := [][]string{{"test", "quantifier", "verdict", "executions", "outcomes", "note"}}
	for _, r := range reports {
		verdict, executions, outcomes, note := "-", "", "", r.Reason
		if r.Verdict != nil {
			verdict, executions, outcomes = strconv.Itoa(*r.Verdict), format.Thousands(r.Executions), format.Thousands(len(r.Outcomes))
		}
		if r.Bounded {
			note = fmt.Sprintf("a loop may go on: looked at %d turns", o.check.Bound)
		}
		rows = append(rows, []string{r.Test, r.Quantifier, verdict, executions, outcomes, note})
	}
	if len(reports) > 0 {
		format.Table(a.stdout, "", "lllrrl", rows)
	}
	for _, r := range reports {
		if r.Verdict == nil {
			continue
		}
		switch {
		case o.outcomes:
			a.litmusOutcomes(r, len(r.Outcomes))
		case len(reports) == 1:
			a.litmusOutcomes(r, fewOutcomes)
		}
		if r.Witness != nil {
			a.litmusWitness(r)
		}
	}
}

// fewOutcomes is how many final states of a test are printed without --outcomes.
const fewOutcomes = 20

// litmusOutcomes prints the first final states of a test as a table.
func (a *app) litmusOutcomes(r ptxlitmus.Report, limit int) {
	fmt.Fprintf(a.stdout, "\n%s: %s %s\n", r.Test, r.Quantifier, r.Condition)
	if len(r.Outcomes) == 0 {
		fmt.Fprintln(a.stdout, "  no execution ends")
		return
	}
	names := slices.Sorted(maps.Keys(r.Outcomes[0].State))
	rows := [][]string{append(slices.Clone(names), "executions", "condition")}
	for _, o := range r.Outcomes[:min(limit, len(r.Outcomes))] {
		var row []string
		for _, n := range names {
			row = append(row, strconv.Itoa(int(o.State[n])))
		}
		rows = append(rows, append(row, format.Thousands(o.Executions), map[bool]string{true: "true", false: "false"}[o.Satisfies]))
	}
	format.Table(a.stdout, "  ", strings.Repeat("r", len(names)+1)+"l", rows)
	if more := len(r.Outcomes) - limit; more > 0 {
		fmt.Fprintf(a.stdout, "  and %s more, which --outcomes prints\n", format.Thousands(more))
	}
}

// litmusWitness prints the execution that decides a test.
func (a *app) litmusWitness(r ptxlitmus.Report) {
	what := "satisfies the condition"
	if r.Quantifier == ptxlitmus.ForAll.String() {
		what = "does not satisfy the condition"
	}
	fmt.Fprintf(a.stdout, "\n%s: an execution that %s\n", r.Test, what)
	for _, part := range []struct {
		name  string
		lines []string
	}{{"events", r.Witness.Events}, {"order of writes", r.Witness.Coherence}, {"order of fences", r.Witness.Fences}, {"final state", []string{r.Witness.State}}} {
		if len(part.lines) > 0 {
			fmt.Fprintf(a.stdout, "  %s\n    %s\n", part.name, strings.Join(part.lines, "\n    "))
		}
	}
}

// litmusExpected compares the verdicts with published ones, and says on the standard
// error how many there were.
func (a *app) litmusExpected(reports []ptxlitmus.Report, expected map[string]bool, o litmusOptions) error {
	if expected == nil {
		return nil
	}
	var differ []string
	compared := 0
	for _, r := range reports {
		want, ok := expected[r.Test]
		switch {
		case !ok:
			differ = append(differ, fmt.Sprintf("%s has no verdict on %s", filepath.Base(o.expect), r.Test))
		case r.Verdict == nil:
			differ = append(differ, fmt.Sprintf("%s: not decided, expected %d", r.Test, bit(want)))
		case *r.Verdict != bit(want):
			differ = append(differ, fmt.Sprintf("%s: %d, expected %d", r.Test, *r.Verdict, bit(want)))
		default:
			compared++
		}
	}
	return a.agreed(compared, differ, o.expect)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
