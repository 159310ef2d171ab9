package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
)

// Settings are stored by their values in effect: those that a specification wrote, and the
// defaults of those that it left out. Which names specifications wrote is known for the file as a
// whole, since tables and comparisons leave out what nobody wrote. How each run was spelled says
// which specifications it belongs to.

// spellings returns how a run was written, at least once.
func (r *Run) spellings() []map[string]string {
	if len(r.Spellings) == 0 {
		return []map[string]string{r.Settings}
	}
	return slices.Clone(r.Spellings)
}

// addSettings adds the settings of a run.
func addSettings(ctx context.Context, tx *sql.Tx, id int64, r *Run) error {
	all := maps.Clone(r.Defaults)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, r.Settings)
	insert, err := tx.PrepareContext(ctx, "INSERT INTO settings VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if _, err := insert.ExecContext(ctx, id, name, all[name]); err != nil {
			return err
		}
	}
	return spell(ctx, tx, id, r.spellings()...)
}

// spell adds spellings of a run.
func spell(ctx context.Context, tx *sql.Tx, id int64, list ...map[string]string) error {
	for _, settings := range list {
		text, err := json.Marshal(settings) // sorts by name
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO spellings VALUES (?, ?)", id, string(text)); err != nil {
			return err
		}
	}
	return wrote(ctx, tx, list...)
}

// wrote adds names of settings to those that specifications wrote.
func wrote(ctx context.Context, tx *sql.Tx, list ...map[string]string) error {
	names := map[string]bool{}
	for _, settings := range list {
		for name := range settings {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO written VALUES (?)", name); err != nil {
			return err
		}
	}
	return nil
}

// Spell says how specifications write runs that the store has. Runs that it does not have are
// ignored.
func (s *Store) Spell(ctx context.Context, written map[Key][]map[string]string) error {
	if len(written) == 0 {
		return nil
	}
	return s.within(ctx, func(tx *sql.Tx) error {
		insert, err := tx.PrepareContext(ctx, "INSERT OR IGNORE INTO spellings SELECT id, ? FROM runs WHERE point = ? AND repeat = ?")
		if err != nil {
			return err
		}
		defer insert.Close()
		var fresh []map[string]string
		for k, list := range written {
			for _, settings := range list {
				text, err := json.Marshal(settings)
				if err != nil {
					return err
				}
				done, err := insert.ExecContext(ctx, string(text), k.Point, k.Repeat)
				if err != nil {
					return err
				}
				if n, err := done.RowsAffected(); err != nil {
					return err
				} else if n > 0 {
					fresh = append(fresh, settings)
				}
			}
		}
		return wrote(ctx, tx, fresh...)
	})
}

// Spellings returns how specifications wrote each run, by its number in the file.
func (s *Store) Spellings(ctx context.Context) (map[int64][]map[string]string, error) {
	return spellings(ctx, s.db, "")
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func spellings(ctx context.Context, q querier, where string, args ...any) (map[int64][]map[string]string, error) {
	rows, err := q.QueryContext(ctx, "SELECT run, settings FROM spellings "+where+" ORDER BY run, settings", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := map[int64][]map[string]string{}
	for rows.Next() {
		var id int64
		var text []byte
		if err := rows.Scan(&id, &text); err != nil {
			return nil, err
		}
		var settings map[string]string
		if err := json.Unmarshal(text, &settings); err != nil {
			return nil, err
		}
		list[id] = append(list[id], settings)
	}
	return list, rows.Err()
}
