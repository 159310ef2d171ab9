package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Merge adds the runs of another store that this one does not have, with their specifications,
// machines and spellings. A run that failed or was not decided makes way for a newer one of its point. It
// returns how many runs were new or replaced.
func (s *Store) Merge(ctx context.Context, from *Store) (added int, err error) {
	for _, t := range []struct{ query, insert string }{
		{"SELECT hash, name, text FROM specs", "INSERT INTO specs VALUES (?, ?, ?) ON CONFLICT DO NOTHING"},
		{"SELECT hash, parameters FROM machines", "INSERT INTO machines VALUES (?, ?) ON CONFLICT DO NOTHING"},
		{"SELECT name, machine, value FROM parameters", "INSERT INTO parameters VALUES (?, ?, ?) ON CONFLICT DO NOTHING"},
	} {
		rows, err := tableOf(ctx, from.db, t.query)
		if err != nil {
			return 0, err
		}
		err = s.within(ctx, func(tx *sql.Tx) error {
			for _, row := range rows.Rows {
				if _, err := tx.ExecContext(ctx, t.insert, row...); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	spelled := map[Key][]map[string]string{} // of runs that are there
	// A transaction waits for the disk, so it takes several runs.
	const most = 64
	var batch []*Run
	flush := func() error {
		n, err := s.Add(ctx, batch...)
		added, batch = added+n, nil
		return err
	}
	err = from.Runs(ctx, nil, func(id int64, r *Run) error {
		has, old, err := s.outdated(ctx, r)
		if err != nil {
			return err
		}
		if has && !old {
			spelled[Key{r.Point, r.Repeat}] = r.Spellings
			return nil
		}
		kinds, err := from.Attachments(ctx, id)
		if err != nil {
			return err
		}
		r.Attachments = map[string][]byte{}
		for _, kind := range kinds {
			if r.Attachments[kind], err = from.Attachment(ctx, id, kind); err != nil {
				return err
			}
		}
		if old {
			added++
			return s.Replace(ctx, r)
		}
		if batch = append(batch, r); len(batch) < most {
			return nil
		}
		return flush()
	})
	if err == nil && len(batch) > 0 {
		err = flush()
	}
	if err == nil {
		err = s.Spell(ctx, spelled)
	}
	return added, err
}

// outdated reports whether the store has the run r, and whether what it has makes way for r.
func (s *Store) outdated(ctx context.Context, r *Run) (has, old bool, err error) {
	var status Status
	var date string
	err = s.db.QueryRowContext(ctx, "SELECT status, date FROM runs WHERE point = ? AND repeat = ?", r.Point, r.Repeat).Scan(&status, &date)
	if errors.Is(err, sql.ErrNoRows) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	at, err := time.Parse(time.RFC3339Nano, date)
	return true, (status == Failed || status == Undecided) && r.Date.After(at), err
}
