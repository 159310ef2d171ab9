package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// flagWord is a flag of the command line in a text.
var flagWord = regexp.MustCompile(`(^|[^-\w])--[a-z]`)

// TestNoFlagsBelow checks that no text of a package below the service storey names a flag: who calls it may be a program or
// the author of a specification, to whom the option has another name. package option has the names for each, and
// devices.Spec.Advise adds them to what a device says.
func TestNoFlagsBelow(t *testing.T) {
	service := slices.IndexFunc(house, func(s storey) bool { return s.name == "service" })
	require.Positive(t, service)
	files := 0
	for _, p := range list(t, "./...") {
		floor, _, ok := place(p.name())
		if !ok || floor >= service {
			continue
		}
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			files++
			for _, what := range flagTexts(t, filepath.Join(p.Dir, name), nil) {
				assert.Fail(t, "a flag below the service storey", "%s/%s", p.name(), what)
			}
		}
	}
	require.Greater(t, files, 300)
	require.Equal(t, []string{`x.go:4: "launch at most 60 blocks (--grid)"`, `x.go:5: "--json has them"`}, flagTexts(t, "x.go",
		"package x\n\n// With --seed 7.\nvar a = \"launch at most 60 blocks (--grid)\"\nvar b = `--json has them`\nvar c = \"a -- b, x--y, ---\"\n"))
}

// flagTexts lists the texts of a file in which there is a flag, with their places. text is as for parser.ParseFile.
func flagTexts(t *testing.T, file string, text any) (list []string) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			value, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			if flagWord.MatchString(value) {
				list = append(list, filepath.Base(file)+":"+strconv.Itoa(set.Position(lit.Pos()).Line)+": "+strconv.Quote(value))
			}
		}
		return true
	})
	return list
}
