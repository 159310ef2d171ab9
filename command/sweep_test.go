package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// TestSweep runs a small study by flags, and again.
func TestSweep(t *testing.T) {
	t.Chdir(t.TempDir())
	line := []string{"sweep", "bfs", "--device", "sim:tiny", "--graph", "rmat:scale=5,degree=4,seed=1", "--scheduler", "warp,thread", "--set", "l2.latency=100:300:100,sm.count=1,2", "--json"}
	var r sweepReport
	for _, ran := range []int{12, 0} {
		stdout, stderr, code := command(t, line...)
		require.Equal(t, exitRight, code, stderr)
		r = sweepReport{}
		require.NoError(t, json.Unmarshal([]byte(stdout), &r))
		assert.Equal(t, "bfs.db", r.Out)
		assert.Equal(t, 12, r.Points)
		assert.Equal(t, ran, r.Missing)
		assert.Equal(t, ran, r.Ran)
	}
	st, err := store.Open(t.Context(), "bfs.db")
	require.NoError(t, err)
	defer st.Close()
	got, err := st.SQL(t.Context(), "SELECT count(*) FROM measured WHERE metric = 'cycles'")
	require.NoError(t, err)
	assert.Equal(t, int64(12), got.Rows[0][0])
}

func TestSweepSpec(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("study.yaml", []byte("set: {device: func, graph: 'grid:width=4'}\nvary: {algorithm: [bfs, pagerank], scheduler: [warp, union-find]}\n"), 0o644))
	stdout, stderr, code := command(t, "sweep", "study.yaml", "--dry-run")
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "points       4\n  algorithm  bfs, pagerank\n  scheduler  warp, union-find\nruns         4\nmissing      4\n")
	assert.Contains(t, stdout, "1 refused: scheduler \"union-find\" does not run bfs: ")
	assert.NoFileExists(t, "study.db")
	stdout, stderr, code = command(t, "sweep", "study.yaml", "--out", filepath.Join("deep", "r.db"))
	require.Equal(t, exitWrong, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "weft: ")
	stdout, stderr, code = command(t, "sweep", "study.yaml", "-j", "1")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^ran +4\n  failed +2$`, stdout)
	assert.Contains(t, stdout, "results   study.db\n1 failed: scheduler \"union-find\" does not run bfs: ")
	stdout, stderr, code = command(t, "results", "study.db", "--where", "scheduler=union-find")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^status  algorithm  scheduler   error *\nfailed  bfs        union-find  scheduler "union-find" does not run bfs: `, stdout)
}

