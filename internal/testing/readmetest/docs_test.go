package readmetest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
)

// How to write the README or a document of docs/:
//
//   - ```go FILE and ```yaml FILE name the file of the repository that contains
//     the block, word for word. That file is compiled and tested like the others.
//   - ```sh contains commands, one per line; a line that ends with \ continues on
//     the next. They run in order in the root of the repository, after bin/weft
//     was built, each in its own shell, and write files only below bin/. A command
//     that fails on purpose ends with "# exits with 1". Commands of a block ```sh large
//     take minutes or need files; the test runs them on a small graph instead of
//     their --graph, and loops so often that each word of each list has its turn.
//   - ```text after ```sh is the output of the last command, standard output
//     first, from the line that resembles its first line on. A line "..." stands
//     for any lines. It is compared exactly, since a simulation gives the same numbers on every host; after
//     ```text loose numbers may differ, which is for output that depends on the host, such as its time.
//     "go test ./internal/testing/readmetest -update" rewrites it, with as many lines as before.
//   - A picture that a command of the document writes is in docs/images; see images.
//   - Blocks of another kind, or without a kind, are not checked.
//   - Relative links must lead to existing files, and those with # to a heading there.

// docs returns the READMEs that are tested and the documents of docs/, by path from the root.
func docs(t *testing.T) (list []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, found)
	list = []string{"README.md", "results/papers/README.md"}
	for _, f := range found {
		list = append(list, "docs/"+filepath.Base(f))
	}
	return list
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, file))
	require.NoError(t, err)
	return string(b)
}

// TestDocsCode checks that the code of a document is in the file that it names.
func TestDocsCode(t *testing.T) {
	for _, doc := range docs(t) {
		for _, b := range blocks(read(t, doc)) {
			if b.kind != "go" && b.kind != "yaml" {
				continue
			}
			if assert.NotEmpty(t, b.file, "%s: the block names no file; write ```%s FILE:\n%s", doc, b.kind, b.text) {
				assert.Contains(t, read(t, b.file), b.text, "%s: not in %s", doc, b.file)
			}
		}
	}
}

// quick are the documents whose commands take seconds together, among them those that print what is in folders of testdata.
var quick = []string{"docs/asynchronous.md", "docs/clusters.md", "docs/hang-reports.md", "docs/hangs-lanes.md", "docs/language.md", "docs/limits.md", "docs/memory.md", "docs/races.md",
	"docs/results.md", "docs/schedules.md", "docs/tensor.md", "docs/undefined.md"}

// TestDocsCommands runs the commands of the documents that are quick.
func TestDocsCommands(t *testing.T) {
	docsCommands(t, quick)
}

// TestHeavyDocsCommands runs the commands of all other documents.
func TestHeavyDocsCommands(t *testing.T) {
	docsCommands(t, slices.DeleteFunc(docs(t), func(doc string) bool { return slices.Contains(quick, doc) }))
}

// docsCommands runs the commands of documents.
func docsCommands(t *testing.T, list []string) {
	sh(t, "make build")
	for _, doc := range list {
		t.Run(filepath.Base(doc), func(t *testing.T) {
			text, last, out := read(t, doc), "", ""
			sh(t, "rm -rf bin/*.db bin/*.db-*") // results of another build, which the commands would add to
			for _, b := range blocks(text) {
				switch b.kind {
				case "sh":
					for _, line := range commands(b.text) {
						if b.file == "large" {
							list := []string{reduced(t, doc, line)}
							if os.Getenv("WEFT_EXHAUSTIVE") == "" {
								list = turns(list[0])
							}
							for _, turn := range list {
								runs(t, doc, turn)
							}
						} else if line != "make test" { // which runs this test
							last, out = line, runs(t, doc, line)
						}
					}
				case "text":
					if assert.NotEmpty(t, last, "%s: text before any command:\n%s", doc, b.text) {
						now := excerpt(t, doc, last, b.text, out)
						if b.file != "loose" && !golden.Updating() {
							assert.Equal(t, now, b.text, "%s: %s prints something else; go test ./internal/testing/readmetest -run DocsCommands -update", doc, last)
						}
						text = strings.Replace(text, "\n"+b.text+"```", "\n"+now+"```", 1)
					}
				}
			}
			if golden.Updating() {
				require.NoError(t, os.WriteFile(filepath.Join(root, doc), []byte(text), 0o644))
			}
			checkImages(t, doc)
		})
	}
}

