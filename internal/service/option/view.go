package option

// These options say what a picture, a page or a table of results shows.
var (
	Out = declare(Option{
		Name: "out", Kind: Text, Value: "FILE",
		Help: "file, or with --spec folder; the default is a name made of what is drawn, in the current folder",
		Own: map[string]Form{
			"calibrate": {Help: "write the machine to this file, for --device sim:FILE"},
			"record":    {Value: "FOLDER", Default: "record", Help: "folder to write to"},
			"report":    {Short: "o", Help: "write the page to this file; the default is the name of STORE with .html, in the current folder"},
			"results":   {Help: "write to this file"},
			"sweep":     {Help: "file of results; the default is the name of the study with .db, in the current folder"},
		},
	})

	Title = declare(Option{
		Name: "title", Kind: Text, Key: "title", Value: "TEXT",
		Help: "title of the picture",
		Own: map[string]Form{
			"report": {Help: "title of the page; the default is the names of the studies"},
		},
	})

	Where = declare(Option{
		Name: "where", Kind: Each, Key: "where", Value: "CONDITION",
		Help: "select runs: NAME=VALUE, also != < <= > >= and ~ for a part or a pattern; may be repeated",
	})

	Spec = declare(Option{
		Name: "spec", Kind: Text, Value: "FILE",
		Help: "draw the plots: of this specification",
	})

	Specs = declare(Option{
		Name: "spec", Kind: Each, Value: "FILE",
		Help: "take this specification instead of the one of its name in STORE; may be repeated",
	})

	AnnotateRuns = declare(Option{
		Name: "annotate", Kind: List, Value: "RUN,...",
		Help: "show the source of these runs with costs: ids, slowest, or each-algorithm for the slowest of each",
	})

	PictureFormats = declare(Option{
		Name: "format", Kind: List, Value: "FORMAT,...",
		Help: "png, svg, pdf; several may be given; the default is that of --out's name, or svg",
	})

	TableFormat = declare(Option{
		Name: "format", Kind: Text, Value: "FORMAT",
		Help: "text, csv, json or parquet; the default is that of --out's name, or text",
	})

	Columns = declare(Option{
		Name: "columns", Kind: List, Value: "NAME,...",
		Help: "columns, settings and metrics to print",
	})

	OrderBy = declare(Option{
		Name: "order", Kind: List, Value: "NAME,...",
		Help: "columns to sort by; -NAME for large values first",
	})

	RowCount = declare(Option{
		Name: "limit", Kind: Whole, Limits: atLeast(0), Value: "N",
		Help: "number of rows; 0 for all",
	})

	SQL = declare(Option{
		Name: "sql", Kind: Text, Value: "QUERY",
		Help: "run this query instead: SELECT, WITH, VALUES or EXPLAIN; it cannot change anything",
	})

	Names = declare(Option{
		Name: "names", Kind: Switch,
		Help: "list the names of columns, settings and metrics, with unit and meaning",
	})

	RunID = declare(Option{
		Name: "run", Kind: Whole, Limits: atLeast(1), Value: "ID",
		Help: "print everything about one run, by its id",
	})

	Attachment = declare(Option{
		Name: "attachment", Kind: Text, Value: "KIND",
		Help: "with --run: print what was kept with the run: result, hang, ...",
	})

	PictureKind = declare(Option{
		Name: "kind", Kind: Text, Key: "kind", Value: "KIND",
		Help: "%s",
	})

	X = declare(Option{
		Name: "x", Kind: List, Key: "x", Value: "NAME,...",
		Help: "what the horizontal axis shows",
	})

	Y = declare(Option{
		Name: "y", Kind: List, Key: "y", Value: "NAME,...",
		Help: "metrics of the vertical axis; of a heat map: the setting",
	})

	HeatValue = declare(Option{
		Name: "value", Kind: Text, Key: "value", Value: "METRIC",
		Help: "of a heat map: the metric",
	})

	A = declare(Option{
		Name: "a", Kind: Each, Key: "a", Value: "CONDITION",
		Help: "of a correlation: select the runs on the horizontal axis, NAME=VALUE; may be repeated",
		Own: map[string]Form{
			"compare": {Help: "select the runs of A: NAME=VALUE; may be repeated"},
		},
	})

	B = declare(Option{
		Name: "b", Kind: Each, Key: "b", Value: "CONDITION",
		Help: "of a correlation: select the runs on the vertical axis, NAME=VALUE; may be repeated",
		Own: map[string]Form{
			"compare": {Help: "select the runs of B: NAME=VALUE; may be repeated"},
		},
	})

	RecordOfGPU = declare(Option{
		Name: "record", Kind: Text, Key: "record", Value: "GPU",
		Help: `of a correlation, instead of --a: times recorded on a GPU, such as h200, or a file of "weft results --record"`,
	})

	Series = declare(Option{
		Name: "series", Kind: List, Key: "series", Value: "NAME,...",
		Help: "a line or color for each of its values",
	})

	Facet = declare(Option{
		Name: "facet", Kind: List, Key: "facet", Value: "NAME,...",
		Help: "a panel for each of its values",
	})

	LogX = declare(Option{
		Name: "logx", Kind: Switch, Key: "logx",
		Help: "a logarithmic horizontal axis",
	})

	LogY = declare(Option{
		Name: "logy", Kind: Switch, Key: "logy",
		Help: "a logarithmic vertical axis",
	})

	Baseline = declare(Option{
		Name: "baseline", Kind: Each, Key: "baseline", Value: "CONDITION",
		Help: "compare with the runs that have NAME=VALUE; may be repeated",
	})

	Ratio = declare(Option{
		Name: "ratio", Kind: Text, Key: "ratio", Value: "WHICH",
		Help: "with --baseline: speedup, which is baseline/value and the default, or relative, value/baseline",
	})

	Reduce = declare(Option{
		Name: "reduce", Kind: Text, Key: "reduce", Value: "HOW",
		Help: "what to draw of several runs: %s; the default is median, and geomean with --baseline",
	})

	Spread = declare(Option{
		Name: "spread", Kind: Text, Key: "spread", Value: "HOW",
		Help: "how to show several runs: range, which is the default, quartiles or none",
	})

	XLabel = declare(Option{
		Name: "xlabel", Kind: Text, Key: "xlabel", Value: "TEXT",
		Help: "label of the horizontal axis, instead of the name",
	})

	YLabel = declare(Option{
		Name: "ylabel", Kind: Text, Key: "ylabel", Value: "TEXT",
		Help: "label of the vertical axis, instead of the name and unit",
	})

	Width = declare(Option{
		Name: "width", Kind: Text, Key: "width", Value: "CM",
		Help: "width in cm",
	})

	Height = declare(Option{
		Name: "height", Kind: Text, Key: "height", Value: "CM",
		Help: "height in cm",
	})
)
