package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/results"
)

// TestRecordOfStore sweeps a specification on a device that the command line names, makes a record of the runs, and compares them with
// other systems; and checks what is said of bad flags.
func TestRecordOfStore(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	graph, err := os.ReadFile("testdata/triangle.mtx")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(at("triangle.mtx"), graph, 0o666))
	require.NoError(t, os.WriteFile(at("spec.yaml"), []byte(`
doc: Small
graphs:
  three: {graph: triangle.mtx, symmetrize: true}
set: {algorithm: bfs, graph: three}
vary: {scheduler: [warp, thread]}
problems: [{name: BFS, algorithms: [bfs]}]
others: [{source: by nobody}, {problem: BFS, graph: three, system: Theirs, ms: 0.5}]
`), 0o666))
	sweep := func(more string) (stdout, stderr string, code int) {
		return command(t, strings.Fields("sweep "+at("spec.yaml")+" --graphs "+dir+" --out "+at("r.db")+" "+more)...)
	}
	stdout, stderr, code := sweep("--device sim:tiny --where scheduler=warp")
	require.Equal(t, 0, code, stderr)
	assert.Regexp(t, `(?m)^ran +1$`, stdout)
	stdout, stderr, code = sweep("--device sim:tiny --limit 1ns")
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "the time was over, and 1 runs are missing; the same command does them: weft sweep ")
	_, stderr, code = sweep("--device sim:tiny")
	require.Equal(t, 0, code, stderr)

	for range 2 { // the second time replaces the rows
		stdout, stderr, code = command(t, "results", at("r.db"), "--record", at("r.json"))
		require.Equal(t, 0, code, stderr)
		assert.Equal(t, at("r.json")+": 2 rows of "+at("r.db")+"\n", stdout)
	}
	text, err := os.ReadFile(at("r.json"))
	require.NoError(t, err)
	f, err := results.ReadRepeated(text)
	require.NoError(t, err)
	require.Len(t, f.Rows, 2)
	assert.Len(t, f.Sessions, 1)
	assert.Equal(t, results.Key{Graph: "three", Algorithm: "bfs", Scheduler: "thread"}, f.Rows[1].Key)

	stdout, stderr, code = command(t, "results", at("r.db"), "--others", at("spec.yaml"))
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "# Small\n")
	assert.Contains(t, stdout, "- 2 rows on sim:tiny, ")
	assert.Contains(t, stdout, "| Theirs 0.5 |")
	_, stderr, code = command(t, "results", at("r.json"), "--others", at("spec.yaml"), "--out", at("page.md"))
	require.Equal(t, 0, code, stderr)
	page, err := os.ReadFile(at("page.md"))
	require.NoError(t, err)
	assert.Equal(t, stdout, string(page), "a record says the same as its store")

	require.NoError(t, os.WriteFile(at("bad.json"), []byte("{"), 0o666))
	require.NoError(t, os.WriteFile(at("plain.yaml"), []byte("set: {algorithm: bfs}\n"), 0o666))
	for _, c := range []struct {
		line, want string
		code       int
	}{
		{"sweep @spec.yaml --device sim:tiny --device func", "--device: a specification runs on one device that the command line names, not on 2", exitUsage},
		{"sweep @spec.yaml --device tiny", `unknown device "tiny"`, exitUsage},
		{"sweep @spec.yaml --where speed=1", "--where: no setting of spec is called speed", exitUsage},
		{"sweep @spec.yaml --where scheduler=block", `--where: "scheduler=block" holds for no point of spec`, exitUsage},
		{"sweep @spec.yaml --where scheduler", `--where: "scheduler" is not NAME OPERATOR VALUE`, exitUsage},
		{"sweep @spec.yaml --limit -1s", "--limit: -1s is negative", exitUsage},
		{"sweep @spec.yaml --limit 1s --engine slurm", "--limit ends a sweep on this machine, and --engine slurm runs it on others", exitUsage},
		{"sweep bfs --where algorithm=sssp", `--where: "algorithm=sssp" holds for no point of bfs`, exitUsage},
		{"results @r.db --record @bad.json", "--record: @bad.json is not a record: unexpected end of JSON input", exitWrong},
		{"results @r.db --record @r.db", "--record: @r.db is not a record: ", exitWrong},
		{"results @r.db --record @x.json --where algorithm=sssp", "--record: no run of @r.db is one of an algorithm that the conditions select", exitWrong},
		{"results @r.db --record @x.json --where speed=1", `unknown column, setting or metric "speed"`, exitUsage},
		{"results @r.db --record @x.json --names", "--sql, --names, --run, --record and --others are different questions", exitUsage},
		{"results @r.db --record @x.json --out @y", "--record names the file that is written, and so does --out", exitUsage},
		{"results @r.db --record @x.json --limit 3", "--columns, --order, --limit and --format do not go with --record and --others", exitUsage},
		{"results @bad.json --others @spec.yaml", "@bad.json is not a record: ", exitWrong},
		{"results @none.json --others @spec.yaml", "stat @none.json: no such file or directory", exitWrong},
		{"results @r.json --others @spec.yaml --where algorithm=bfs", "--where selects runs of a store, and @r.json is a record", exitUsage},
		{"results @r.db --others @plain.yaml", "@plain.yaml: has no problems:, and so nothing to compare", exitUsage},
		{"results @r.db --others @spec.yaml --out @spec.yaml", "--out: @spec.yaml is", exitUsage},
		{"record study @spec.yaml", "weft sweep replaces weft record study", exitUsage},
	} {
		resolve := func(s string) string { return strings.ReplaceAll(s, "@", dir+string(filepath.Separator)) }
		_, stderr, code := command(t, strings.Fields(resolve(c.line))...)
		assert.Equal(t, c.code, code, c.line)
		assert.Contains(t, stderr, "weft: "+resolve(c.want), c.line)
	}
}
