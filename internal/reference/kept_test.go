package reference

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/memo"
)

// TestKept checks right and wrong answers with a memo, several times and in turn with other graphs
// and settings: the verdicts are those without one.
func TestKept(t *testing.T) {
	with := memo.With(t.Context(), memo.New(1<<30))
	same := func(check func(ctx context.Context) (any, error)) {
		want, wantErr := check(t.Context())
		for range 2 {
			got, err := check(with)
			require.Equal(t, want, got)
			require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err))
		}
	}
	exact := func(check func(ctx context.Context, got []uint32) error, right []uint32) {
		wrong := append([]uint32{}, right...)
		wrong[len(wrong)/2]++
		for _, answer := range [][]uint32{right, wrong} {
			same(func(ctx context.Context) (any, error) { return nil, check(ctx, answer) })
		}
		require.NoError(t, check(with, right))
		require.Error(t, check(with, wrong))
	}
	for _, spec := range []string{"rmat:scale=7,degree=6,directed=true", "grid:width=9,keep=0.8"} {
		g := load(t, spec)
		for src := range uint32(2) {
			levels, err := BFS(t.Context(), g, src)
			require.NoError(t, err)
			exact(func(ctx context.Context, got []uint32) error { return CheckBFS(ctx, g, src, got) }, levels)
			distances, err := SSSP(t.Context(), g, src)
			require.NoError(t, err)
			exact(func(ctx context.Context, got []uint32) error { return CheckSSSP(ctx, g, src, got) }, distances)
		}
		labels, err := SCC(t.Context(), g)
		require.NoError(t, err)
		exact(func(ctx context.Context, got []uint32) error { return CheckComponents(ctx, "scc", g, got, SCC) }, labels)
		for _, epsilon := range []float32{1e-3, 1e-4} {
			for _, damping := range []float32{0.5, 0.85} {
				allWays(t, g, damping, epsilon, func(t *testing.T, run PageRankRun, ranks []float32) {
					for range 2 {
						same(func(ctx context.Context) (any, error) { return CheckPageRank(ctx, g, run, ranks) })
						ranks[0] *= 2 // wrong the second time
					}
				})
			}
			for shift := range 2 {
				b := agreeing(0.5, float64(epsilon))
				prior := b.Prior
				b.Prior = func(v uint32) float64 { return prior(v) + 0.1*float64(shift) }
				x, err := b.Beliefs(t.Context(), g)
				require.NoError(t, err)
				answer := make([]float32, len(x))
				for v := range x {
					answer[v] = float32(x[v])
				}
				for range 2 {
					same(func(ctx context.Context) (any, error) { return CheckBP(ctx, g, b, answer) })
					answer[0] += 3
				}
			}
		}
	}
}
