package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/compare"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/table"
	"github.com/weft-gpu/weft/internal/service/option"
)

// resultsOptions holds the flags of `weft results`.
type resultsOptions struct {
	where, columns, order []string
	limit                 int
	sql                   string
	names                 bool
	run                   int64
	attachment            string
	format, out           string
	record, others        string
	changed               func(flag string) bool
}

func (a *app) resultsCommand() *cobra.Command {
	var o resultsOptions
	cmd := &cobra.Command{
		Use:   "results STORE [flags]",
		Short: "Query, export and compare the results of studies",
		Long: `Prints runs of a file that "weft sweep" wrote, as text, CSV, JSON or Parquet.

A column is a property of runs (algorithm, graph, status, ...), a setting (l2.latency)
or a metric (cycles, smsp__inst_executed.sum); --names lists all. Without --columns it
prints what differs between the runs, and cycles and seconds. --sql answers any query
in SQL; docs/results.md has the tables.

--record adds the runs to a record, a JSON file with one row for all runs of a point.
--others prints the fastest runs beside the times of other systems; STORE may then be a
record.`,
		Example: `  weft results study.db
  weft results study.db --where scheduler=warp --where 'cycles>1e6' --order -cycles --limit 10
  weft results study.db --columns scheduler,l2.latency,cycles --format csv --out study.csv
  weft results study.db --sql "SELECT scheduler, avg(value) FROM measured WHERE metric = 'cycles' GROUP BY scheduler"
  weft results study.db --run 17
  weft results peers.db --record h200.json
  weft results h200.json --others experiments/studies/peers.yaml --out README.md
  weft results compare before.db after.db
  weft results compare study.db --a scheduler=warp --b scheduler=thread`,
		Args: between("STORE", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.changed = cmd.Flags().Changed
			return a.results(cmd.Context(), args[0], o)
		},
	}
	flag(cmd, &o.where, option.Where)
	flag(cmd, &o.columns, option.Columns)
	flag(cmd, &o.order, option.OrderBy)
	flag(cmd, &o.limit, option.RowCount)
	flag(cmd, &o.sql, option.SQL)
	flag(cmd, &o.names, option.Names)
	flag(cmd, &o.run, option.RunID)
	flag(cmd, &o.attachment, option.Attachment)
	flag(cmd, &o.format, option.TableFormat)
	flag(cmd, &o.out, option.Out)
	flag(cmd, &o.record, option.ExportRecord)
	flag(cmd, &o.others, option.Others)
	cmd.AddCommand(a.resultsCompareCommand(), a.resultsMergeCommand())
	return cmd
}

// results answers a query.
func (a *app) results(ctx context.Context, file string, o resultsOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.others != "" {
		return a.besideOthers(ctx, file, o)
	}
	st, err := store.Open(ctx, file)
	if err != nil {
		return usage.WithHint(err, "\"weft sweep --help\" explains how to make one")
	}
	defer func() { _ = st.Close() }() // only read
	if o.record != "" {
		return a.exportRecord(ctx, st, o)
	}
	if o.run > 0 {
		return a.showRun(ctx, st, o)
	}
	t, err := o.table(ctx, st)
	if err != nil {
		return err
	}
	if len(t.Rows) == 0 && len(o.where) > 0 {
		fmt.Fprintf(a.stderr, "no run of %s fulfils %s\n", file, strings.Join(o.where, " and "))
	}
	if o.out == "" {
		return t.Write(a.stdout, o.format)
	}
	files := a.outputs([]string{file}, nil)
	f, err := files.file("--out", o.out)
	if err != nil {
		return err
	}
	return f.Write(ctx, func(w io.Writer) error { return t.Write(w, o.format) })
}

