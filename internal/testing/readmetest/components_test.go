package readmetest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// components is the page with the components of the published systems.
const components = "docs/components.md"

var (
	homeOf      = regexp.MustCompile("Files without a folder are in `([^`]+)`")
	goFile      = regexp.MustCompile("`([^`]+\\.(?:go|yaml))`")
	testAndHome = regexp.MustCompile("`(Test\\w+)`(?: \\((?:`([^`]+)`|(catalog))\\))?")
)

// TestComponents checks the tables of the components of published systems: files and tests exist, and a component without a
// file or a test says why.
func TestComponents(t *testing.T) {
	sections := strings.Split(read(t, components), "\n## ")[1:]
	require.NotEmpty(t, sections)
	for _, section := range sections {
		heading, body, _ := strings.Cut(section, "\n")
		home := ""
		if m := homeOf.FindStringSubmatch(body); m != nil {
			home = m[1]
		}
		rows := 0
		for line := range strings.SplitSeq(body, "\n") {
			if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| component ") {
				continue
			}
			cells := strings.Split(strings.ReplaceAll(line, `\|`, "/"), "|")
			if !assert.Len(t, cells, 7, "%s: %s", heading, line) {
				continue
			}
			rows++
			what, where, test, note := cells[1], cells[3], cells[4], strings.TrimSpace(cells[5])
			for _, m := range goFile.FindAllStringSubmatch(where, -1) {
				file := m[1]
				if !strings.Contains(file, "/") {
					file = home + "/" + file
				}
				_, err := os.Stat(filepath.Join(root, file))
				assert.NoError(t, err, "%s:%s", heading, what)
			}
			found := testAndHome.FindAllStringSubmatch(test, -1)
			for _, m := range found {
				folder := home
				switch {
				case m[3] != "":
					folder = "internal/service/catalog"
				case m[2] != "":
					folder = m[2]
				}
				assert.Contains(t, tests(t, folder), "\nfunc "+m[1]+"(", "%s:%s", heading, what)
			}
			if len(found) == 0 || strings.TrimSpace(where) == "" {
				assert.NotEmpty(t, note, "%s:%s has no file or no test, and does not say why", heading, what)
			}
		}
		assert.Positive(t, rows, heading)
	}
}