// commands returns the commands of a block: its lines, with continuation lines
// after \ joined.
func commands(text string) (list []string) {
	text = strings.ReplaceAll(text, "\\\n", "")
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}

var graphFlag = regexp.MustCompile(`--graph \S+`)

// reduced returns a command with a small graph instead of its own.
func reduced(t *testing.T, doc, line string) string {
	t.Helper()
	require.Regexp(t, graphFlag, line, "%s: a command of a block ```sh large names a graph", doc)
	return graphFlag.ReplaceAllString(line, "--graph rmat:scale=5,degree=6,seed=1")
}

var (
	loop = regexp.MustCompile(`^for (\w+) in ((?:"[^"]*"|[^;"])+); do `)
	word = regexp.MustCompile(`"[^"]*"|\S+`)
)

// turns returns a command that loops over lists as one without loops for each turn. Loops within loops take their turns together, so that there are
// as many as the longest list has words; one whose variable the command does not use has one. A loop of other words than are written there stays.
func turns(line string) (list []string) {
	var names []string
	var words [][]string
	rest := line
	for {
		m := loop.FindStringSubmatch(rest)
		if m == nil || strings.ContainsAny(m[2], "$`*{") {
			break
		}
		names, words, rest = append(names, m[1]), append(words, word.FindAllString(m[2], -1)), rest[len(m[0]):]
	}
	body, ok := strings.CutSuffix(rest, strings.Repeat("; done", len(names)))
	if len(names) == 0 || !ok {
		return []string{line}
	}
	n := 1
	for i, name := range names {
		if regexp.MustCompile(`\$\{?\(*` + name + `\b|\b` + name + `\)`).MatchString(body) {
			n = max(n, len(words[i]))
		}
	}
	for k := range n {
		turn := ""
		for i, name := range names {
			turn += name + "=" + words[i][k%len(words[i])] + "; "
		}
		list = append(list, turn+body)
	}
	return list
}

func TestTurns(t *testing.T) {
	assert.Equal(t, []string{"weft run"}, turns("weft run"))
	assert.Equal(t, []string{`a=x; s="p q"; weft $a $s`, `a=y; s=r; weft $a $s`, `a=z; s="p q"; weft $a $s`},
		turns(`for a in x y z; do for s in "p q" r; do weft $a $s; done; done`))
	assert.Equal(t, []string{"a=x; g=1; weft $((a+1)) ${a}", "a=y; g=2; weft $((a+1)) ${a}"}, turns("for a in x y; do for g in 1 2 3; do weft $((a+1)) ${a}; done; done"))
	assert.Equal(t, []string{"n=4; weft $((256/n)) | xargs", "n=8; weft $((256/n)) | xargs"}, turns("for n in 4 8; do weft $((256/n)) | xargs; done"))
	for _, line := range []string{"for a in $(seq 3); do weft $a; done", "for a in x y; do weft $a; done | xargs", "for f in *.yaml; do weft $f; done"} {
		assert.Equal(t, []string{line}, turns(line))
	}
}

var exits = regexp.MustCompile(`# exits with (\d+)$`)

// runs runs a command of a document and returns what it prints.
func runs(t *testing.T, doc, line string) string {
	t.Helper()
	want := 0
	if m := exits.FindStringSubmatch(line); m != nil {
		want, _ = strconv.Atoi(m[1])
	}
	stdout, stderr, code := execute(t, line)
	require.Equal(t, want, code, "%s: %s\n%s%s", doc, line, stdout, stderr)
	if want == 0 {
		return stdout
	}
	return stdout + stderr
}

