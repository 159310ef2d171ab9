package archtest

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	weft "github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/internal/compile"
)

// deviceFolders are the folders of the sources that the compiler reads.
func deviceFolders(t *testing.T) []string {
	t.Helper()
	files, err := fs.Glob(weft.Sources, "*/*.go")
	require.NoError(t, err)
	below, err := fs.Glob(weft.Sources, "*/*/*.go")
	require.NoError(t, err)
	var folders []string
	for _, f := range append(files, below...) {
		folders = append(folders, path.Dir(f))
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)
	require.NotEmpty(t, folders)
	return folders
}

// TestDeviceCode has the compiler read the device code of the project: what
// device code may import is the compiler's to say and written down nowhere else.
func TestDeviceCode(t *testing.T) {
	c := compile.New()
	require.NoError(t, c.MountTree(weft.Module, weft.Sources))
	for _, folder := range deviceFolders(t) {
		_, err := c.Entries(weft.Module + "/" + folder)
		require.NoError(t, err, folder)
	}
}

// TestHostFiles holds that a host file, which its name tells, has the tag that
// hides it from the compiler.
func TestHostFiles(t *testing.T) {
	folders := deviceFolders(t)
	for _, p := range list(t, append([]string{"-tags", "kernel"}, patterns(t)...)...) {
		for _, f := range p.GoFiles {
			if strings.HasPrefix(f, "host") && slices.Contains(folders, p.name()) {
				t.Errorf("%s/%s is a host file without //go:build !kernel", p.name(), f)
			}
		}
	}
}

// TestDeviceCodeVets checks that the device code stands alone.
func TestDeviceCodeVets(t *testing.T) {
	_, err := goTool(append([]string{"vet", "-tags", "kernel"}, patterns(t)...)...)
	require.NoError(t, err)
}

// patterns names the device folders but gpu, which has no other half, as the go
// command takes them.
func patterns(t *testing.T) (list []string) {
	for _, folder := range deviceFolders(t) {
		if folder != "gpu" {
			list = append(list, "./"+folder)
		}
	}
	return list
}
