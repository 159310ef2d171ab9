package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// The endings of files of results: of one that is being written, and of one that is complete.
const partial, complete = ".part", ".db"

// shard writes results into a row of files. It is a sweep.Sink.
type shard struct {
	folder, prefix string
	every          time.Duration // a file gets results for so long

	mu       sync.Mutex
	number   int          // of the file
	open     *store.Store // nil if there is none
	timer    *time.Timer
	spec     [2]string         // name and text
	machines map[string][]byte // that runs may use
	written  map[string]bool   // machines that are in the open file
	failed   error             // of a file that the timer closed
}

func newShard(folder, prefix string, every time.Duration) *shard {
	return &shard{folder: folder, prefix: prefix, every: every, machines: map[string][]byte{}}
}

// name returns the name of the current file without its ending.
func (s *shard) name() string {
	return filepath.Join(s.folder, fmt.Sprintf("%s-%d", s.prefix, s.number))
}

// file opens a file if none is open.
func (s *shard) file(ctx context.Context) error {
	if s.failed != nil || s.open != nil {
		return s.failed
	}
	st, err := store.Create(ctx, s.name()+partial)
	if err != nil {
		return err
	}
	if _, err := st.AddSpec(ctx, s.spec[0], s.spec[1]); err != nil {
		return errors.Join(err, st.Close())
	}
	s.open, s.written = st, map[string]bool{}
	s.timer = time.AfterFunc(s.every, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open == st {
			s.failed = s.finish()
		}
	})
	return nil
}

// finish closes the file and says by its name that it is complete.
func (s *shard) finish() error {
	if s.open == nil {
		return nil
	}
	s.timer.Stop()
	err := s.open.Close()
	s.open = nil
	name := s.name()
	s.number++
	if err != nil {
		return err
	}
	if info, err := os.Stat(name + partial + "-wal"); err == nil && info.Size() > 0 {
		// SQLite could not write everything into the main file, so the engine must read both.
		return fmt.Errorf("closing %s: no space for what was written last, which is in %s-wal", name+partial, name+partial)
	}
	return os.Rename(name+partial, name+complete)
}

// AddSpec keeps the specification for all files, and returns its hash.
func (s *shard) AddSpec(ctx context.Context, name, text string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spec = [2]string{name, text}
	if err := s.file(ctx); err != nil {
		return "", err
	}
	return s.open.AddSpec(ctx, name, text)
}

// Number does nothing: the engine has numbered the runs in the store into which it merges the files.
func (s *shard) Number(context.Context, []store.Key) error { return nil }

// AddMachine keeps a machine for the files with runs on it.
func (s *shard) AddMachine(_ context.Context, hash string, parameters []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.machines[hash] = parameters
	return nil
}

// Replace adds a run.
func (s *shard) Replace(ctx context.Context, r *store.Run) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.file(ctx); err != nil {
		return err
	}
	if m := s.machines[r.Machine]; m != nil && !s.written[r.Machine] {
		if err := s.open.AddMachine(ctx, r.Machine, m); err != nil {
			return err
		}
		s.written[r.Machine] = true
	}
	return s.open.Replace(ctx, r)
}

// Close completes the last file.
func (s *shard) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.failed, s.finish())
}
