package ptx

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TestDivergentBarriers checks which barriers are for threads that come one by one (barrier) and which for warps (bar).
func TestDivergentBarriers(t *testing.T) {
	const by1 = "barrier.sync 0;"
	for _, c := range []struct{ name, body, want string }{
		{"together", `t.Sync()`, "bar.sync 0;"},
		{"lanes", `if t.Lane()%2 == 0 { t.Sync() }; t.SyncWarp(gpu.FullMask); gpu.AtomicAdd(p, 1)`, by1},
		{"both sides", `if t.Idx()%2 == 0 { gpu.Store(p, 1); t.Sync(); gpu.AtomicAdd(p, 1) } else { gpu.Store(p, 2); t.Sync(); gpu.AtomicAdd(p, 3) }`, by1 + by1},
		{"one thread", `if t.Idx() == 0 { t.Sync() }; gpu.AtomicAdd(p, 1)`, by1},
		{"one thread, and the others leave", `if t.Idx() == 0 { t.Sync() }`, "bar.sync 0;"},
		{"warps", `if t.Warp() == 0 { t.Sync() }; gpu.AtomicAdd(p, 1)`, "bar.sync 0;"},
		{"warps by hand", `if t.Idx()/64 == 1 { t.Sync() }; gpu.AtomicAdd(p, 1)`, "bar.sync 0;"},
		{"rows", `if t.IdxY() == 1 { t.Sync() }; gpu.AtomicAdd(p, 1)`, by1},
		{"blocks", `if t.Block() == 0 { t.Sync() }`, "bar.sync 0;"},
		{"memory", `if *p == 0 { t.Sync() }`, "bar.sync 0;"},
		{"after", `if t.Lane() == 0 { gpu.AtomicAdd(p, 1) }; t.Sync()`, "bar.sync 0;"},
		{"left", `if t.Idx()%2 == 1 { return }; t.Sync(); gpu.AtomicAdd(p, 1)`, "bar.sync 0;"},
		{"stores and leaves", `if t.Idx()%2 == 1 { gpu.Store(p, 5); return }; t.Sync(); gpu.AtomicAdd(p, 1)`, "bar.sync 0;"},
		{"loop", `for i := uint32(0); i < *p; i++ { if t.Lane() < 3 { t.Sync() }; t.Sync() }`, by1 + "bar.sync 0;"},
		{"count", `if t.Lane() < 3 { gpu.AtomicAdd(p, t.SyncCount(t.Idx() > 5)) }; gpu.AtomicAdd(p, 9)`, "barrier.red.popc.u32 %r0, 0, %p0;"},
		{"count together", `gpu.AtomicAdd(p, t.SyncCount(t.Idx() > 5))`, "bar.red.popc.u32 %r0, 0, %p0;"},
		{"and", `if t.Lane() < 3 && t.SyncAnd(*p > 5) { gpu.AtomicAdd(p, 1) }; gpu.AtomicAdd(p, 9)`, "barrier.red.and.pred %p0, 0, %p0;"},
		{"or", `if t.Lane() < 3 && t.SyncOr(*p > 5) { gpu.AtomicAdd(p, 1) }; gpu.AtomicAdd(p, 9)`, "barrier.red.or.pred %p0, 0, %p0;"},
	} {
		c0 := compile.New()
		src := "package k\n\nimport \"github.com/weft-gpu/weft/gpu\"\n\nfunc K(t gpu.Thread, p *uint32) {\n\t" + c.body + "\n}\n"
		c0.Mount("k", fstest.MapFS{"k.go": &fstest.MapFile{Data: []byte(src)}})
		k, err := c0.Kernel(t.Context(), "k.K", nil)
		require.NoError(t, err, c.name)
		text, err := Module(Options{}, ir.Compiled(k))
		require.NoError(t, err)
		got := ""
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "bar.sync") || strings.HasPrefix(line, "bar.red") || strings.HasPrefix(line, "barrier.") {
				got += line
			}
		}
		assert.Equal(t, c.want, got, "%s\n%s", c.name, text)
	}
}
