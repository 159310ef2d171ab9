package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Runs calls do for each selected run, with its settings and metrics, but without attachments,
// in the order of their numbers.
func (s *Store) Runs(ctx context.Context, where []string, do func(id int64, r *Run) error) error {
	b, err := s.builder(ctx)
	if err != nil {
		return err
	}
	text, args, err := b.where(where)
	if err != nil {
		return err
	}
	ids, err := s.ids(ctx, "SELECT r.id FROM runs r"+b.joins.String()+text+" ORDER BY r.id", args...)
	if err != nil {
		return err
	}
	l, err := s.loader(ctx)
	if err != nil {
		return err
	}
	const most = 256 // in memory at the same time
	for part := range slices.Chunk(ids, most) {
		runs, err := l.load(ctx, part)
		if err != nil {
			return err
		}
		for i, r := range runs {
			if err := do(part[i], r); err != nil {
				return err
			}
		}
	}
	return nil
}

// ids returns the numbers that a query selects.
func (s *Store) ids(ctx context.Context, query string, args ...any) (ids []int64, err error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// Run returns a run by its number in the file, without attachments.
func (s *Store) Run(ctx context.Context, id int64) (*Run, error) {
	found, err := s.ids(ctx, "SELECT id FROM runs WHERE id = ?", id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("there is no run %d in %s", id, s.file)
	}
	l, err := s.loader(ctx)
	if err != nil {
		return nil, err
	}
	runs, err := l.load(ctx, found)
	if err != nil {
		return nil, err
	}
	return runs[0], nil
}

// loader reads many runs with a few queries.
type loader struct {
	*Store
	written  map[string]bool
	metrics  map[int64]Metric // without values
	machines map[string]map[string]string
}

func (s *Store) loader(ctx context.Context) (*loader, error) {
	l := &loader{Store: s, written: map[string]bool{}, metrics: map[int64]Metric{}, machines: map[string]map[string]string{}}
	names, err := s.strings(ctx, "SELECT name FROM written")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		l.written[name] = true
	}
	err = s.each(ctx, "SELECT id, name, unit, meaning FROM names", nil, func(scan func(...any) error) error {
		var id int64
		var m Metric
		err := scan(&id, &m.Name, &m.Unit, &m.Meaning)
		l.metrics[id] = m
		return err
	})
	return l, err
}

