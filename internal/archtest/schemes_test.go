package archtest

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// schemeList is the list of the schemes that there are.
const schemeList = "experiments/catalog/schemes.go"

// TestOneListOfSchemes holds that a scheme is a folder below scheduler/ and one
// line in one list: no other file of the program imports it, so nothing else can
// come to know what it is, and the list has them all.
func TestOneListOfSchemes(t *testing.T) {
	folders, err := os.ReadDir(filepath.Join(root, "scheduler"))
	require.NoError(t, err)
	listed := map[string]bool{}
	for _, file := range goFiles(t) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, imp := range f.Imports {
			scheme, ok := strings.CutPrefix(strings.Trim(imp.Path.Value, `"`), module+"/scheduler/")
			switch {
			case !ok || within(filepath.Dir(file), "scheduler/"+scheme):
			case file == schemeList:
				listed[scheme] = true
			default:
				t.Errorf("%s imports scheduler/%s: only %s knows schemes", file, scheme, schemeList)
			}
		}
	}
	for _, d := range folders {
		if d.IsDir() {
			require.True(t, listed[d.Name()], "%s has no line for scheduler/%s", schemeList, d.Name())
		}
	}
}

// goFiles are the program's Go files but tests, below the root.
func goFiles(t *testing.T) (files []string) {
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && rel != "." && (strings.HasPrefix(name, ".") || name == "testdata"):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}