// excerpt compares a block of text with the output of a command, and returns
// the updated block.
func excerpt(t *testing.T, doc, line, text, out string) string {
	t.Helper()
	have, printed := strings.Split(strings.TrimSuffix(text, "\n"), "\n"), strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	var now []string
	at, found := 0, false // index of the next line in printed, and whether it was found
	for _, l := range have {
		if l == "..." {
			now, found = append(now, l), false
			continue
		}
		if !found {
			i := slices.IndexFunc(printed[at:], func(p string) bool { return shape(p) == shape(l) })
			if !assert.GreaterOrEqual(t, i, 0, "%s: %s does not print a line like\n%s\nbut\n%s", doc, line, l, out) {
				return text
			}
			at, found = at+i, true
		}
		if !assert.Less(t, at, len(printed), "%s: %s prints no more than\n%s", doc, line, out) {
			return text
		}
		if !golden.Updating() && !assert.Equal(t, shape(printed[at]), shape(l), "%s: %s; go test ./internal/testing/readmetest -update writes it anew", doc, line) {
			return text
		}
		now = append(now, printed[at])
		at++
	}
	return strings.Join(now, "\n") + "\n"
}

func TestExcerpt(t *testing.T) {
	out := "run 7\nb 1\nc 22\nd\ne 3\n"
	assert.Equal(t, "b 1\nc 22\n...\ne 3\n", excerpt(t, "doc", "cmd", "b 4\nc 5\n...\ne 1\n", out))
	assert.Equal(t, []string{"a  b", "c # exits with 1"}, commands("a \\\n b\n# a comment\n\nc # exits with 1\n"))
	assert.Equal(t, []block{{"go", "a/b.go", "x\n"}, {"sh", "", "y\n"}}, blocks("```go a/b.go\nx\n```\n\n```sh\ny\n```\n"))
}

var (
	link = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code = regexp.MustCompile("`[^`\n]*`")
)

// TestLinks checks that relative links lead to files, and those with # to a heading.
func TestLinks(t *testing.T) {
	headings := map[string][]string{}
	for _, doc := range append(docs(t), "RATIONALE.md", "CONTRIBUTING.md", "CHANGELOG.md") {
		text := code.ReplaceAllString(fence.ReplaceAllString(read(t, doc), ""), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, heading, ok := strings.Cut(m[1], "#")
			target := doc
			if file != "" {
				target = filepath.Join(filepath.Dir(doc), file)
			}
			_, err := os.Stat(filepath.Join(root, target))
			if !assert.NoError(t, err, "%s: link to %s", doc, m[1]) || !ok {
				continue
			}
			if headings[target] == nil {
				headings[target] = anchors(read(t, target))
			}
			assert.Contains(t, headings[target], heading, "%s: link to %s", doc, m[1])
		}
	}
}

var (
	headingLine = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// anchors returns the names by which links reach the headings of a text, as GitHub makes them.
func anchors(text string) (names []string) {
	for _, m := range headingLine.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		name := strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")
		names = append(names, name)
	}
	return names
}

func TestAnchors(t *testing.T) {
	assert.Equal(t, []string{"a-title", "why-is-t-idx-x"}, anchors("# A title\n```sh\n# a comment\n```\n## Why is `t, Idx` x?\n"))
}

// TestContributing checks that the files and folders that CONTRIBUTING.md names exist. Names in
// capitals stand for those of something new.
func TestContributing(t *testing.T) {
	text := fence.ReplaceAllString(read(t, "CONTRIBUTING.md"), "")
	paths := 0
	for _, m := range regexp.MustCompile("`([a-z]+/[\\w./]+)`").FindAllStringSubmatch(text, -1) {
		if regexp.MustCompile(`[A-Z]{4}`).MatchString(m[1]) {
			continue
		}
		paths++
		_, err := os.Stat(filepath.Join(root, m[1]))
		assert.NoError(t, err)
	}
	assert.Greater(t, paths, 25)
}

// TestStagesOfRecording checks that docs/hardware.md names each stage of hw/record.sh.
func TestStagesOfRecording(t *testing.T) {
	stages := regexp.MustCompile(`(?m)^if stage ([a-z-]+); then$`).FindAllStringSubmatch(read(t, "hw/record.sh"), -1)
	require.Greater(t, len(stages), 10)
	_, table, ok := strings.Cut(read(t, "docs/hardware.md"), "| stage | what it records |")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	for _, stage := range stages {
		assert.Contains(t, table, "`"+stage[1]+"`")
	}
}
