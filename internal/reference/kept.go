package reference

import (
	"context"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/memo"
	"github.com/weft-gpu/weft/internal/base/memory"
)

// answerOf is the key of an answer that a memo keeps.
type answerOf struct {
	algorithm string
	g         *graph.CSR
	src       uint32
}

// kept computes a slice, or has it from the memo in ctx: of the runs of a sweep on one graph, the
// first computes it. Nobody may change it.
func kept[K comparable, V any](ctx context.Context, key K, compute func() ([]V, error)) ([]V, error) {
	return memo.Do(ctx, key, func(s []V) uint64 { return memory.Bytes[V](uint64(len(s))) }, compute)
}