// TestSweepKernel launches a kernel of a folder with arguments that are wrong, and with points that the seed does not tell
// apart.
func TestSweepKernel(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("mine", 0o755))
	require.NoError(t, os.WriteFile("mine/mine.go", []byte("package mine\n\nimport \"github.com/weft-gpu/weft/gpu\"\n\nfunc Twice(t gpu.Thread, x []uint32) { x[t.Global()] *= 2 }\n"), 0o644))
	for text, want := range map[string]string{
		"set: {kernel: ./mine.Twice, grid: 1}":                                       "s.yaml:1:15: kernel ./mine.Twice needs block, such as block: 256\n",
		"set: {kernel: ./mine.Twice, block: 32}":                                     "s.yaml:1:15: kernel ./mine.Twice needs grid, such as grid: 64\n",
		"set: {kernel: ./mine.Twice, arg.x: 'iota:9'}":                               "s.yaml:1:15: kernel ./mine.Twice needs grid and block, such as grid: 64 and block: 256\n",
		"set: {kernel: ./mine.Twise, grid: 1, block: 32}":                            "s.yaml:1:15: unknown kernel of ./mine \"Twise\"; did you mean Twice?\n  there is: Twice\n",
		"set: {kernel: ./mine.Twice, grid: 1, block: 32, arg.y: 'iota:9'}":           "s.yaml:1:56: arg.y: unknown parameter \"y\" of kernel ./mine.Twice; did you mean x?\n  there is: x\n",
		"set: {kernel: ./mine.Twice, grid: 1, block: 32, arg.x: 'iota:n'}":           "s.yaml:1:56: arg.x: \"n\" is not a parameter of kernel ./mine.Twice; did you mean x?\n",
		"set: {kernel: ./mine.Twice, grid: 1}\nvary: {blok: 32, device: sim:tinny}":  "s.yaml:2:14: unknown setting \"blok\"; did you mean block?\n\ts.yaml:2:26: unknown device \"sim:tinny\"; did you mean sim:tiny?\n  docs/studies.md explains specifications\n",
		"set: {kernel: ./mine.Twice, grid: 1, scheduler: wrap}\nwhere: graph = demo": "s.yaml:1:49: unknown scheduler \"wrap\"; did you mean warp?\n\ts.yaml:2:8: where: no setting is called graph\n  docs/studies.md explains specifications\n",
		"set: {kernel: ./mine.Twice, grid: 1, block: 32, bind.x: 1}\n":               "s.yaml:1:57: bind.x: x is a slice, and only numbers and bools can be constants\n  write arg.x: zeros:1024\n",
		"set: {kernel: ./mine.Twice, grid: 1, block: 32}\n":                          "s.yaml:1:15: kernel ./mine.Twice needs an argument for x []uint32\n  such as arg.x: zeros:1024\n",
	} {
		require.NoError(t, os.WriteFile("s.yaml", []byte(text), 0o644))
		_, stderr, code := command(t, "sweep", "s.yaml", "--dry-run")
		assert.Equal(t, exitUsage, code, text)
		assert.Equal(t, "weft: "+want, stderr, text)
	}
	require.NoError(t, os.WriteFile("s.yaml", []byte("set: {algorithm: bfs, device: func, graph: 'grid:width=4'}\nruns: [{set: {source: 1}}, {vary: {seed: 1:9:1}}]\n"), 0o644))
	stdout, stderr, code := command(t, "sweep", "s.yaml", "--dry-run")
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "points    10\n  source  1; not in all points\n  seed    1, 2, 3, 4, 5, 6, 7, ... 9 (9 values); not in all points\nruns      10\n")
	line := []string{"sweep", "./mine.Twice", "--device", "sim:tiny", "--vary", "grid=1,2", "--vary", "block=32,8x4", "--vary", "seed=1:3:1", "--vary", "arg.x=iota:32", "--out", "r.db"}
	stdout, stderr, code = command(t, append(line, "--dry-run")...)
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "points   12\n  grid   1, 2\n  block  32, 8x4\n  seed   1, 2, 3\nruns     12\nsame     8: nothing in them depends on what tells them from another point, such as a seed\nmissing  4\n")
	stdout, stderr, code = command(t, append(line, "-j", "1")...)
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `(?m)^there +0\nran +4\n  failed +1$`, stdout)
	assert.Regexp(t, `(?m)^1 failed: kernel mine.Twice: mine/mine.go:5:41: index 32 out of range of x with length 32 \(block 1, thread 0\)$`, stdout)
	stdout, stderr, code = command(t, "results", "r.db", "--where", "status=ok")
	require.Equal(t, exitRight, code, stderr)
	assert.Regexp(t, `^status  block  grid  cycles  kernel_seconds *\n(.*\n)ok      8x4`, stdout)
	assert.NotContains(t, stdout, "algorithm")
	for condition, want := range map[string]string{"block=32": "32\n", "block=8": "", "block=8x4": "8x4\n8x4\n", "grid<2": "8x4\n32\n", "block!=32": "8x4\n8x4\n"} {
		stdout, stderr, code = command(t, "results", "r.db", "--where", "status=ok", "--where", condition, "--columns", "block", "--order", "block", "--format", "csv")
		require.Equal(t, exitRight, code, stderr)
		assert.Equal(t, "block\n"+want, stdout, condition)
	}
	_, stderr, _ = command(t, "results", "r.db", "--where", "grid=3", "--where", "status=ok")
	assert.Equal(t, "no run of r.db fulfils grid=3 and status=ok\n", stderr)
}

func TestSweepRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("PATH", t.TempDir()) // without Slurm
	require.NoError(t, os.WriteFile("bad.yaml", []byte("vary: {algorithm: [bfs, bsf]}\nset: {l2.latncy: 3}\n"), 0o644))
	require.NoError(t, os.WriteFile("graphs.yaml", []byte("vary: {seed: [1, 2], graph: [a.mtx, b.mtx, ./c.mtx]}\nset: {algorithm: bfs}\n"), 0o644))
	require.NoError(t, os.WriteFile("graph.yaml", []byte("set: {graph: a.mtx, algorithm: bfs}\n"), 0o644))
	require.NoError(t, os.WriteFile("budget.yaml", []byte("set: {algorithm: bfs, device: hw, budget: 5}\n"), 0o644))
	require.NoError(t, os.WriteFile("good.yaml", []byte("set: {algorithm: bfs}\n"), 0o644))
	for line, want := range map[string]string{
		"sweep bfs -j 0":                              "weft: -j: 0 is not from 1 to 1024\n",
		"sweep bfs --timeout -1s":                     "weft: --timeout: -1s is negative\n  such as --timeout 10m\n",
		"sweep bfs --set l2.latency":                  "weft: --set: \"l2.latency\" is not NAME=VALUE,...\n  such as --set l2.latency=66:528:66\n",
		"sweep bfs --set l2.latency=9:1:1":            "weft: --set: \"9:1:1\": the range is empty\n",
		"sweep bfs --set l2.latency=66:528":           "weft: --set: parameter l2.latency: \"66:528\" is not a value in L2 cycle from 1 to 2000 (latency of a hit within the slice); its unit is L2 cycle; a range has a step: 66:528:10, or 66:528:*2 for a factor\n",
		"sweep bfs --device func --vary budget=1:2":   "weft: --vary: budget: \"1:2\" is not a whole number from 0 to 18446744073709551615; a range has a step: 1:2:10, or 1:2:*2 for a factor\n",
		"sweep bfs --device sim:tiny --out .":         "weft: results in .: it is a folder; name a file in it\n",
		"sweep bfs --device sim:tiny --out none/a.db": "weft: results in none/a.db: there is no folder none\n",
		"sweep bfs --device sim:tiny --out good.yaml": "weft: results in good.yaml: it is not a file of results; weft sweep writes them\n",
		"sweep good.yaml --set a=1":                   "weft: --set: a is no parameter of a machine\n",
		"sweep good.yaml --set l9.size=1":             "weft: --set: unknown parameter \"l9.size\"; nearest: lsu.line (cycle, 0.125 to 64), l2.slices (slice, 1 to 1024), l2.store (L2 cycle, 0 to 64)\n",
		"sweep good.yaml --set sm.count=1,2":          "weft: --set: sm.count has several values; a specification takes one of each parameter\n",
		"sweep good.yaml --param block=64":            "weft: --param goes with an algorithm, not with the specification good.yaml\n  write it into the file, or leave the file out\n",
		"sweep none.yaml":                             "weft: open none.yaml: no such file or directory\n",
		"sweep graphs.yaml": "weft: graphs.yaml:1:30: stat a.mtx: no such file or directory\n\tgraphs.yaml:1:37: stat b.mtx: no such file or directory\n" +
			"\tgraphs.yaml:1:44: stat ./c.mtx: no such file or directory\n  name the folder of the graph files by --graphs FOLDER\n",
		"sweep graphs.yaml --graphs none": "weft: graphs.yaml:1:30: stat none/a.mtx: no such file or directory\n\tgraphs.yaml:1:37: stat none/b.mtx: no such file or directory\n" +
			"\tgraphs.yaml:1:44: stat ./c.mtx: no such file or directory\n  --graphs names the folder of the graph files; none lacks them\n",
		"sweep graph.yaml":          "weft: graph.yaml:1:14: stat a.mtx: no such file or directory\n  name the folder of the graph files by --graphs FOLDER\n",
		"sweep bfs --graph ./a.mtx": "weft: --graph: stat ./a.mtx: no such file or directory\n",
		"sweep bfs --graph a.mtx":   "weft: --graph: stat a.mtx: no such file or directory\n  name the folder of the graph files by --graphs FOLDER\n",
		"sweep budget.yaml":         "weft: budget.yaml:1:31: budget: device hw does not support a budget\n  end a kernel there by --timeout, such as --timeout 10m\n",

		"sweep bfs --engine slrm":                             "weft: unknown engine \"slrm\"\n  did you mean slurm?\n  there are: local, slurm\n",
		"sweep bfs --tasks 3":                                 "weft: --tasks goes with --engine slurm\n  add --engine slurm, or leave it out\n",
		"sweep bfs --engine slurm --tasks 0":                  "weft: --tasks: 0 is not from 1 to 1,000,000\n",
		"sweep bfs --engine slurm --retries -1":               "weft: --retries: -1 is not from 0 to 1,000,000\n",
		"sweep bfs --engine slurm --poll 1ms":                 "weft: --poll: 1ms is less than 100ms\n  such as --poll 10s\n",
		"sweep bfs --engine slurm --sbatch-option account=me": "weft: --sbatch-option: \"account=me\" is no option of sbatch\n  such as --sbatch-option --account=me\n",
		"sweep bfs --engine slurm --sbatch-option --mem=4G":   "weft: --sbatch-option: weft sets --mem=4G itself\n  write --mem\n",
		"sweep bfs --engine slurm --sbatch-option --output=o": "weft: --sbatch-option: weft sets --output=o itself\n",
		"sweep bfs --engine slurm":                            "weft: --engine slurm: there is no command sbatch on the PATH\n  run weft where you submit jobs (a login node), or leave --engine out to run here\n",
	} {
		_, stderr, code := command(t, strings.Fields(line)...)
		assert.NotEqual(t, exitRight, code, line)
		assert.Equal(t, want, stderr, line)
	}
	_, stderr, code := command(t, "sweep", "bad.yaml")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, "bad.yaml:1:25: unknown algorithm \"bsf\"")
	assert.Contains(t, stderr, "bad.yaml:2:18: unknown parameter \"l2.latncy\"; nearest: l2.latency")
}