// check rejects flags that are invalid by themselves, and sets the default of --format.
func (o *resultsOptions) check() error {
	modes := 0
	for _, flag := range []string{"sql", "names", "run", "record", "others"} {
		if o.changed(flag) {
			modes++
		}
	}
	selects := len(o.where)+len(o.columns)+len(o.order) > 0 || o.changed("limit")
	switch {
	case modes > 1:
		return usage.Errorf("use one of them", "--sql, --names, --run, --record and --others are different questions")
	case o.changed("record") && o.changed("out"):
		return usage.Errorf("", "--record names the file that is written, and so does --out")
	case (o.record != "" || o.others != "") && (len(o.columns)+len(o.order) > 0 || o.changed("limit") || o.changed("format")):
		return usage.Errorf("", "--columns, --order, --limit and --format do not go with --record and --others")
	case o.record != "" || o.others != "": // of selected runs
		return nil
	case modes == 1 && selects:
		return usage.Errorf("", "--where, --columns, --order and --limit do not go with --sql, --names and --run")
	case o.attachment != "" && o.run == 0:
		return usage.Errorf("such as --run 17 --attachment hang", "--attachment goes with --run only")
	}
	if o.format == "" {
		ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(o.out), "."))
		switch {
		case ext == "", ext == "txt":
			o.format = "text"
		case !slices.Contains(table.Formats, ext):
			return usage.Errorf("name it .txt, ."+strings.Join(table.Formats[1:], ", .")+", or use --format", "--out: the name of %s does not say a format", o.out)
		default:
			o.format = ext
		}
	}
	for _, name := range table.Formats {
		if name == o.format {
			return nil
		}
	}
	return usage.Unknown("format", o.format, table.Formats, "")
}

// table returns the answer of a query as a table.
func (o *resultsOptions) table(ctx context.Context, st *store.Store) (*table.Table, error) {
	switch {
	case o.names:
		return namesTable(ctx, st)
	case o.sql != "":
		t, err := st.SQL(ctx, o.sql)
		if signals.Ended(err) {
			return nil, err
		}
		if err != nil {
			return nil, usage.Errorf("docs/results.md has the tables", "--sql: %v", err)
		}
		return t, nil
	}
	t, err := st.Query(ctx, store.Query{Where: o.where, Columns: o.columns, Order: o.order, Limit: o.limit})
	return t, queryError(err)
}

// queryError words an error of a query.
func queryError(err error) error {
	var unknown *store.UnknownName
	switch {
	case errors.As(err, &unknown):
		return usage.Unknown("column, setting or metric", unknown.Name, unknown.Known, "weft results STORE --names")
	case err != nil && strings.HasPrefix(err.Error(), "condition "):
		return usage.Errorf("", "--where: %v", err)
	}
	return err
}

