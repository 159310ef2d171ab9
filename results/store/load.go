package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Runs calls do for each selected run, with its settings and metrics, but without attachments,
// in the order in which they were added.
func (s *Store) Runs(ctx context.Context, where []string, do func(id int64, r *Run) error) error {
	b, err := s.builder(ctx)
	if err != nil {
		return err
	}
	text, args, err := b.where(where)
	if err != nil {
		return err
	}
	var ids []int64
	rows, err := s.db.QueryContext(ctx, "SELECT r.id FROM runs r"+b.joins.String()+text+" ORDER BY r.id", append(b.args, args...)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, id := range ids {
		r, err := s.Run(ctx, id)
		if err != nil {
			return err
		}
		if err := do(id, r); err != nil {
			return err
		}
	}
	return nil
}

// Run returns a run by its number in the file, without attachments.
func (s *Store) Run(ctx context.Context, id int64) (*Run, error) {
	r := &Run{Settings: map[string]string{}}
	var date, seed string
	err := s.db.QueryRowContext(ctx, `SELECT point, repeat, spec, status, error, algorithm, scheduler, kernel, kernel_hash, graph, graph_hash,
		vertices, arcs, device, machine, driver, seed, version, date, host, command, wall FROM runs WHERE id = ?`, id).Scan(
		&r.Point, &r.Repeat, &r.Spec, &r.Status, &r.Error, &r.Algorithm, &r.Scheduler, &r.Kernel, &r.KernelHash, &r.Graph, &r.GraphHash,
		&r.Vertices, &r.Arcs, &r.Device, &r.Machine, &r.Driver, &seed, &r.Version, &date, &r.Host, &r.Command, &r.Wall)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("there is no run %d in %s", id, s.file)
	}
	if err != nil {
		return nil, err
	}
	if r.Seed, err = strconv.ParseUint(seed, 10, 64); err != nil {
		return nil, fmt.Errorf("run %d in %s: seed: %w", id, s.file, err)
	}
	if r.Date, err = time.Parse(time.RFC3339Nano, date); err != nil {
		return nil, fmt.Errorf("run %d in %s: date: %w", id, s.file, err)
	}
	rows, err := s.db.QueryContext(ctx, "SELECT name, value FROM settings WHERE run = ?", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		r.Settings[name] = value
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	found, err := s.db.QueryContext(ctx, "SELECT n.name, n.unit, n.meaning, m.value FROM metrics m JOIN names n ON n.id = m.name WHERE m.run = ? ORDER BY n.name", id)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		var m Metric
		if err := found.Scan(&m.Name, &m.Unit, &m.Meaning, &m.Value); err != nil {
			return nil, err
		}
		r.Metrics = append(r.Metrics, m)
	}
	return r, found.Err()
}

// Attachment returns an attachment of a run, or nil if it has none of this kind.
func (s *Store) Attachment(ctx context.Context, id int64, kind string) ([]byte, error) {
	var data []byte
	err := s.db.QueryRowContext(ctx, "SELECT data FROM attachments WHERE run = ? AND kind = ?", id, kind).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return unpack(data)
}

// Machine returns the parameters of a machine as JSON, or nil if the store does not have it.
func (s *Store) Machine(ctx context.Context, hash string) ([]byte, error) {
	return s.text(ctx, "SELECT parameters FROM machines WHERE hash = ?", hash)
}

// Spec returns the text of a specification, or nil if the store does not have it.
func (s *Store) Spec(ctx context.Context, hash string) ([]byte, error) {
	return s.text(ctx, "SELECT text FROM specs WHERE hash = ?", hash)
}

func (s *Store) text(ctx context.Context, query, hash string) ([]byte, error) {
	var text string
	err := s.db.QueryRowContext(ctx, query, hash).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return []byte(text), err
}

// Attachments returns the kinds of attachments of a run, in order.
func (s *Store) Attachments(ctx context.Context, id int64) (kinds []string, err error) {
	rows, err := s.db.QueryContext(ctx, "SELECT kind FROM attachments WHERE run = ? ORDER BY kind", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var kind string
		if err := rows.Scan(&kind); err != nil {
			return nil, err
		}
		kinds = append(kinds, kind)
	}
	return kinds, rows.Err()
}

// Merge adds the runs of another store that this one does not have, with their specifications
// and machines. A run that failed or was not decided makes way for a newer one of its point. It
// returns how many runs were new or replaced.
func (s *Store) Merge(ctx context.Context, from *Store) (added int, err error) {
	for _, t := range []struct{ query, insert string }{
		{"SELECT hash, name, text FROM specs", "INSERT INTO specs VALUES (?, ?, ?) ON CONFLICT DO NOTHING"},
		{"SELECT hash, parameters FROM machines", "INSERT INTO machines VALUES (?, ?) ON CONFLICT DO NOTHING"},
	} {
		rows, err := from.SQL(ctx, t.query)
		if err != nil {
			return 0, err
		}
		for _, row := range rows.Rows {
			if _, err := s.db.ExecContext(ctx, t.insert, row...); err != nil {
				return 0, err
			}
		}
	}
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
		if err != nil || has && !old {
			return err
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
