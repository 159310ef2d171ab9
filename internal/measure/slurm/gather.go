package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// gather merges files of results into the store: those that are complete, and with ended those
// that workers of shares left open for which it returns true. It returns what the files had.
func (e *engine) gather(ctx context.Context, over func(share int) bool) (map[store.Key]store.Status, error) {
	entries, err := os.ReadDir(e.path("shards"))
	if err != nil {
		return nil, err
	}
	got := map[store.Key]store.Status{}
	for _, entry := range entries {
		file := e.path("shards", entry.Name())
		switch share, ok := shareOf(file); {
		case strings.HasSuffix(file, complete):
			if err := e.merge(ctx, file, got); err != nil {
				return got, err
			}
		case strings.HasSuffix(file, partial) && ok && over(share):
			// What cannot be read was not committed; its points are missing and run again.
			if err := e.merge(ctx, file, got); err != nil && !errors.Is(err, errUnreadable) {
				return got, err
			}
		}
	}
	return got, nil
}

// errUnreadable is the error of a file of results that is damaged.
var errUnreadable = errors.New("unreadable results")

// merge adds the results of a file to the store and removes the file. It reads a copy, so that
// nothing is written where a worker may still be, or where the disk is full.
func (e *engine) merge(ctx context.Context, file string, got map[store.Key]store.Status) error {
	dir, err := os.MkdirTemp("", "weft-shard-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	local := filepath.Join(dir, "shard.db")
	for _, part := range []string{"", "-wal"} {
		if err := copyFile(local+part, file+part, 0o600); err != nil && !(part != "" && errors.Is(err, os.ErrNotExist)) {
			return fmt.Errorf("copying results to %s: %w", dir, err)
		}
	}
	keys, err := e.mergeCopy(ctx, local)
	if err != nil {
		return fmt.Errorf("results in %s: %w", file, err)
	}
	for k, status := range keys {
		got[k] = status
	}
	for _, part := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(file + part); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (e *engine) mergeCopy(ctx context.Context, local string) (map[store.Key]store.Status, error) {
	from, err := store.Open(ctx, local)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnreadable, err)
	}
	defer func() { _ = from.Close() }() // a copy that is removed
	whole, err := from.SQL(ctx, "SELECT quick_check FROM pragma_quick_check")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnreadable, err)
	}
	if len(whole.Rows) != 1 || whole.Rows[0][0] != "ok" {
		return nil, fmt.Errorf("%w: %v", errUnreadable, whole.Rows)
	}
	keys, err := from.Keys(ctx)
	if err != nil {
		return nil, err
	}
	_, err = e.store.Merge(ctx, from)
	return keys, err
}
