package store

import (
	"context"
	"database/sql"
	"fmt"
)

// SetVersion sets the schema version of a file.
func SetVersion(ctx context.Context, s *Store, version int) error {
	_, err := s.db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
	return err
}

// CreateOld creates a file of an older schema version, and runs statements.
func CreateOld(ctx context.Context, file string, version int, statements ...string) error {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	for _, m := range migrations[:version] {
		if _, err := db.ExecContext(ctx, m.sql); err != nil {
			return err
		}
	}
	for _, text := range append(statements, fmt.Sprintf("PRAGMA user_version = %d", version)) {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return db.Close()
}

// Pack compresses an attachment.
var Pack = pack

// Refuse makes the file refuse runs of an algorithm.
func Refuse(ctx context.Context, s *Store, algorithm string) error {
	_, err := s.db.ExecContext(ctx, fmt.Sprintf("CREATE TRIGGER refuse AFTER INSERT ON metrics WHEN (SELECT algorithm FROM runs WHERE id = NEW.run) = '%s' BEGIN SELECT RAISE(ABORT, 'refused'); END", algorithm))
	return err
}
