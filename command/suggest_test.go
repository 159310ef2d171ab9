package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMeant checks suggestions for misspelled names of every kind.
func TestMeant(t *testing.T) {
	for line, want := range map[string]string{
		"run bfs --device h200":                 "sim:h200",
		"run bfs --device H200":                 "sim:h200",
		"run bfs --device h20":                  "sim:h200",
		"run bfs --device sim_v100":             "sim:v100",
		"run bfs --device fnuc":                 "func",
		"run BFS":                               "bfs",
		"run pull":                              "pagerank-pull",
		"run PageRank":                          "pagerank",
		"annotate page":                         "pagerank",
		"run bfs --scheduler blockqueue":        "block-queue",
		"run bfs --scheduler queue":             "block-queue",
		"run bfs --scheduler WARP":              "warp",
		"annotate bfs --against blok":           "block",
		"run bfs --graph Demo":                  "demo",
		"run bfs --graph rmta:scale=3":          "rmat",
		"run bfs --graph testdata/triangel.mtx": "testdata/triangle.mtx",
		"graph testdata/triangle":               "testdata/triangle.mtx",
		"run bfs --format MTX":                  "mtx",
		"run pagerank --param Damping=0.5":      "damping",
		"run bfs -device func":                  "--device",
		"run bfs -device=func":                  "--device",
		"run bfs --symmetrise":                  "--symmetrize",
		"run bfs --max_iterations 5":            "--max-iterations",
		"run bfs --grahp=demo":                  "--graph",
		"compare bfs --with recrod":             "record",
		"compare bfs --with h200":               "sim:h200",
		"micro --device tiny":                   "sim:tiny",
		"bench compiel":                         "compile",
		"bench sim --algorithm bsf":             "bfs",
		"help bench smi":                        "sim",
		"annottate bfs":                         "annotate",
		"list device":                           "devices",
		"list parameters H200":                  "h200",
		"ir Copy":                               "micro.Copy",
		"ir micro.copy":                         "micro.Copy",
		"ptx bfs --scheduler thraed":            "thread",
	} {
		_, stderr, code := command(t, strings.Fields(line)...)
		assert.NotZero(t, code, line)
		assert.Contains(t, stderr, "did you mean "+want+"?\n", line)
	}
	for _, line := range []string{"run bfs --device cuda", "run quicksort", "run bfs --scheduler x", "run bfs --graph /nowhere/x"} {
		_, stderr, _ := command(t, strings.Fields(line)...)
		assert.NotContains(t, stderr, "did you mean", line)
	}
}

// TestKindsOfValues checks that the error for an invalid value says what it
// should be.
func TestKindsOfValues(t *testing.T) {
	whole, natural := "a whole number", "a whole number of at least 0"
	for line, want := range map[string]string{
		"run bfs --deadline 5":                `"5" is not a time with its unit, such as 5s or 300ms`,
		"run bfs --deadline=":                 `"" is not a time with its unit, such as 5s or 300ms`,
		"run bfs --seed x":                    `"x" is not ` + natural,
		"run bfs --seed 99999999999999999999": `"99999999999999999999" is not in the range of what can be computed with`,
		"run bfs --block 1.5":                 `"1.5" is not ` + whole,
		"run bfs --json=2":                    `"2" is not true or false`,
		"bench --repeat often":                `"often" is not ` + whole,
		`bench sim --algorithm bfs,"x`:        `"bfs,\"x" is not a list with commas between its parts`,
		"record --repeat 5.5":                 `"5.5" is not ` + whole,
	} {
		_, stderr, code := command(t, strings.Fields(line)...)
		assert.Equal(t, exitUsage, code, line)
		assert.Contains(t, stderr, want+"\n", line)
	}
}

// TestFlagWords checks that the help has placeholders for values, and not the
// names of Go types.
func TestFlagWords(t *testing.T) {
	root := (&app{}).root()
	var visit func(c *cobra.Command)
	seen := 0
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			seen++
			name, _ := pflag.UnquoteUsage(f)
			if f.Value.Type() == "bool" {
				return
			}
			assert.Regexp(t, regexp.MustCompile(`^[A-Za-z]+=?[A-Z,.=-]*$`), name)
			assert.NotEqual(t, kindOf(f), name, "%s --%s: its option needs a Value", c.CommandPath(), f.Name)
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
	assert.Greater(t, seen, 60)
}

// TestPathsOfUsers checks that errors name sources as the user named their
// directory.
func TestPathsOfUsers(t *testing.T) {
	b, err := os.ReadFile("testdata/user/rejected/rejected.go")
	require.NoError(t, err)
	here, err := os.Getwd()
	require.NoError(t, err)
	for _, relative := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "my work (2)")
		require.NoError(t, os.Mkdir(dir, 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "rejected.go"), b, 0o666))
		if relative { // the path begins with ../
			dir, err = filepath.Rel(here, dir)
			require.NoError(t, err)
		}
		_, stderr, code := command(t, "run", dir+".Broken", "--device", "func", "--graph", "testdata/triangle.mtx")
		assert.Equal(t, exitWrong, code)
		assert.Contains(t, stderr, "weft: "+dir+"/rejected.go:20:24: ")
	}
	for name, want := range map[string]string{".": "./.Type", "..": "../.Type", "./": "./.Type", "testdata/..": "testdata/../.Type", "./testdata/": "./testdata.Type"} {
		_, stderr, code := command(t, "run", name)
		assert.Equal(t, exitUsage, code)
		assert.Equal(t, "weft: algorithm \""+name+"\" names a directory and no type in it; write "+want+"\n", stderr)
	}
}
