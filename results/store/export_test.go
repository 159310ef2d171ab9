package store

import (
	"context"
	"fmt"
)

// SetVersion sets the schema version of a file.
func SetVersion(ctx context.Context, s *Store, version int) error {
	_, err := s.db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
	return err
}

// Refuse makes the file refuse runs of an algorithm.
func Refuse(ctx context.Context, s *Store, algorithm string) error {
	_, err := s.db.ExecContext(ctx, fmt.Sprintf("CREATE TRIGGER refuse AFTER INSERT ON metrics WHEN (SELECT algorithm FROM runs WHERE id = NEW.run) = '%s' BEGIN SELECT RAISE(ABORT, 'refused'); END", algorithm))
	return err
}