// namesTable lists what columns may be.
func namesTable(ctx context.Context, st *store.Store) (*table.Table, error) {
	settings, metrics, err := st.Names(ctx)
	if err != nil {
		return nil, err
	}
	t := &table.Table{Columns: []table.Column{{Name: "name"}, {Name: "kind"}, {Name: "unit"}, {Name: "meaning"}}}
	for _, c := range store.Columns() {
		t.Rows = append(t.Rows, []any{c.Name, "column", c.Unit, c.Meaning})
	}
	for _, name := range settings {
		t.Rows = append(t.Rows, []any{name, "setting", "", "written by a specification"})
	}
	defaults, parameters, err := st.Unwritten(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range defaults {
		t.Rows = append(t.Rows, []any{name, "setting", "", "not written by any specification"})
	}
	for _, name := range parameters {
		t.Rows = append(t.Rows, []any{name, "machine", "", "of the simulated machine; \"weft list parameters\" explains it"})
	}
	for _, c := range metrics {
		t.Rows = append(t.Rows, []any{c.Name, "metric", c.Unit, c.Meaning})
	}
	return t, nil
}

// showRun prints one run.
func (a *app) showRun(ctx context.Context, st *store.Store, o resultsOptions) error {
	r, err := st.Run(ctx, o.run)
	if err != nil {
		return err
	}
	if o.attachment != "" {
		data, err := st.Attachment(ctx, o.run, o.attachment)
		if err != nil {
			return err
		}
		if data == nil {
			kinds, err := st.Attachments(ctx, o.run)
			if err != nil {
				return err
			}
			return usage.Unknown("attachment", o.attachment, kinds, "")
		}
		_, err = a.stdout.Write(data)
		return err
	}
	if o.format == "json" {
		return format.JSON(a.stdout, r)
	}
	var written []string
	for _, name := range slices.Sorted(maps.Keys(r.Settings)) {
		written = append(written, name+"="+format.Word(r.Settings[name]))
	}
	rows := [][]string{{"status", string(r.Status)}, {"error", r.Error}, {"algorithm", r.Algorithm}, {"scheduler", r.Scheduler}, {"kernel", r.Kernel}, {"graph", r.Graph}, {"device", r.Device},
		{"machine", r.Machine}, {"seed", strconv.FormatUint(r.Seed, 10)}, {"settings", strings.Join(written, " ")}, {"version", r.Version}, {"date", r.Date.Format("2006-01-02 15:04:05 UTC")}, {"host", r.Host}, {"wall", format.Seconds(r.Wall)}, {"point", r.Point}, {"again", r.Command}}
	var shown [][]string
	for _, row := range rows {
		if row[1] != "" {
			shown = append(shown, row)
		}
	}
	format.Table(a.stdout, "", "ll", shown)
	fmt.Fprintln(a.stdout, "metrics")
	shown = nil
	for _, m := range r.Metrics {
		if m.Value != 0 {
			shown = append(shown, []string{m.Name, format.Number(m.Value), m.Unit, m.Meaning})
		}
	}
	format.Table(a.stdout, "  ", "lrll", shown)
	return nil
}

// resultsCompareOptions holds the flags of `weft results compare`.
type resultsCompareOptions struct {
	a, b, metrics, except []string
	json                  bool
}

func (a *app) resultsCompareCommand() *cobra.Command {
	var o resultsCompareOptions
	cmd := &cobra.Command{
		Use:   "compare A [B]",
		Short: "Say which differences between two sets of runs are real",
		Long: `Compares the runs of two files, or two selections of one file. Runs whose settings are
the same, apart from what --a, --b and --except name, belong together. It compares
medians: simulations are deterministic, so any difference is real; times of real GPUs,
and simulations of several seeds with --except seed, are tested (Mann-Whitney U-test at
5%), and ~ marks differences that may be chance.`,
		Example: `  weft results compare before.db after.db
  weft results compare study.db --a scheduler=warp --b scheduler=thread --metric cycles
  weft results compare study.db --a scheduler=warp --b scheduler=thread --except seed   # seeds as a sample
  weft results compare study.db --a bind.pad=0 --b bind.pad=1 --except shared --metric '*'   # what explains it`,
		Args: between("store", 1, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.resultsCompare(cmd.Context(), args, o) },
	}
	flag(cmd, &o.a, option.A)
	flag(cmd, &o.b, option.B)
	flag(cmd, &o.metrics, option.Metric)
	flag(cmd, &o.except, option.Except)
	flag(cmd, &o.json, option.JSON)
	return cmd
}

func (a *app) resultsCompare(ctx context.Context, files []string, o resultsCompareOptions) error {
	if len(files) == 1 && (len(o.a) == 0 || len(o.b) == 0) {
		return usage.Errorf("such as --a scheduler=warp --b scheduler=thread", "one file needs --a and --b, which select the two sides")
	}
	var sides [2]compare.Side
	for i, where := range [][]string{o.a, o.b} {
		file := files[min(i, len(files)-1)]
		st, err := store.Open(ctx, file)
		if err != nil {
			return err
		}
		defer func() { _ = st.Close() }() // only read
		sides[i] = compare.Side{Name: strings.Join(append([]string{file}, where...), ", "), Store: st, Where: where}
	}
	r, err := compare.Runs(ctx, sides[0], sides[1], o.metrics, o.except)
	if err != nil {
		return queryError(err)
	}
	if o.json {
		return errors.Join(format.JSON(a.stdout, r), r.Err())
	}
	r.Text(a.stdout)
	return r.Err()
}

func (a *app) resultsMergeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "merge INTO FROM...",
		Short:   "Add the runs of other files that a file does not have",
		Example: "  weft results merge all.db monday.db tuesday.db",
		Args:    between("store", 2, 1000),
		RunE: func(cmd *cobra.Command, args []string) error {
			into, err := store.Create(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer func() { _ = into.Close() }() // everything is committed
			for _, file := range args[1:] {
				from, err := store.Open(cmd.Context(), file)
				if err != nil {
					return err
				}
				n, err := into.Merge(cmd.Context(), from)
				_ = from.Close() // only read
				if err != nil {
					return err
				}
				fmt.Fprintf(a.stdout, "%s: %s added\n", file, format.Thousands(n))
			}
			return nil
		},
	}
}
