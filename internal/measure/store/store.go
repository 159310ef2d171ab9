package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"modernc.org/sqlite" // the driver "sqlite", in pure Go
	sqlite3 "modernc.org/sqlite/lib"
)

// Store is an open file of results. It is safe for concurrent use, and several programs may
// have the same file open.
type Store struct {
	db    *sql.DB
	file  string
	fixed bool     // it is read as a file that no program changes, since nothing can be written beside it
	lock  *os.File // what Reserve locked; nil before

	mu    sync.Mutex
	names map[string]int64 // ids of metrics
}

// busy is how long a program waits for another one's transaction.
const busy = 60 * time.Second

// Create opens a file and makes it if it does not exist.
func Create(ctx context.Context, file string) (*Store, error) { return open(ctx, file, "rwc") }

// Open opens an existing file. If the disk is full or the folder cannot be written, the store can only be read,
// and only if no program has written to it that did not end in order.
func Open(ctx context.Context, file string) (*Store, error) {
	if info, err := os.Stat(file); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", file)
	}
	s, err := open(ctx, file, "rw")
	if reason := unwritable(err); reason != "" {
		return openFixed(ctx, file, reason)
	}
	return s, err
}

// address returns the data source of a file for SQLite's driver; query has parameters of SQLite's URI.
func address(file, query string, pragmas ...string) string {
	q := url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath(), RawQuery: query + "&" + q.Encode()}).String()
}

func open(ctx context.Context, file, mode string) (*Store, error) {
	// A crash of the program loses nothing in WAL mode; synchronous=FULL keeps what was added
	// also if the machine loses power.
	db, err := sql.Open("sqlite", address(file, "mode="+mode,
		fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()), "journal_mode(WAL)", "synchronous(FULL)", "temp_store(MEMORY)", "cache_size(-65536)"))
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, db); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("results in %s: %w", file, unusable(file, err))
	}
	return &Store{db: db, file: file, names: map[string]int64{}}, nil
}

// openFixed opens a file for reading where SQLite cannot write the files beside it that it needs to read while
// others write. reason is why.
func openFixed(ctx context.Context, file, reason string) (*Store, error) {
	if info, err := os.Stat(file + "-wal"); err == nil && info.Size() > 0 {
		return nil, fmt.Errorf("results in %[1]s: %[2]s, and what was added last is in %[1]s-wal, which cannot be read then", file, reason)
	}
	db, err := sql.Open("sqlite", address(file, "mode=ro&immutable=1", "temp_store(MEMORY)", "cache_size(-65536)"))
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, db); err != nil {
		_ = db.Close()
		if unwritable(err) != "" {
			return nil, fmt.Errorf("results in %s: %s, and they are of an older schema version, which the first opening brings up to date", file, reason)
		}
		return nil, fmt.Errorf("results in %s: %w", file, unusable(file, err))
	}
	return &Store{db: db, file: file, fixed: true, names: map[string]int64{}}, nil
}

// unwritable returns why SQLite could not write, in words, if that is what an error says, and "" otherwise.
func unwritable(err error) string {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return ""
	}
	switch code := failure.Code(); {
	case code&0xff == sqlite3.SQLITE_FULL, code == sqlite3.SQLITE_IOERR_SHMSIZE, code == sqlite3.SQLITE_IOERR_WRITE:
		return "the disk is full"
	case code&0xff == sqlite3.SQLITE_READONLY, code&0xff == sqlite3.SQLITE_CANTOPEN, code == sqlite3.SQLITE_IOERR_SHMOPEN:
		return "the file or its folder cannot be written"
	}
	return ""
}

// Reserved is the error of Store.Reserve for a file that another program has reserved.
type Reserved struct {
	File string
	By   string // the process
}

// Error returns the message.
func (e *Reserved) Error() string {
	if e.By == "" {
		return fmt.Sprintf("a sweep already adds to %s", e.File)
	}
	return fmt.Sprintf("a sweep already adds to %s: %s", e.File, e.By)
}

