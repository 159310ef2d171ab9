package ncu

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `==PROF== Connected to process 7
run     bfs by warp on hw, with a "quoted" word
"ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"
"0","7","kernels_BFSInit","Command line profiler metrics","smsp__inst_executed.sum","inst","1,234"
"0","7","kernels_BFSInit","Command line profiler metrics","gpu__time_duration.sum","ns","2,500"
"1","7","kernels_BFSWarp(unsigned int *, int)","Command line profiler metrics","smsp__inst_executed.sum","inst","10"
"1","7","kernels_BFSWarp","Command line profiler metrics","lts__t_sector_hit_rate.pct","%","91.5"
"1","7","kernels_BFSWarp","Command line profiler metrics","launch__name","","n/a"
`

func TestParse(t *testing.T) {
	l, err := Parse("x.csv", strings.NewReader(sample))
	require.NoError(t, err)
	require.Equal(t, []Launch{
		{0, "kernels_BFSInit", map[string]float64{"smsp__inst_executed.sum": 1234, "gpu__time_duration.sum": 2500}},
		{1, "kernels_BFSWarp", map[string]float64{"smsp__inst_executed.sum": 10, "lts__t_sector_hit_rate.pct": 91.5}},
	}, l)
	require.Equal(t, map[string]float64{"smsp__inst_executed.sum": 1244, "gpu__time_duration.sum": 2500}, Sum(l))
}

// table returns a CSV file of ncu with the given rows.
func table(rows ...string) string {
	return "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n" + strings.Join(rows, "\n") + "\n"
}

// TestParseAround checks that other lines are skipped wherever they are, and that the formats in which files arrive
// are accepted.
func TestParseAround(t *testing.T) {
	row := `"0","k","m.sum","inst","7"`
	want := []Launch{{0, "k", map[string]float64{"m.sum": 7}}}
	for name, text := range map[string]string{
		"quoted word behind":   table(row, `he said "hello", and "more`, `==PROF== Disconnected`),
		"quoted word before":   `a "ID", word` + "\n" + table(row),
		"a number":             table(row, `7 runs, "12",`),
		"carriage returns":     strings.ReplaceAll(table(row), "\n", "\r\n"),
		"byte order mark":      "\ufeff" + table(row),
		"of a spreadsheet":     "ID,Kernel Name,Metric Name,Metric Value\n0,k,m.sum,7\n",
		"two tables":           table(row) + table(row),
		"the same value twice": table(row, row),
		"without an end":       strings.TrimSuffix(table(row), "\n"),
		"texts":                table(row, `"0","k","device__name","","NVIDIA H200"`, `"0","k","x","","n/a"`, `"0","k","y","","nan"`, `"0","k","z","",""`),
	} {
		l, err := Parse("x.csv", strings.NewReader(text))
		require.NoError(t, err, name)
		require.Equal(t, want, l, name)
	}
}

// TestParseProcesses checks launches of two processes that have the same numbers.
func TestParseProcesses(t *testing.T) {
	l, err := Parse("x.csv", strings.NewReader("\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"\n"+
		`"0","7","a","m.sum","1"`+"\n"+`"0","8","b","m.sum","2"`+"\n"))
	require.NoError(t, err)
	require.Equal(t, []Launch{{0, "a", map[string]float64{"m.sum": 1}}, {0, "b", map[string]float64{"m.sum": 2}}}, l)
}

