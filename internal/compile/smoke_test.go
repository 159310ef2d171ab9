package compile

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	weft "github.com/weft-gpu/weft"
)

func TestOwnKernels(t *testing.T) {
	c := New()
	require.NoError(t, c.MountTree(weft.Module, weft.Sources))
	t0 := time.Now()
	names, err := c.Entries("kernels")
	require.NoError(t, err)
	t.Log(time.Since(t0))
	require.NotEmpty(t, names)
	for _, name := range names {
		t0 := time.Now()
		k, err := c.Kernel(name, nil)
		require.NoError(t, err, name)
		require.NoError(t, k.Func.Verify(), "%s\n%s", name, k.Func)
		t.Log(name, time.Since(t0))
		if name == "kernels.BFSThread" {
			t.Log(k.Func.String())
		}
	}
}
