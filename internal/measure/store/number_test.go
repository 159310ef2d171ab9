package store_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
)

func TestNumber(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.db")
	s := create(t, file)
	key := func(i int) store.Key { return store.Key{Point: sample(i).Point} }
	numbers := func(want ...[]any) {
		got, err := s.SQL(t.Context(), "SELECT id, point FROM runs ORDER BY id")
		require.NoError(t, err)
		require.Equal(t, want, got.Rows)
	}
	require.NoError(t, s.Number(t.Context(), []store.Key{key(5), key(4), key(3)}))
	_, err := s.Add(t.Context(), sample(1), sample(3))
	require.NoError(t, err)
	numbers([]any{int64(3), key(3).Point}, []any{int64(4), key(1).Point}) // 1 is of no plan

	// What is left of a plan has the numbers that it had, beside another plan's.
	require.NoError(t, s.Number(t.Context(), []store.Key{key(2), key(4), key(3), key(5)}))
	require.NoError(t, s.Replace(t.Context(), sample(2)))
	require.NoError(t, s.Replace(t.Context(), sample(4)))
	require.NoError(t, s.Replace(t.Context(), sample(3)))
	other := create(t, filepath.Join(t.TempDir(), "other.db"))
	_, err = other.Add(t.Context(), sample(5))
	require.NoError(t, err)
	_, err = s.Merge(t.Context(), other)
	require.NoError(t, err)
	numbers([]any{int64(1), key(5).Point}, []any{int64(2), key(4).Point}, []any{int64(3), key(3).Point}, []any{int64(4), key(1).Point}, []any{int64(5), key(2).Point})
	left, err := s.SQL(t.Context(), "SELECT count(*) FROM planned")
	require.NoError(t, err)
	require.Equal(t, int64(0), left.Rows[0][0])
}
