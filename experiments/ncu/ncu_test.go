package ncu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `==PROF== Connected to process 7
run     bfs by warp on hw, with a "quoted" word
"ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"
"0","7","kernels_BFSInit","Command line profiler metrics","smsp__inst_executed.sum","inst","1,234"
"0","7","kernels_BFSInit","Command line profiler metrics","gpu__time_duration.sum","ns","2,500"
"1","7","kernels_BFSWarp","Command line profiler metrics","smsp__inst_executed.sum","inst","10"
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

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"nothing here", `x.csv: no header of ncu --csv (a line that begins with "ID",)`},
		{"\"ID\",\"Kernel Name\"\n", `x.csv:1: no column "Metric Name"`},
		{"hello\n\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"\n\"x\",\"k\",\"m\",\"1\"\n", `x.csv:3: launch number "x"`},
		{"\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"\n", "x.csv: no launches"},
	} {
		_, err := Parse("x.csv", strings.NewReader(c.text))
		require.EqualError(t, err, c.want)
	}
}
