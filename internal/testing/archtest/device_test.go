package archtest

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// devicePackages returns the packages that the compiler reads.
func devicePackages() []gpu.Package { return append(catalog.Sources(), gpu.Sources) }

// deviceFolders returns the folders of the device packages, without duplicates.
func deviceFolders() (folders []string) {
	for _, p := range devicePackages() {
		folders = append(folders, below(p.Path))
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// TestDeviceCode compiles the device code of the project: only the compiler
// defines what device code may import.
func TestDeviceCode(t *testing.T) {
	c := compile.New(catalog.Sources()...)
	for _, p := range devicePackages() {
		_, err := c.Entries(p.Path)
		require.NoError(t, err, p.Path)
	}
}

// TestSourcesPath checks that a package of device code names its own import
// path: the files that it embeds must be those of the folder there.
func TestSourcesPath(t *testing.T) {
	for _, p := range devicePackages() {
		embedded, err := fs.Glob(p.Files, "*.go")
		require.NoError(t, err)
		there, err := fs.Glob(os.DirFS(root), below(p.Path)+"/*.go")
		require.NoError(t, err)
		for i, name := range there {
			there[i] = path.Base(name)
		}
		require.NotEmpty(t, embedded)
		require.Equal(t, there, embedded, p.Path)
	}
}

// TestHostFiles checks that a file whose name marks it as a host file has the
// tag that hides it from the compiler.
func TestHostFiles(t *testing.T) {
	folders := deviceFolders()
	for _, p := range list(t, append([]string{"-tags", "kernel"}, patterns()...)...) {
		for _, f := range p.GoFiles {
			if strings.HasPrefix(f, "host") && slices.Contains(folders, p.name()) {
				t.Errorf("%s/%s is a host file without //go:build !kernel", p.name(), f)
			}
		}
	}
}

// TestDeviceCodeVets checks that the device code compiles without the host
// code.
func TestDeviceCodeVets(t *testing.T) {
	_, err := goTool(append([]string{"vet", "-tags", "kernel"}, patterns()...)...)
	require.NoError(t, err)
}

// patterns returns the device folders as arguments for the go command.
func patterns() (list []string) {
	for _, folder := range deviceFolders() {
		list = append(list, "./"+folder)
	}
	return list
}
