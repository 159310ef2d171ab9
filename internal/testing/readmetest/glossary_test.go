package readmetest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGlossary checks that the glossary explains each word once, that its tables are sorted, that no word is explained
// without a place where it is seen, and that the flags that it names exist.
func TestGlossary(t *testing.T) {
	sh(t, "make build")
	var help strings.Builder
	for _, command := range []string{"run", "launch", "sweep", "plot", "results", "progress", "calibrate", "record"} {
		help.WriteString(sh(t, "bin/weft "+command+" --help"))
	}
	seen := map[string]bool{}
	flag := regexp.MustCompile("`(--[a-z-]+)")
	last := ""
	for line := range strings.Lines(read(t, "docs/glossary.md")) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "| ") || cells[0] == " word" {
			last = ""
			continue
		}
		if !assert.Len(t, cells, 3, line) {
			continue
		}
		assert.Less(t, last, strings.ToLower(cells[0]), "the words of a table are sorted")
		last = strings.ToLower(cells[0])
		for word := range strings.SplitSeq(strings.TrimSpace(cells[0]), ", ") {
			assert.False(t, seen[word], "%s is explained twice", word)
			seen[word] = true
		}
		if !strings.HasPrefix(cells[1], "see ") {
			assert.NotEmpty(t, strings.TrimSpace(cells[2]), "%s: where is it seen?", cells[0])
		}
		for _, m := range flag.FindAllStringSubmatch(line, -1) {
			assert.Contains(t, help.String(), m[1]+" ", "%s: no command has the flag", cells[0])
		}
	}
	require.Greater(t, len(seen), 50)
}
