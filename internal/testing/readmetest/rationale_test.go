package readmetest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
)

const (
	beginContents, endContents = "<!-- contents -->\n", "<!-- end of contents -->\n"
	rationale                  = "RATIONALE.md"
)

// contents returns a list of links to the sections of a document and to the entries in them.
func contents(text string) string {
	var b strings.Builder
	for _, m := range headingLine.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		link := "[" + m[1] + "](#" + anchors("# " + m[1])[0] + ")\n"
		switch {
		case strings.HasPrefix(m[0], "### "):
			b.WriteString("  - " + link)
		case strings.HasPrefix(m[0], "## "):
			b.WriteString("- " + link)
		}
	}
	return b.String()
}

var (
	entry  = regexp.MustCompile(`(?m)^### .*$`)
	testOf = regexp.MustCompile("((?:`(?:Test|Fuzz)\\w+`(?:, )?)+) in `([^`]+)`")
	name   = regexp.MustCompile("`(\\w+)`")
)

// TestRationale checks that RATIONALE.md has a list of its contents, which -update rewrites; that each entry ends with
// the tests that would fail if the decision were undone, or says that there is none; and that these tests exist.
func TestRationale(t *testing.T) {
	text := read(t, rationale)
	before, rest, ok := strings.Cut(text, beginContents)
	require.True(t, ok)
	have, after, ok := strings.Cut(rest, endContents)
	require.True(t, ok)
	if want := contents(text); golden.Updating() {
		require.NoError(t, os.WriteFile(filepath.Join(root, rationale), []byte(before+beginContents+want+endContents+after), 0o644))
	} else {
		assert.Equal(t, want, have, "go test ./internal/testing/readmetest -run TestRationale -update writes the contents of %s anew", rationale)
	}
	checkTests(t, rationale, entry)
}

// TestEntriesOfDocs checks the tests that two documents name, which have more room than RATIONALE.md.
func TestEntriesOfDocs(t *testing.T) {
	for _, doc := range []string{"docs/published.md", "docs/hang-proofs.md"} {
		checkTests(t, doc, regexp.MustCompile(`(?m)^## .*$`))
	}
}

// checkTests checks the last paragraph of each entry of a document, which names tests.
func checkTests(t *testing.T, doc string, headings *regexp.Regexp) {
	t.Helper()
	text := read(t, doc)
	at := headings.FindAllStringIndex(text, -1)
	require.NotEmpty(t, at)
	for i, from := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		body, _, _ := strings.Cut(text[from[1]:end], "\n## ")
		paragraphs := strings.Split(strings.TrimSpace(body), "\n\n")
		last, heading := paragraphs[len(paragraphs)-1], text[from[0]:from[1]]
		list, ok := strings.CutPrefix(last, "Test: ")
		if !assert.True(t, ok, "%s: %s does not end with its tests", doc, heading) {
			continue
		}
		found := testOf.FindAllStringSubmatch(list, -1)
		if len(found) == 0 {
			assert.Regexp(t, `^(none\b|those of that page\.)`, list, "%s: %s", doc, heading)
		}
		for _, m := range found {
			sources := tests(t, m[2])
			for _, n := range name.FindAllStringSubmatch(m[1], -1) {
				assert.True(t, strings.Contains(sources, "\nfunc "+n[1]+"("), "%s: %s: %s has no test %s", doc, heading, m[2], n[1])
			}
		}
	}
}

// tests returns the text of all tests of a folder.
func tests(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	require.NoError(t, err)
	var b strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		b.Write(text)
	}
	return b.String()
}

func TestContents(t *testing.T) {
	assert.Equal(t, "- [A part](#a-part)\n  - [Why `x`?](#why-x)\n- [B](#b)\n", contents("# Title\n## A part\n### Why `x`?\ntext\n## B\n"))
}
