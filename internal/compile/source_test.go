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
	tree := fstest.MapFS{"kernels/sub/k.go": {Data: []byte("package sub\n")}}
	require.NoError(t, c.MountTree(Module, tree))
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