// TestSweepReserved checks that a second sweep does not run the points of a store to which another one adds, and that names
// in plots which look misspelt are said before.
func TestSweepReserved(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a.yaml", []byte("set: {algorithm: bfs, device: sim:tiny, graph: \"grid:width=4\"}\nplots:\n  - {kind: bars, x: graph, y: cycels, file: a}\n"), 0o644))
	st, err := store.Create(t.Context(), "a.db")
	require.NoError(t, err)
	defer st.Close()
	release, err := st.Reserve()
	require.NoError(t, err)
	const note = "note: a.yaml:3:31: plots: there is no column, setting or metric \"cycels\"; did you mean cycles?\n"
	_, stderr, code := command(t, "sweep", "a.yaml")
	assert.NotEqual(t, exitRight, code)
	assert.Regexp(t, "^"+regexp.QuoteMeta(note)+`weft: a sweep already adds to a\.db: process \d+ on .*, since .*\n  wait for it, or name another file with --out; "weft results merge" joins files\n$`, stderr)
	release()
	_, stderr, code = command(t, "sweep", "a.yaml")
	assert.Equal(t, exitRight, code)
	assert.Equal(t, note, stderr)
	stdout, _, _ := command(t, "results", "a.db", "--columns", "verified")
	assert.Equal(t, "verified\n       1\n", stdout)
}

// TestWholeDevices checks that a group of GPUs stays one device in a list with commas.
func TestWholeDevices(t *testing.T) {
	assert.Equal(t, []string{"hw:0,1", "func", "hw:2"}, wholeDevices([]string{"hw:0", "1", "func", "hw:2"}))
	assert.Equal(t, []string{"func", "1"}, wholeDevices([]string{"func", "1"}))
}

// TestSweepOn moves a study to another device: its machine's parameters and its points on func go.
// TestSweepSet changes a parameter in all points of a specification, also where a point names a value of it.
func TestSweepSet(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("study.yaml", []byte("set: {algorithm: bfs, graph: 'grid:width=4'}\nruns:\n"+
		"  - {set: {device: 'sim:tiny'}, vary: {l2.latency: [50, 60]}}\n  - {set: {device: 'sim:tiny', sm.count: 1}}\n  - set: {device: func}\n"), 0o644))
	stdout, stderr, code := command(t, "sweep", "study.yaml", "--set", "l2.latency=70,launch.sync=2")
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "study    study\nset      l2.latency=70, launch.sync=2 in all points; 1 on func are left out\npoints   3\n")
	stdout, stderr, code = command(t, "results", "study.db", "--columns", "device,sm.count,l2.latency,launch.sync", "--format", "csv")
	require.Equal(t, exitRight, code, stderr)
	assert.ElementsMatch(t, []string{"device,sm.count,l2.latency,launch.sync", "sim:tiny,2,70,2", "sim:tiny,1,70,2"}, strings.Fields(stdout))
	_, stderr, code = command(t, "sweep", "study.yaml", "--where", "device=func", "--on", "func", "--set", "l2.latency=70")
	assert.Equal(t, exitUsage, code)
	assert.Equal(t, "weft: --set: all points of study are on func, which has no parameters\n", stderr)
}

func TestSweepOn(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("study.yaml", []byte("set: {algorithm: bfs, graph: 'grid:width=4'}\nruns:\n"+
		"  - {set: {device: 'sim:k40'}, vary: {sm.count: [1, 2], scheduler: [warp, thread]}}\n  - set: {device: func}\n"), 0o644))
	stdout, stderr, code := command(t, "sweep", "study.yaml", "--on", "sim:tiny")
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "study        study\non sim:tiny  all points, without parameters of a machine; 1 on func are left out; 2 differed in the machine alone\npoints       2\n")
	stdout, stderr, code = command(t, "results", "study.db", "--columns", "device,scheduler,status", "--format", "csv")
	require.Equal(t, exitRight, code, stderr)
	assert.ElementsMatch(t, []string{"device,scheduler,status", "sim:tiny,warp,ok", "sim:tiny,thread,ok"}, strings.Fields(stdout))
	for line, want := range map[string]string{
		"bfs --on sim:tiny":                            "--on goes with a specification, and without --device\n  with flags, --device alone says where all points run\n",
		"study.yaml --on sim:tiny --device sim:tiny":   "--on goes with a specification, and without --device",
		"study.yaml --on sim:h300":                     "unknown device \"sim:h300\"\n  did you mean sim:h200?\n",
		"study.yaml --on func --where scheduler!=none": "",
	} {
		_, stderr, code := command(t, append([]string{"sweep", "--dry-run"}, strings.Fields(line)...)...)
		if want == "" {
			assert.Equal(t, exitRight, code, stderr)
			continue
		}
		assert.Equal(t, exitUsage, code, line)
		assert.Contains(t, stderr, want, line)
	}
}