// TestParseUnits checks that numbers are converted to the base unit, whatever unit ncu picked.
func TestParseUnits(t *testing.T) {
	for _, c := range []struct {
		value, unit string
		want        float64
	}{
		{"2.5", "us", 2500}, {"2.5", "usecond", 2500}, {"1", "msecond", 1e6}, {"1", "second", 1e9}, {"3", "ns", 3},
		{"1.5", "Kbyte", 1500}, {"2", "Mbyte", 2e6}, {"2", "Gbyte/second", 2e9}, {"2", "byte/second", 2}, {"1.98", "cycle/nsecond", 1.98e9},
		{"3", "%", 3}, {"3", "inst/cycle", 3}, {"4", "", 4}, {"1,234,567.5", "inst", 1234567.5}, {"1e3", "inst", 1000},
	} {
		l, err := Parse("x.csv", strings.NewReader(table(fmt.Sprintf(`"0","k","m","%s","%s"`, c.unit, c.value))))
		require.NoError(t, err)
		require.InEpsilon(t, c.want, l[0].Metrics["m"], 1e-12, "%s %s", c.value, c.unit)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `x.csv: no header of ncu --csv (a line that begins with "ID",)`},
		{"nothing here", `x.csv: no header of ncu --csv (a line that begins with "ID",)`},
		{"\"ID\",\"Kernel Name\"\n", `x.csv:1: no column "Metric Name": this is not what ncu --csv --metrics ... writes (without --page raw)`},
		{"hello\n\"ID\",\"ID\"\n", `x.csv:2: column "ID" is there twice`},
		{"hello\n\"ID\",\"a \"quoted\" word\"\n", `x.csv:2: column 9: extraneous or missing " in quoted-field`},
		{table(), "x.csv: no launches"},
		{table(`"x","k","m","","1"`), "x.csv: no launches"},
		{table(`"0","a "quoted" word","m","","1"`), `x.csv:2: column 8: extraneous or missing " in quoted-field`},
		{table(`"0","k","m"`), "x.csv:2: 3 fields, the header has 5"},
		{table(`"0","k","m","","1","2"`), "x.csv:2: 6 fields, the header has 5"},
		{table(`"0","k","m","","1`), `x.csv:2: column 18: extraneous or missing " in quoted-field`},
		{table(`"99999999999999999999","k","m","","1"`), `x.csv:2: launch number "99999999999999999999" is too large`},
		{table(`"0","k","m","","1.234,5"`), `x.csv:2: value "1.234,5": numbers are to be written as 1,234.5 (LC_ALL=C ncu ...)`},
		{table(`"0","k","m","","1,23"`), `x.csv:2: value "1,23": numbers are to be written as 1,234.5 (LC_ALL=C ncu ...)`},
		{table(`"0","k","m","","1e999"`), `x.csv:2: value "1e999" is too large`},
		{table(`"0","k","m","Tbyte","1e300"`), `x.csv:2: value "1e300" is too large`},
		{table(`"0","k","m","","1"`, `"0","k","m","","2"`), "x.csv:3: launch 0 has m twice, as 1 and 2"},
		{table(`"0","k","m","","1"`, `"0","j","n","","2"`), `x.csv:3: launch 0 is of kernel "j" here and of "k" above`},
		{"\xff\xfe\"\x00I\x00", "x.csv:1: the file is UTF-16: save it as UTF-8"},
		{table() + strings.Repeat("x", maxLineBytes), "x.csv:3: the line is longer than 1048576 bytes: this is no output of ncu --csv"},
	} {
		_, err := Parse("x.csv", strings.NewReader(c.text))
		require.EqualError(t, err, c.want)
		var p *ParseError
		require.ErrorAs(t, err, &p)
	}
}

// endless returns the same bytes forever, and counts them.
type endless struct {
	text string
	n    int64
}

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = e.text[(e.n+int64(i))%int64(len(e.text))]
	}
	e.n += int64(len(b))
	return len(b), nil
}

// TestParseEndless checks that reading an endless file stops, at once if it has no lines and at the limit if it has.
func TestParseEndless(t *testing.T) {
	zeros := &endless{text: "\x00"}
	_, err := Parse("/dev/zero", zeros)
	require.EqualError(t, err, "/dev/zero:1: the line is longer than 1048576 bytes: this is no output of ncu --csv")
	require.Less(t, zeros.n, int64(4*maxLineBytes))
	lines := &endless{text: strings.Repeat("y", 999) + "\n"}
	_, err = Parse("yes", io.MultiReader(strings.NewReader(table(`"0","k","m","","1"`)), lines))
	require.EqualError(t, err, "yes: more than 256 MiB: profile fewer launches or metrics")
	require.LessOrEqual(t, lines.n, int64(MaxBytes+maxLineBytes))
}

// TestParseReadError checks that read errors are returned unchanged.
func TestParseReadError(t *testing.T) {
	broken := errors.New("the disk is gone")
	_, err := Parse("x.csv", io.MultiReader(strings.NewReader(table()), failing{broken}))
	require.ErrorIs(t, err, broken)
	require.EqualError(t, err, "x.csv: the disk is gone")
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// FuzzCSV checks that any text gives launches or an error with a place, and that launches that are written out are
// read back the same.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{sample, table(), table(`"0","a "quoted" word","m","","1"`), table(`"0","k","m","Kbyte","1,234.5"`, `"7","k ""x"" (int)","n","us","2e3"`),
		"ID,Kernel Name,Metric Name,Metric Value\n0,k,m,7\n", "\ufeff" + table(`"1","k","m","","-3"`) + table(`"1","k","m","","-3"`), "\"ID\",\"", "\xff\xfe"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		launches, err := Parse("x.csv", bytes.NewReader(text))
		if err != nil {
			var p *ParseError
			require.ErrorAs(t, err, &p)
			require.Empty(t, launches)
			require.LessOrEqual(t, p.Line, 1+bytes.Count(text, []byte("\n")))
			return
		}
		require.NotEmpty(t, launches)
		var out bytes.Buffer
		w := csv.NewWriter(&out)
		out.WriteString(`"ID","Process ID","Kernel Name","Metric Name","Metric Value"` + "\n")
		for i, l := range launches {
			for name, v := range l.Metrics {
				require.False(t, math.IsNaN(v) || math.IsInf(v, 0), name)
				fmt.Fprintf(&out, `"%d",`, l.ID)
				require.NoError(t, w.Write([]string{fmt.Sprint(i), l.Kernel, name, fmt.Sprintf("%.17g", v)}))
				w.Flush()
			}
		}
		again, err := Parse("y.csv", &out)
		require.NoError(t, err)
		require.Equal(t, launches, again)
	})
}