// unusable words an error of SQLite with a file that it cannot open or read.
func unusable(file string, err error) error {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return err
	}
	folder := filepath.Dir(file)
	switch code := failure.Code() & 0xff; {
	case code == sqlite3.SQLITE_NOTADB:
		return errors.New("it is not a file of results; weft sweep writes them")
	case unwritable(failure) == "the disk is full":
		return &worded{"the disk is full", failure}
	case code != sqlite3.SQLITE_CANTOPEN:
		return err
	}
	if info, statErr := os.Stat(file); statErr == nil && info.IsDir() {
		return errors.New("it is a folder; name a file in it")
	}
	if _, statErr := os.Stat(folder); errors.Is(statErr, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s", folder)
	}
	return &worded{"the file cannot be opened or written", failure}
}

// worded is an error of SQLite in other words.
type worded struct {
	text  string
	cause error
}

func (e *worded) Error() string { return e.text }
func (e *worded) Unwrap() error { return e.cause }

// File returns the name of the file.
func (s *Store) File() string { return s.file }

// Close closes the file.
func (s *Store) Close() error {
	err := s.db.Close()
	if s.lock != nil { // not before: closing it ends the locks that SQLite has on the file in this process
		err = errors.Join(err, s.lock.Close())
	}
	return err
}

// Key identifies a run.
type Key struct {
	Point  string
	Repeat int
}

// Keys returns all runs that the store has, with their status.
func (s *Store) Keys(ctx context.Context) (map[Key]Status, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT point, repeat, status FROM runs")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	keys := map[Key]Status{}
	for rows.Next() {
		var k Key
		var status Status
		if err := rows.Scan(&k.Point, &k.Repeat, &status); err != nil {
			return nil, err
		}
		keys[k] = status
	}
	return keys, rows.Err()
}

// AddSpec adds the text of a specification and returns its hash.
func (s *Store) AddSpec(ctx context.Context, name, text string) (string, error) {
	sum := sha256.Sum256([]byte(text))
	hash := hex.EncodeToString(sum[:])
	_, err := s.db.ExecContext(ctx, "INSERT INTO specs VALUES (?, ?, ?) ON CONFLICT DO NOTHING", hash, name, text)
	return hash, err
}

// within calls do in a transaction.
func (s *Store) within(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err = do(tx); err == nil {
		err = tx.Commit()
	}
	if err != nil {
		err = errors.Join(err, rolledBack(tx))
	}
	return err
}

// AddMachine adds a machine: its hash and all its parameters as JSON.
func (s *Store) AddMachine(ctx context.Context, hash string, parameters []byte) error {
	return s.within(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO machines VALUES (?, ?) ON CONFLICT DO NOTHING", hash, string(parameters)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, parametersOf+" WHERE m.hash = ?", hash)
		return err
	})
}

// Replace adds a run in place of the one that the store has, if it has one.
func (s *Store) Replace(ctx context.Context, r *Run) error {
	fresh := map[string]int64{}
	if err := s.within(ctx, func(tx *sql.Tx) error { return s.replace(ctx, tx, r, fresh) }); err != nil {
		return fmt.Errorf("replacing a run of %s in %s: %w", r.what(), s.file, err)
	}
	s.keep(fresh)
	return nil
}

func (s *Store) replace(ctx context.Context, tx *sql.Tx, r *Run, fresh map[string]int64) error {
	old, err := spellings(ctx, tx, "WHERE run = (SELECT id FROM runs WHERE point = ? AND repeat = ?)", r.Point, r.Repeat)
	if err != nil {
		return err
	}
	if len(old) > 0 {
		again := *r
		again.Spellings = append(r.spellings(), slices.Concat(slices.Collect(maps.Values(old))...)...)
		r = &again
	}
	for _, table := range []string{"settings", "spellings", "metrics", "texts", "attachments"} {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE run = (SELECT id FROM runs WHERE point = ? AND repeat = ?)", r.Point, r.Repeat); err != nil {
			return err
		}
	}
	// What replaces a run has its number.
	if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO planned SELECT id, point, repeat FROM runs WHERE point = ? AND repeat = ?", r.Point, r.Repeat); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM runs WHERE point = ? AND repeat = ?", r.Point, r.Repeat); err != nil {
		return err
	}
	_, err = s.add(ctx, tx, r, fresh)
	return err
}

