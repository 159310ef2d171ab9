package comparison

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/internal/measure/microbench"
	"github.com/weft-gpu/weft/results"
)

// TestCompareMicroRows checks that each row has its error, or the reason why it
// has none, and that the rows that do not count are counted.
func TestCompareMicroRows(t *testing.T) {
	values := []micro.Value{
		{Group: "launch", Name: "empty kernel", Unit: "us", Median: 3},
		{Group: "launch", Name: "short kernel", Unit: "ms", Median: 0.003},
		{Group: "g", Name: "new", Unit: "cycle", Median: 5},
		{Group: "g", Name: "bad", Unit: "cycle", Error: "no room"},
		{Group: "g", Name: "bad there", Unit: "cycle", Median: 4},
		{Group: "g", Name: "good", Unit: "cycle", Median: 12},
	}
	record := []results.Micro{
		{Group: "launch", Name: "empty kernel", Median: 3}, {Group: "launch", Name: "short kernel", Median: 0.006}, {Group: "g", Name: "bad", Median: 1},
		{Group: "g", Name: "bad there", Error: "lost"}, {Group: "g", Name: "good", Median: 10}, {Group: "g", Name: "gone", Median: 1},
	}
	table := Table{Device: "sim:x", With: "record of x", Micro: besideRecord(values, record), LeftOut: []string{"g: long"}}
	compare.MarkConstant(table.Micro, "launch.rate", 3e-6)
	table.Summary, table.Constants = compare.SummarizeMicro(table.Micro)
	var out bytes.Buffer
	table.Text(&out)
	text := out.String()
	assert.Regexp(t, `(?m)^g +new +5 +- +cycle +not recorded$`, text)
	assert.Regexp(t, `(?m)^g +bad +0 +1 +cycle +failed: no room$`, text)
	assert.Regexp(t, `(?m)^g +bad there +4 +- +cycle +failed when it was recorded: lost$`, text)
	assert.Regexp(t, `(?m)^g +good +12 +10 +cycle +\+20.0%$`, text)
	assert.Contains(t, text, "\n7 rows; 3 without an error, see there; 2 are launch.rate on the simulated machine and count as one; 1 left out by --light:\n  g: long\n")
	assert.Contains(t, text, "\n2 compared: error 26.7% in the mean") // 20% and 3 against 4.5
	assert.Equal(t, []string{"g: gone"}, goneRows(microbench.Single, record)[len(goneRows(microbench.Single, record))-1:])

	out.Reset()
	require.NoError(t, format.JSON(&out, table))
	assert.Contains(t, out.String(), `"note": "not recorded"`)
	assert.Contains(t, out.String(), `"left_out": [`)
	assert.Contains(t, out.String(), `"error": null`)
}

// TestReadMicro compares a device with the table of a file.
func TestReadMicro(t *testing.T) {
	file := filepath.Join(t.TempDir(), "links.json")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	write(`{"device": "hw:0,1", "rows": [{"group": "g", "name": "n", "unit": "us", "median": 2}]}`)
	name, rows, err := readMicro(t.Context(), file)
	require.NoError(t, err)
	assert.Equal(t, "hw:0,1 in links.json", name)
	assert.Equal(t, []results.Micro{{Group: "g", Name: "n", Unit: "us", Median: 2}}, rows)
	for _, bad := range []string{"", "{}", "[1]", `{"rows": []}`} {
		write(bad)
		_, _, err = readMicro(t.Context(), file)
		assert.EqualError(t, err, file+": is no table of weft micro --json")
	}
	_, _, err = readMicro(t.Context(), "gone.json")
	assert.EqualError(t, err, "gone.json: no such file or directory")
}

// TestMicroRecord checks that the comparison covers everything that was
// recorded, and that every row without a record is known.
func TestMicroRecord(t *testing.T) {
	h, err := results.Load("h200")
	require.NoError(t, err)
	assert.Empty(t, goneRows(microbench.Single, h.Micro))
	rows, err := microbench.Rows("", true)
	require.NoError(t, err)
	var values []micro.Value
	for _, r := range rows {
		values = append(values, micro.Value{Group: r.Group, Name: r.Name, Median: 1})
	}
	for _, r := range besideRecord(values, h.Micro) {
		if r.Note != "" {
			assert.Contains(t, r.Name, "store of another warp, Sync and device fence", r.Note)
		}
	}
	light, err := microbench.Rows("", false)
	require.NoError(t, err)
	assert.Len(t, microbench.Single.LeftOut("", false), len(rows)-len(light))
	assert.Empty(t, microbench.Single.LeftOut("", true))
}
