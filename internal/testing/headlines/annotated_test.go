package headlines

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/internal/testing/golden"
)

// check compares a picture with its file in docs/images.
func check(t *testing.T, name, svg string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err, svg)
	}
	golden.Check(t, root+"/docs/images/"+name+".svg", svg)
}

// TestAnnotated draws examples/axpy.Dot with what its lines cost on sim:h200.
func TestAnnotated(t *testing.T) {
	const n = 100_000
	ctx := t.Context()
	dev, err := weft.Open(ctx, "sim:h200", weft.Options{Profile: true})
	require.NoError(t, err)
	defer dev.Close()
	pkg, err := weft.Load(root + "/examples/axpy")
	require.NoError(t, err)
	k, err := pkg.Kernel(ctx, "Dot", nil)
	require.NoError(t, err)
	args := []any{}
	for _, a := range []struct {
		name string
		n    int
	}{{"x", n}, {"y", n}, {"sum", 1}} {
		b, err := weft.Upload(dev, a.name, make([]float32, a.n))
		require.NoError(t, err)
		args = append(args, b)
	}
	_, err = dev.Launch(ctx, weft.Launch{Kernel: k, Grid: 64, Block: 256, Args: args})
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, dev.Annotate(&text))
	svg, err := Annotated(text.String(), root+"/examples/axpy/axpy.go", "func Dot(")
	require.NoError(t, err)
	check(t, "annotate", svg)

	_, err = Annotated(text.String(), "no.go", "func Dot(")
	assert.ErrorContains(t, err, "no table of no.go")
	_, err = Annotated(text.String(), root+"/examples/axpy/axpy.go", "func None(")
	assert.ErrorContains(t, err, `no "func None("`)
}