// each calls do for each row of a query.
func (s *Store) each(ctx context.Context, query string, args []any, do func(scan func(...any) error) error) error {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// load returns runs by their numbers, which are there and in ascending order.
func (l *loader) load(ctx context.Context, ids []int64) ([]*Run, error) {
	at := map[int64]*Run{}
	runs := make([]*Run, len(ids))
	for i, id := range ids {
		runs[i] = &Run{Settings: map[string]string{}}
		at[id] = runs[i]
	}
	// The tables are ordered by name and run. For runs that follow each other it is twice as quick to
	// read a range of each name as to look for each run; what lies between is skipped.
	first, last := ids[0], ids[len(ids)-1]
	const list = "IN (SELECT value FROM json_each(?))"
	in, args, metrics := list, []any{jsonOf(ids)}, "SELECT run, name, value FROM metrics WHERE run "+list
	if dense := last-first < 2*int64(len(ids)); dense && len(ids) > 1 {
		in, args = "BETWEEN ? AND ?", []any{first, last}
		metrics = "SELECT m.run, m.name, m.value FROM names n CROSS JOIN metrics m WHERE m.name = n.id AND m.run BETWEEN ? AND ?"
	}
	if err := l.rows(ctx, "id "+in, args, at); err != nil {
		return nil, err
	}
	if err := l.settings(ctx, "run "+in, args, at); err != nil {
		return nil, err
	}
	if err := l.each(ctx, "SELECT run, settings FROM spellings WHERE run "+in+" ORDER BY run, settings", args, func(scan func(...any) error) error {
		var id int64
		var text []byte
		if err := scan(&id, &text); err != nil || at[id] == nil {
			return err
		}
		var settings map[string]string
		err := json.Unmarshal(text, &settings)
		at[id].Spellings = append(at[id].Spellings, settings)
		return err
	}); err != nil {
		return nil, err
	}
	err := l.each(ctx, metrics, args, func(scan func(...any) error) error {
		var id, name int64
		var value float64
		if err := scan(&id, &name, &value); err != nil || at[id] == nil {
			return err
		}
		m := l.metrics[name]
		m.Value = value
		at[id].Metrics = append(at[id].Metrics, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = l.each(ctx, "SELECT run, name, value FROM texts WHERE run "+in, args, func(scan func(...any) error) error {
		var id, name int64
		var text string
		if err := scan(&id, &name, &text); err != nil || at[id] == nil {
			return err
		}
		m := l.metrics[name]
		m.Text = text
		at[id].Metrics = append(at[id].Metrics, m)
		return nil
	})
	for _, r := range runs {
		slices.SortFunc(r.Metrics, func(a, b Metric) int { return strings.Compare(a.Name, b.Name) })
	}
	return runs, err
}

// rows reads the rows of runs.
func (l *loader) rows(ctx context.Context, where string, args []any, at map[int64]*Run) error {
	return l.each(ctx, `SELECT id, point, repeat, spec, status, error, algorithm, scheduler, kernel, kernel_hash, graph, graph_hash,
		vertices, arcs, device, machine, driver, seed, version, date, host, command, wall FROM runs WHERE `+where, args, func(scan func(...any) error) error {
		var id int64
		var x Run
		var date, seed string
		if err := scan(&id, &x.Point, &x.Repeat, &x.Spec, &x.Status, &x.Error, &x.Algorithm, &x.Scheduler, &x.Kernel, &x.KernelHash, &x.Graph, &x.GraphHash,
			&x.Vertices, &x.Arcs, &x.Device, &x.Machine, &x.Driver, &seed, &x.Version, &date, &x.Host, &x.Command, &x.Wall); err != nil || at[id] == nil {
			return err
		}
		var err error
		if x.Seed, err = strconv.ParseUint(seed, 10, 64); err != nil {
			return fmt.Errorf("run %d in %s: seed: %w", id, l.file, err)
		}
		if x.Date, err = time.Parse(time.RFC3339Nano, date); err != nil {
			return fmt.Errorf("run %d in %s: date: %w", id, l.file, err)
		}
		x.Settings = at[id].Settings
		*at[id] = x
		return nil
	})
}

// settings reads the settings of runs, and what the machines have of those that were written.
func (l *loader) settings(ctx context.Context, in string, args []any, at map[int64]*Run) error {
	err := l.each(ctx, "SELECT run, name, value FROM settings WHERE "+in, args, func(scan func(...any) error) error {
		var id int64
		var name, value string
		if err := scan(&id, &name, &value); err != nil || at[id] == nil {
			return err
		}
		r := at[id]
		if l.written[name] {
			r.Settings[name] = value
			return nil
		}
		if r.Defaults == nil {
			r.Defaults = map[string]string{}
		}
		r.Defaults[name] = value
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range at {
		parameters, known := l.machines[r.Machine]
		if !known {
			parameters = map[string]string{}
			if err := l.each(ctx, "SELECT name, value FROM written JOIN parameters USING (name) WHERE machine = ?", []any{r.Machine}, func(scan func(...any) error) error {
				var name, value string
				err := scan(&name, &value)
				parameters[name] = value
				return err
			}); err != nil {
				return err
			}
			l.machines[r.Machine] = parameters
		}
		for name, value := range parameters {
			if _, wrote := r.Settings[name]; !wrote {
				r.Settings[name] = value
			}
		}
	}
	return nil
}

// jsonOf returns numbers as a list in JSON.
func jsonOf(ids []int64) string {
	text, _ := json.Marshal(ids) // numbers always have JSON
	return string(text)
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
