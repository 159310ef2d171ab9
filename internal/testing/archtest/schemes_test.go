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

// schemeList is the file with the list of all schemes.
const schemeList = "internal/service/catalog/schemes.go"

// TestOneListOfSchemes checks that a scheme consists of a folder below
// internal/scheme and one line in one list, which is complete. No other file of the
// program imports a scheme, so none can depend on its kind; but a scheme may
// use the device code of another one.
func TestOneListOfSchemes(t *testing.T) {
	folders, err := os.ReadDir(filepath.Join(root, "internal", "scheme"))
	require.NoError(t, err)
	listed := map[string]bool{}
	for _, file := range goFiles(t) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, imp := range f.Imports {
			scheme, ok := strings.CutPrefix(strings.Trim(imp.Path.Value, `"`), module+"/internal/scheme/")
			switch {
			case !ok || strings.HasPrefix(filepath.ToSlash(file), "internal/scheme/"):
			case file == schemeList:
				listed[scheme] = true
			default:
				t.Errorf("%s imports internal/scheme/%s: only %s knows schemes", file, scheme, schemeList)
			}
		}
	}
	for _, d := range folders {
		if d.IsDir() {
			require.True(t, listed[d.Name()], "%s has no line for internal/scheme/%s", schemeList, d.Name())
		}
	}
}

// goFiles returns the program's Go files without tests, relative to the root.
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
