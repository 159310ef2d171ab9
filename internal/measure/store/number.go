package store

import (
	"context"
	"database/sql"
)

// nextID is a query for the number that no run of the file has, and none that is planned.
const nextID = "SELECT 1 + max((SELECT coalesce(max(id), 0) FROM runs), (SELECT coalesce(max(id), 0) FROM planned))"

// Number gives runs their numbers in the file, in the order of keys, before they are added: several that run at the same
// time end in any order, and tables list them by number. Those that the file has, or that were planned before, keep theirs.
func (s *Store) Number(ctx context.Context, keys []Key) error {
	return s.within(ctx, func(tx *sql.Tx) error {
		var next int64
		if err := tx.QueryRowContext(ctx, nextID).Scan(&next); err != nil {
			return err
		}
		insert, err := tx.PrepareContext(ctx, "INSERT INTO planned SELECT ?1, ?2, ?3 WHERE NOT EXISTS (SELECT 1 FROM runs WHERE point = ?2 AND repeat = ?3) ON CONFLICT DO NOTHING")
		if err != nil {
			return err
		}
		defer insert.Close()
		for _, k := range keys {
			done, err := insert.ExecContext(ctx, next, k.Point, k.Repeat)
			if err != nil {
				return err
			}
			n, err := done.RowsAffected()
			if err != nil {
				return err
			}
			next += n
		}
		return nil
	})
}
