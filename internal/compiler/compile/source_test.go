package compile

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSource(t *testing.T) {
	c := New()
	c.Mount(Module+"/kernels/sub", fstest.MapFS{"k.go": {Data: []byte("package sub\n")}})
	c.Mount("mine", fstest.MapFS{"a.go": {Data: []byte("package mine\n")}})
	for file, want := range map[string]string{"kernels/sub/k.go": "package sub\n", "mine/a.go": "package mine\n"} {
		got, err := c.Source(file)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
	_, err := c.Source("other/a.go")
	require.EqualError(t, err, "no mounted package holds other/a.go")
	_, err = c.Source("mine/b.go")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// A pipe or a device among the sources would make the compiler block or read
// without end.
func TestSourceIsAFile(t *testing.T) {
	for want, file := range map[string]*fstest.MapFile{
		`"k.go" is not a regular file; Go source is read from files only`: {Mode: fs.ModeNamedPipe},
		`"k.go" has 16 MiB; Go source is read up to 16 MiB a file`:        {Data: make([]byte, maxSource+1)},
	} {
		tree := fstest.MapFS{"k.go": file}
		c := New()
		c.Mount("mine", tree)
		_, err := c.Source("mine/k.go")
		require.EqualError(t, err, want)
		_, errs := c.parse("mine", tree)
		require.EqualError(t, errs, want)
	}
	tree := fstest.MapFS{"k.go": {Mode: fs.ModeDevice | fs.ModeCharDevice}}
	_, err := readSource(tree, "k.go")
	require.Error(t, err)
}
