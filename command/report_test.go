package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/results/store"
)

func TestReport(t *testing.T) {
	t.Chdir(t.TempDir())
	swept(t)
	stdout, stderr, code := command(t, "report", "study.db")
	require.Equal(t, exitRight, code, stderr)
	require.Equal(t, "study.html: 4 runs\n", stdout)
	plain, err := os.ReadFile("study.html")
	require.NoError(t, err)
	require.Regexp(t, `"changed":\[\{"name":"l2.latency","value":"[12]00","preset":"\d+"\}\]`, string(plain)[strings.Index(string(plain), `"machines":`):][:1000], "parameters that differ from the preset")

	for _, file := range []string{"a.html", "b.html"} {
		_, stderr, code = command(t, "report", "study.db", "-o", file, "--title", "A <title>", "--where", "scheduler=warp", "--annotate", "each-algorithm,1")
		require.Equal(t, exitRight, code, stderr)
	}
	a, err := os.ReadFile("a.html")
	require.NoError(t, err)
	require.True(t, strings.Contains(string(a), "<title>A &lt;title&gt;</title>"))
	require.True(t, strings.Contains(string(a), `"source":[{"file":"kernels/bfs.go","parts":[{"first":`), "source of the kernel that ran again")
	b, err := os.ReadFile("b.html")
	require.NoError(t, err)
	require.True(t, bytes.Equal(a, b), "the same store gives the same bytes")
}

func TestReportRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	swept(t)
	st, err := store.Create(t.Context(), "empty.db")
	require.NoError(t, err)
	require.NoError(t, st.Close())
	require.NoError(t, os.WriteFile("text.db", []byte("this is not a database, although it is long enough to have the head of one"), 0o644))
	require.NoError(t, os.Mkdir("folder", 0o755))
	_, stderr, code := command(t, "sweep", "bfs", "--device", "func", "--graph", "rmat:scale=5,degree=4,seed=1", "--out", "func.db")
	require.Equal(t, exitRight, code, stderr)
	for line, want := range map[string]string{
		"report":          "weft: weft report needs STORE\n  usage: weft report STORE [flags]\n",
		"report none.db":  "weft: stat none.db: no such file or directory\n  \"weft sweep --help\" explains how to make one\n",
		"report text.db":  "weft: results in text.db: file is not a database (26)\n  \"weft sweep --help\" explains how to make one\n",
		"report empty.db": "weft: there are no runs in empty.db\n  \"weft sweep\" adds them\n",
		"report study.db --where scheduler=block": "weft: --where: no run of study.db fulfils the conditions\n  \"weft results STORE --where ...\" shows what conditions select\n",
		"report study.db --where scheduller=warp": "weft: unknown column, setting or metric \"scheduller\"\n  did you mean scheduler?\n  \"weft results STORE --names\" lists all\n",
		"report study.db --annotate 99":           "weft: --annotate: there is no run 99 among those of the page\n  \"weft results STORE\" lists the runs\n",
		"report study.db --annotate fastest":      "weft: --annotate: \"fastest\" is not the id of a run, slowest or each-algorithm\n  \"weft results STORE\" lists the runs\n",
		"report func.db --annotate slowest":       "weft: --annotate: no run on a simulated machine ended well\n  \"weft results STORE\" lists the runs\n",
		"report study.db -o study.db":             "weft: --out: study.db is the store that is read, too\n  name another file\n",
		"report study.db -o none/report.html":     "weft: --out: cannot write none/report.html: no such file or directory\n",
		"report study.db -o folder":               "weft: --out: cannot write folder: it is a directory\n",
		"report study.db --out":                   "weft: flag needs an argument: --out\n  \"weft report --help\" explains the flags\n",
	} {
		_, stderr, code := command(t, strings.Fields(line)...)
		assert.NotEqual(t, exitRight, code, line)
		assert.Equal(t, want, stderr, line)
	}
	left, err := filepath.Glob("*.html")
	require.NoError(t, err)
	require.Empty(t, left, "a page that could not be made leaves no file")
}
