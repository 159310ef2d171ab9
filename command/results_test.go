package command

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// swept makes study.db, with two schedulers and two latencies, in the current folder.
func swept(t *testing.T) {
	_, stderr, code := command(t, "sweep", "bfs", "--device", "sim:tiny", "--graph", "rmat:scale=5,degree=4,seed=1", "--scheduler", "warp,thread", "--set", "l2.latency=100,200", "--out", "study.db")
	require.Equal(t, exitRight, code, stderr)
}

func TestResults(t *testing.T) {
	t.Chdir(t.TempDir())
	swept(t)
	for line, want := range map[string]string{
		"results study.db --columns scheduler,l2.latency --order scheduler,-l2.latency":                           "scheduler  l2.latency\nthread            200\nthread            100\nwarp              200\nwarp              100\n",
		"results study.db --columns l2.latency,status --where scheduler=warp --where l2.latency>100 --format csv": "l2.latency,status\n200,ok\n",
		"results study.db --run 1 --attachment result | first":                                                    "{\"command\":\"weft run bfs --scheduler ",
	} {
		line, part := strings.CutSuffix(line, " | first")
		stdout, stderr, code := command(t, strings.Fields(line)...)
		require.Equal(t, exitRight, code, stderr)
		if part {
			stdout = stdout[:len(want)]
		}
		assert.Equal(t, want, stdout, line)
	}
	stdout, stderr, code := command(t, "results", "study.db", "--sql", "SELECT scheduler, count(*) AS n FROM runs GROUP BY 1", "--format", "json")
	require.Equal(t, exitRight, code, stderr)
	assert.JSONEq(t, `{"columns": [{"name": "scheduler"}, {"name": "n"}], "rows": [{"scheduler": "thread", "n": 2}, {"scheduler": "warp", "n": 2}]}`, stdout)
	stdout, stderr, code = command(t, "results", "study.db", "--names")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^smsp__inst_executed.sum +metric +inst +\S`, stdout)
	stdout, stderr, code = command(t, "results", "study.db", "--run", "1")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^again +weft run bfs --scheduler`, stdout)
	_, stderr, code = command(t, "results", "study.db", "--out", "study.parquet")
	require.Equal(t, exitRight, code, stderr)
	data, err := os.ReadFile("study.parquet")
	require.NoError(t, err)
	assert.Equal(t, "PAR1", string(data[:4]))
}

func TestResultsCompare(t *testing.T) {
	t.Chdir(t.TempDir())
	swept(t)
	stdout, stderr, code := command(t, "results", "compare", "study.db", "--a", "l2.latency=100", "--b", "l2.latency=200", "--metric", "cycles")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `^A  study.db, l2.latency=100\nB  study.db, l2.latency=200\n\n(?s:.*)scheduler=thread  cycles +[\d,]+ +[\d,]+  1\.\d{3}  \+\d`, stdout)
	assert.Regexp(t, `geometric mean of B/A, cycles, 2 points: 1\.\d{3}\n$`, stdout)
	stdout, stderr, code = command(t, "results", "merge", "all.db", "study.db")
	require.Equal(t, exitRight, code, stderr)
	assert.Equal(t, "study.db: 4 added\n", stdout)
	stdout, stderr, code = command(t, "results", "compare", "all.db", "study.db", "--metric", "cycles,seconds", "--json")
	require.Equal(t, exitRight, code, stderr)
	assert.NotContains(t, stdout, `"real": true`)
	assert.Equal(t, 8, strings.Count(stdout, `"ratio": 1,`))
}

func TestResultsRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	swept(t)
	for line, want := range map[string]string{
		"results none.db":                            "weft: stat none.db: no such file or directory\n  \"weft sweep --help\" explains how to make one\n",
		"results study.db --where cycels=3":          "weft: unknown column, setting or metric \"cycels\"\n  did you mean cycles?\n  \"weft results STORE --names\" lists all\n",
		"results study.db --where cycles":            "weft: --where: condition \"cycles\" is not NAME=VALUE; the operators are = != < <= > >= ~\n",
		"results study.db --names --run 1":           "weft: --sql, --names, --run, --record and --others are different questions\n  use one of them\n",
		"results study.db --run 1 --limit 3":         "weft: --where, --columns, --order and --limit do not go with --sql, --names and --run\n",
		"results study.db --run 99":                  "weft: there is no run 99 in study.db\n",
		"results study.db --run 0":                   "weft: --run: 0 is not at least 1\n",
		"results study.db --run 1 --attachment hang": "weft: unknown attachment \"hang\"\n  there is: result\n",
		"results study.db --attachment hang":         "weft: --attachment goes with --run only\n  such as --run 17 --attachment hang\n",
		"results study.db --format xml":              "weft: unknown format \"xml\"\n  there are: csv, json, parquet, text\n",
		"results study.db --out study.xlsx":          "weft: --out: the name of study.xlsx does not say a format\n  name it .txt, .csv, .json, .parquet, or use --format\n",
		"results compare study.db --a l2.latency=100 --b l2.latency=200 --except grahp": "weft: unknown column, setting or metric \"grahp\"\n  did you mean graph?\n  \"weft results STORE --names\" lists all\n",
		"results study.db --limit -1":                 "weft: --limit: -1 is not at least 0\n",
		"results compare study.db --a scheduler=warp": "weft: one file needs --a and --b, which select the two sides\n  such as --a scheduler=warp --b scheduler=thread\n",
		"results study.db --sql SELEC":                "weft: --sql: a query begins with SELECT, WITH, VALUES or EXPLAIN, and this one with \"SELEC\"\n  docs/results.md has the tables\n",
		"results study.db --sql SELECT":               "weft: --sql: SQL logic error: incomplete input (1)\n  docs/results.md has the tables\n",
	} {
		_, stderr, code := command(t, strings.Fields(line)...)
		assert.NotEqual(t, exitRight, code, line)
		assert.Equal(t, want, stderr, line)
	}
}

// TestResultsInterrupted ends a query that does not end by itself, as Ctrl-C does.
func TestResultsInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	swept(t)
	p := newProcess(t, "results", "study.db", "--sql", "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT sum(x) FROM c")
	require.NoError(t, p.Start())
	time.Sleep(time.Second) // until the query runs; earlier it is interrupted as well
	require.NoError(t, p.Process.Signal(syscall.SIGINT))
	assert.Equal(t, exitInterrupt, p.ended(t))
	assert.Equal(t, "weft: interrupted\n", p.err.String())
}

// TestSweepPlanted sweeps into a folder where others have put links with the names of files that a sweep could write.
func TestSweepPlanted(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("treasure", []byte("gold"), 0o666))
	for _, ending := range []string{".lock", ".new", ".tmp"} {
		require.NoError(t, os.Symlink("treasure", "study.db"+ending))
	}
	swept(t)
	text, err := os.ReadFile("treasure")
	require.NoError(t, err)
	assert.Equal(t, "gold", string(text))
	names, err := os.ReadDir(".")
	require.NoError(t, err)
	assert.Len(t, names, 5, "the store, the three links and what they lead to")
}
