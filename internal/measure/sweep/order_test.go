package sweep_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
)

// late is a store to which the run of one point comes after the others.
type late struct {
	*store.Store
	point  string
	others chan struct{} // one for each of them
	count  int
}

func (l *late) Replace(ctx context.Context, r *store.Run) error {
	if r.Point != l.point {
		defer func() { l.others <- struct{}{} }()
		return l.Store.Replace(ctx, r)
	}
	for range l.count {
		<-l.others
	}
	return l.Store.Replace(ctx, r)
}

// TestOrder checks that rows are numbered and listed in the order of the plan, whichever of two jobs ends first.
func TestOrder(t *testing.T) {
	p, st := planOf(t, small), storeOf(t)
	sink := &late{Store: st, point: p.Tasks[0].Key.Point, others: make(chan struct{}, len(p.Tasks)), count: len(p.Tasks) - 1}
	_, err := p.Run(t.Context(), sink, p.Tasks, sweep.Running{Jobs: 2})
	require.NoError(t, err)
	got, err := st.Query(t.Context(), store.Query{Columns: []string{"id", "point"}})
	require.NoError(t, err)
	var want [][]any
	for i, task := range p.Tasks {
		want = append(want, []any{int64(i + 1), task.Key.Point})
	}
	require.Equal(t, want, got.Rows)
}
