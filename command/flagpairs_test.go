package command

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pairing is a command line with flags that are given to it two at a time.
type pairing struct {
	name string
	base string
	// flags are the flags with a value that shows in what the command does; after a bar other flags that the flag needs.
	flags []string
	// hidden lists pairs "--a --b" in which --a does not show although it is not ignored, with the reason.
	hidden map[string]string
}

// observed is what a command line did, without times.
type observed struct {
	code int
	text string
}

var hostTimes = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^(wall time|speed|peak memory|replay|explore  ).*$`),
	regexp.MustCompile(`"(command|replay)": ".*"`),
	regexp.MustCompile(`"(wall_seconds|launch_wall_seconds|warp_instructions_per_second|peak_memory_bytes|rate|seconds_ago)": [^,\n]*`),
	regexp.MustCompile(`"times": \d+,\s*"seconds": [^\n]*`), // of a preparation
	regexp.MustCompile(`\d+(\.\d+)?(e-?\d+)? (ns|us|µs|ms|s)\b`),
	regexp.MustCompile(`http://[^ ]*`),
}

// observer runs command lines, each once.
type observer struct {
	t     *testing.T
	dir   string // with the files that the command lines read
	root  string // of the repository
	store string // of results
	seen  map[string]observed
	runs  int
}

// do runs a command line in a folder of its own.
func (o *observer) do(line string) observed {
	if x, ok := o.seen[line]; ok {
		return x
	}
	dir := o.t.TempDir()
	o.t.Chdir(dir)
	o.runs++
	stdout, stderr, code := command(o.t, shellWords(strings.NewReplacer("@/STORE", o.store, "@", o.dir, "%", o.root).Replace(line))...)
	text := stdout + stderr
	for _, r := range hostTimes {
		text = r.ReplaceAllString(text, "")
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text += "\nfile " + d.Name()
			if slices.Contains([]string{".svg", ".html", ".png", ".txt", ".csv", ".json", ".dot"}, filepath.Ext(path)) {
				content, _ := os.ReadFile(path)
				for _, r := range hostTimes {
					content = r.ReplaceAll(content, nil)
				}
				text += string(content)
			}
		}
		return nil
	})
	x := observed{code, text}
	o.seen[line] = x
	return x
}

// shellWords splits a command line at blanks, except in single quotes.
func shellWords(line string) (words []string) {
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		words = append(words, m[1]+m[2])
	}
	return words
}

// lineOf returns the base with flags, each once, and those that they need.
func (p *pairing) lineOf(flags ...string) string {
	var parts []string
	for _, f := range flags {
		own, needs, _ := strings.Cut(f, "|")
		for _, x := range append(strings.Split(needs, ";"), own) {
			if x = strings.TrimSpace(x); x != "" && !slices.ContainsFunc(parts, func(y string) bool { return y == x || flagName(y) == flagName(x) && flagName(x) != "--set" }) {
				parts = append(parts, x)
			}
		}
	}
	slices.Sort(parts)
	return p.base + " " + strings.Join(parts, " ")
}

// needsOf returns what a flag needs.
func needsOf(flag string) string {
	_, needs, _ := strings.Cut(flag, "|")
	return "|" + needs
}

func flagName(flag string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(flag), " ")
	return name
}

// try tries a pair, and returns what is wrong.
func (p *pairing) try(o *observer, a, b string) string {
	both := o.do(p.lineOf(a, b))
	if both.code == exitUsage {
		return ""
	}
	for _, x := range [][2]string{{a, b}, {b, a}} {
		without := o.do(p.lineOf(needsOf(x[0]), x[1]))
		if both == without {
			if strings.Contains(x[1], flagName(x[0])) || p.hidden[flagName(x[0])+" "+flagName(x[1])] != "" || p.hidden[flagName(x[0])+" *"] != "" || p.hidden["* "+flagName(x[1])] != "" {
				continue
			}
			return fmt.Sprintf("%s is ignored beside %s: %s", x[0], x[1], p.lineOf(a, b))
		}
	}
	return ""
}

func TestHeavyFlagPairs(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	dir := filepath.Join(here, "testdata", "pairs")
	store := filepath.Join(t.TempDir(), "store.db")
	_, stderr, code := command(t, "sweep", "bfs", "--graph", filepath.Join(dir, "demo.mtx"), "--scheduler", "thread,block,warp", "--device", "sim:tiny", "--out", store)
	require.Equal(t, exitRight, code, stderr)
	for i := range pairings {
		p := &pairings[i]
		t.Run(p.name, func(t *testing.T) {
			o := &observer{t: t, dir: dir, root: filepath.Dir(here), store: store, seen: map[string]observed{}}
			base := o.do(p.base + " ")
			require.NotEqual(t, exitUsage, base.code, base.text)
			for _, f := range p.flags {
				own := o.do(p.lineOf(f))
				if own.code == exitUsage {
					t.Errorf("refused: %s: %s", p.lineOf(f), own.text)
				}
				assert.NotEqual(t, o.do(p.lineOf(needsOf(f))), own, "shows nothing: %s", f)
			}
			step := 1
			if testing.Short() {
				step = 7
			}
			n := 0
			for i, a := range p.flags {
				for _, b := range p.flags[:i] {
					if n++; n%step == 0 {
						if wrong := p.try(o, a, b); wrong != "" {
							t.Error(wrong)
						}
					}
				}
			}
			t.Logf("%d pairs, %d runs", n/step, o.runs)
		})
	}
}

// TestFlagPairsAreComplete checks that every flag of every command is in the lists.
func TestFlagPairsAreComplete(t *testing.T) {
	have := map[string]bool{}
	for i := range pairings {
		p := &pairings[i]
		name, _, _ := strings.Cut(p.name, "/")
		for _, f := range p.flags {
			have[name+" "+flagName(f)] = true
		}
	}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			name := strings.TrimPrefix(c.CommandPath(), "weft ") + " --" + f.Name
			if f.Name != "help" && !f.Hidden && notPaired[name] == "" && notPaired["--"+f.Name] == "" && notPaired[strings.TrimPrefix(c.CommandPath(), "weft ")] == "" {
				assert.True(t, have[name], name)
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit((&app{}).root())
}
