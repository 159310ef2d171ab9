package opt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/opt"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/testing/irtext"
	"github.com/weft-gpu/weft/internal/testing/langtest"
)

// packages lists all packages with entry points.
var packages = []string{"internal/kernels/barrier", "internal/kernels/lock", "internal/kernels/micro", "internal/kernels/worklist", "langtest"}

// lowered compiles the entry points of all packages, and the kernels that
// schemes launch, without optimising them.
func lowered(t testing.TB) map[string]*ir.Func {
	t.Helper()
	c := compile.New(catalog.Sources()...)
	c.NoOptimize = true
	c.Mount("langtest", langtest.Sources)
	funcs := map[string]*ir.Func{}
	for _, e := range catalog.EntryPoints() {
		k, err := c.Kernel(t.Context(), e.Name, e.Bind)
		require.NoError(t, err)
		funcs[e.Name] = ir.Compiled(k).Func
	}
	for _, p := range packages {
		names, err := c.Entries(p)
		require.NoError(t, err)
		for _, n := range names {
			k, err := c.Kernel(t.Context(), n, nil)
			require.NoError(t, err)
			funcs[n] = ir.Compiled(k).Func
		}
	}
	return funcs
}

func TestAllKernels(t *testing.T) {
	for name, f := range lowered(t) {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, f.Verify())
			text := f.String()
			again, err := irtext.Parse(text)
			require.NoError(t, err)
			require.Equal(t, text, again.String())
			_, err = opt.Program(f)
			require.NoError(t, err)
			require.NoError(t, opt.Optimize(f, opt.Options{VerifyEach: true}))
			p, err := opt.Program(f)
			require.NoError(t, err)
			if testing.Verbose() { // the text of all kernels is a tenth of this test
				t.Log(f, p)
			}
		})
	}
}
