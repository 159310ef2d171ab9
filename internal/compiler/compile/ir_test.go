package compile

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/internal/testing/irtext"
)

// TestLowered compares the IR of a kernel, before optimisation, with a golden
// file, and checks that the text parses back.
func TestLowered(t *testing.T) {
	text, err := os.ReadFile("testdata/ir/shapes.go")
	require.NoError(t, err)
	c := New(ownSources...)
	c.NoOptimize = true
	c.Mount("shapes", fstest.MapFS{"shapes.go": {Data: text}})
	k := kernel(t, c, "shapes.Kernel", nil)
	golden.Check(t, "testdata/ir/shapes.txt", k.Func.String())
	f, err := irtext.Parse(k.Func.String())
	require.NoError(t, err)
	require.Equal(t, body(k.Func), body(f))
}
