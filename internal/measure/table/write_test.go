package table_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/table"
)

func sample() *table.Table {
	return &table.Table{
		Columns: []table.Column{{Name: "scheduler"}, {Name: "cycles", Unit: "cycle", Meaning: "duration"}, {Name: "share", Unit: "%"}, {Name: "n"}},
		Rows:    [][]any{{"warp, \"fast\"", 1234.0, 0.5, int64(3)}, {"thread", nil, math.NaN(), int64(-1)}},
	}
}

func TestText(t *testing.T) {
	var b strings.Builder
	require.NoError(t, sample().Write(&b, "text"))
	require.Equal(t, "scheduler     cycles  share   n\n               cycle      %\nwarp, \"fast\"   1,234    0.5   3\nthread                    -  -1\n", b.String())
}

func TestCSV(t *testing.T) {
	var b strings.Builder
	require.NoError(t, sample().Write(&b, "csv"))
	require.Equal(t, "scheduler,cycles,share,n\n\"warp, \"\"fast\"\"\",1234,0.5,3\nthread,,NaN,-1\n", b.String())
}

func TestJSON(t *testing.T) {
	var b strings.Builder
	require.NoError(t, sample().Write(&b, "json"))
	require.JSONEq(t, `{"columns": [{"name": "scheduler"}, {"name": "cycles", "unit": "cycle", "meaning": "duration"}, {"name": "share", "unit": "%"}, {"name": "n"}],
		"rows": [{"scheduler": "warp, \"fast\"", "cycles": 1234, "share": 0.5, "n": 3}, {"scheduler": "thread", "cycles": null, "share": null, "n": -1}]}`, b.String())
}

func TestParquet(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, sample().Write(&b, "parquet"))
	r := parquet.NewReader(bytes.NewReader(b.Bytes()))
	var got []map[string]any
	for {
		row := map[string]any{}
		err := r.Read(&row)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		got = append(got, row)
	}
	require.Len(t, got, 2)
	require.Equal(t, map[string]any{"scheduler": "warp, \"fast\"", "cycles": 1234.0, "share": 0.5, "n": int64(3)}, got[0])
	require.Nil(t, got[1]["cycles"])
	require.Equal(t, int64(-1), got[1]["n"])
	twice := &table.Table{Columns: []table.Column{{Name: "a"}, {Name: "a"}}}
	require.EqualError(t, twice.Write(io.Discard, "parquet"), `table: two columns are called "a"; Parquet needs different names`)
	require.EqualError(t, twice.Write(io.Discard, "xml"), `table: unknown format "xml"`)
}

// TestFormulas checks that no text of a CSV file is a formula, and that numbers stay numbers.
func TestFormulas(t *testing.T) {
	t1 := &table.Table{Columns: []table.Column{{Name: "=cmd"}, {Name: "b"}}, Rows: [][]any{
		{"=1+2", "+1-2"}, {"-1.5", "+2e-3"}, {"@SUM(A1)", "-a"}, {"\t=1", "\r=1"}, {-1.5, int64(-3)}, {"a=b", "-"}, {".5", "-.5"}, {math.Inf(-1), "-Inf"}, {nil, ""},
	}}
	var b bytes.Buffer
	require.NoError(t, t1.CSV(&b))
	assert.Equal(t, "'=cmd,b\n'=1+2,'+1-2\n-1.5,+2e-3\n'@SUM(A1),'-a\n'\t=1,\"'\r=1\"\n-1.5,-3\na=b,'-\n.5,-.5\n-Inf,'-Inf\n,\n", b.String())
}