// keep remembers ids of names that were committed.
func (s *Store) keep(fresh map[string]int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.Copy(s.names, fresh)
}

// Add adds runs, all or none. Runs that the store has are ignored. It returns how many were
// new.
func (s *Store) Add(ctx context.Context, runs ...*Run) (added int, err error) {
	fresh := map[string]int64{}
	err = s.within(ctx, func(tx *sql.Tx) error {
		for _, r := range runs {
			ok, err := s.add(ctx, tx, r, fresh)
			if err != nil {
				return fmt.Errorf("adding a run of %s to %s: %w", r.what(), s.file, err)
			}
			if ok {
				added++
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	s.keep(fresh)
	return added, nil
}

func rolledBack(tx *sql.Tx) error {
	if err := tx.Rollback(); !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

func (s *Store) add(ctx context.Context, tx *sql.Tx, r *Run, fresh map[string]int64) (bool, error) {
	done, err := tx.ExecContext(ctx, `INSERT INTO runs (id, point, repeat, spec, status, error, algorithm, scheduler, kernel, kernel_hash, graph, graph_hash,
		vertices, arcs, device, machine, driver, seed, version, date, host, command, wall)
		VALUES (coalesce((SELECT id FROM planned WHERE point = ? AND repeat = ?), (`+nextID+`)),?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (point, repeat) DO NOTHING`,
		r.Point, r.Repeat, r.Point, r.Repeat, r.Spec, string(r.Status), r.Error, r.Algorithm, r.Scheduler, r.Kernel, r.KernelHash, r.Graph, r.GraphHash,
		r.Vertices, r.Arcs, r.Device, r.Machine, r.Driver, strconv.FormatUint(r.Seed, 10), r.Version, r.Date.UTC().Format(time.RFC3339Nano), r.Host, r.Command, r.Wall)
	if err != nil {
		return false, err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	id, err := done.LastInsertId()
	if err != nil {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM planned WHERE id = ?", id); err != nil {
		return false, err
	}
	if err := addSettings(ctx, tx, id, r); err != nil {
		return false, err
	}
	if len(r.Metrics) > 0 {
		insert, err := tx.PrepareContext(ctx, "INSERT OR REPLACE INTO metrics VALUES (?, ?, ?)")
		if err != nil {
			return false, err
		}
		defer insert.Close()
		text, err := tx.PrepareContext(ctx, "INSERT OR REPLACE INTO texts VALUES (?, ?, ?)")
		if err != nil {
			return false, err
		}
		defer text.Close()
		for _, m := range r.Metrics {
			if math.IsNaN(m.Value) {
				continue // a number that there is not, such as a share of nothing
			}
			name, err := s.name(ctx, tx, m, fresh)
			if err != nil {
				return false, err
			}
			if m.Text != "" {
				_, err = text.ExecContext(ctx, name, id, m.Text)
			} else {
				_, err = insert.ExecContext(ctx, name, id, m.Value)
			}
			if err != nil {
				return false, err
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Attachments)) {
		data, err := pack(r.Attachments[kind])
		if err != nil {
			return false, err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO attachments VALUES (?, ?, ?)", id, kind, data); err != nil {
			return false, err
		}
	}
	return true, nil
}

// name returns the id of a metric's name. fresh are those that the transaction made.
func (s *Store) name(ctx context.Context, tx *sql.Tx, m Metric, fresh map[string]int64) (int64, error) {
	s.mu.Lock()
	id, ok := s.names[m.Name]
	s.mu.Unlock()
	if ok {
		return id, nil
	}
	if id, ok := fresh[m.Name]; ok {
		return id, nil
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO names (name, unit, meaning) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", m.Name, m.Unit, m.Meaning); err != nil {
		return 0, err
	}
	if err := tx.QueryRowContext(ctx, "SELECT id FROM names WHERE name = ?", m.Name).Scan(&id); err != nil {
		return 0, err
	}
	fresh[m.Name] = id
	return id, nil
}

// pack compresses an attachment.
func pack(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

// unpack is the opposite of pack.
func unpack(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
