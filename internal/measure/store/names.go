package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/internal/measure/table"
)

// Names returns the settings that specifications of the store wrote, and every metric.
func (s *Store) Names(ctx context.Context) (settings []string, metrics []table.Column, err error) {
	if settings, err = s.strings(ctx, "SELECT name FROM written ORDER BY name"); err != nil {
		return nil, nil, err
	}
	found, err := s.db.QueryContext(ctx, "SELECT name, unit, meaning FROM names ORDER BY name")
	if err != nil {
		return nil, nil, err
	}
	defer found.Close()
	for found.Next() {
		var c table.Column
		if err := found.Scan(&c.Name, &c.Unit, &c.Meaning); err != nil {
			return nil, nil, err
		}
		metrics = append(metrics, c)
	}
	return settings, metrics, found.Err()
}

// Unwritten returns the settings that all specifications left at their defaults, and the
// parameters of machines that none set. Queries know them, too.
func (s *Store) Unwritten(ctx context.Context) (settings, parameters []string, err error) {
	written, err := s.strings(ctx, "SELECT name FROM written")
	if err != nil {
		return nil, nil, err
	}
	if settings, err = s.distinct(ctx, "settings"); err != nil {
		return nil, nil, err
	}
	if parameters, err = s.distinct(ctx, "parameters"); err != nil {
		return nil, nil, err
	}
	wrote := func(name string) bool { return slices.Contains(written, name) }
	return slices.DeleteFunc(settings, wrote), slices.DeleteFunc(parameters, wrote), nil
}

// distinct returns the names in a table that is ordered by name. SQLite jumps from one to the next,
// instead of reading all rows.
func (s *Store) distinct(ctx context.Context, table string) ([]string, error) {
	return s.strings(ctx, fmt.Sprintf(`WITH RECURSIVE n(name) AS (
		SELECT min(name) FROM %[1]s UNION ALL SELECT (SELECT min(name) FROM %[1]s WHERE name > n.name) FROM n WHERE n.name IS NOT NULL)
		SELECT name FROM n WHERE name IS NOT NULL`, table))
}

// strings returns the first column of a query.
func (s *Store) strings(ctx context.Context, query string) (list []string, err error) {
	rows, err := s.db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, rows.Err()
}

// Known returns those of names that queries of this store know, in order.
func (s *Store) Known(ctx context.Context, names []string) ([]string, error) {
	b, err := s.builder(ctx)
	if err != nil {
		return nil, err
	}
	all := b.known()
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(all, name) }), nil
}
