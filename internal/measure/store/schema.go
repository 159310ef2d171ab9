package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// migrations are the changes of the schema, in order. The version of a file is the number of
// changes it has had; a change that was published stays as it is.
var migrations = []migration{
	{sql: `CREATE TABLE specs (hash TEXT PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
	CREATE TABLE machines (hash TEXT PRIMARY KEY, parameters TEXT NOT NULL) WITHOUT ROWID;
	CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT NOT NULL, meaning TEXT NOT NULL);
	CREATE TABLE runs (
		id INTEGER PRIMARY KEY,
		point TEXT NOT NULL, repeat INTEGER NOT NULL,
		spec TEXT NOT NULL, status TEXT NOT NULL, error TEXT NOT NULL,
		algorithm TEXT NOT NULL, scheduler TEXT NOT NULL, kernel TEXT NOT NULL, kernel_hash TEXT NOT NULL,
		graph TEXT NOT NULL, graph_hash TEXT NOT NULL, vertices INTEGER NOT NULL, arcs INTEGER NOT NULL,
		device TEXT NOT NULL, machine TEXT NOT NULL, driver TEXT NOT NULL, seed TEXT NOT NULL,
		version TEXT NOT NULL, date TEXT NOT NULL, host TEXT NOT NULL, command TEXT NOT NULL, wall REAL NOT NULL,
		UNIQUE (point, repeat));
	CREATE INDEX runs_by_what ON runs (algorithm, scheduler, graph, device);
	CREATE TABLE settings (run INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name, run)) WITHOUT ROWID;
	CREATE INDEX settings_by_run ON settings (run);
	CREATE TABLE metrics (name INTEGER NOT NULL, run INTEGER NOT NULL, value REAL NOT NULL, PRIMARY KEY (name, run)) WITHOUT ROWID;
	CREATE INDEX metrics_by_run ON metrics (run);
	CREATE TABLE attachments (run INTEGER NOT NULL, kind TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (run, kind)) WITHOUT ROWID;
	CREATE VIEW measured AS SELECT r.*, n.name AS metric, n.unit AS unit, m.value AS value
		FROM metrics m JOIN names n ON n.id = m.name JOIN runs r ON r.id = m.run;`},
	// Before, settings had only what a specification wrote.
	{sql: `CREATE TABLE written (name TEXT PRIMARY KEY) WITHOUT ROWID;
	INSERT INTO written SELECT DISTINCT name FROM settings;
	CREATE TABLE spellings (run INTEGER NOT NULL, settings TEXT NOT NULL, PRIMARY KEY (run, settings)) WITHOUT ROWID;
	INSERT INTO spellings SELECT run, json_group_object(name, value) FROM settings GROUP BY run;
	CREATE TABLE parameters (name TEXT NOT NULL, machine TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name, machine)) WITHOUT ROWID;
	` + parametersOf + `;
	UPDATE settings SET value = p.value FROM runs r, parameters p WHERE r.id = settings.run AND p.machine = r.machine AND p.name = settings.name;
	INSERT OR IGNORE INTO settings SELECT r.id, d.column1, d.column2 FROM runs r,
		(VALUES ('source', 'max-degree'), ('symmetrize', 'false'), ('drop-isolated', 'false'), ('permute', '0'), ('budget', '0'), ('verify', 'true')) d
		WHERE r.algorithm <> '';
	INSERT OR IGNORE INTO settings SELECT r.id, d.column1, d.column2 FROM runs r,
		(VALUES ('shared', '0'), ('registers', '0'), ('launches', '1'), ('cooperative', 'false'), ('budget', '0')) d
		WHERE r.algorithm = '';`, then: fillParams},
	// Before, graph_hash had the flags that named the graph, with the hash of a file's bytes. What cannot be
	// converted is unknown.
	{sql: `CREATE TABLE sweeping (process TEXT NOT NULL);
	UPDATE runs SET graph_hash = '' WHERE graph_hash LIKE '--graph %';`},
	// Before, runs were numbered as they ended.
	{sql: `CREATE TABLE planned (id INTEGER PRIMARY KEY, point TEXT NOT NULL, repeat INTEGER NOT NULL, UNIQUE (point, repeat));`},
	{sql: `CREATE TABLE texts (name INTEGER NOT NULL, run INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name, run)) WITHOUT ROWID;
	CREATE INDEX texts_by_run ON texts (run);`},
}

// parametersOf adds the parameters of all machines, as text.
const parametersOf = `INSERT OR IGNORE INTO parameters SELECT p.key, m.hash, CASE p.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(p.value AS TEXT) END
	FROM machines m, json_each(m.parameters) p`

// migration is a change of the schema: SQL, and what SQL cannot do.
type migration struct {
	sql  string
	then func(ctx context.Context, c *sql.Conn) error // may be nil
}

// migrate brings the schema of a file up to date. A file of a newer program is refused.
func migrate(ctx context.Context, db *sql.DB) error {
	// An exclusive transaction, so that two programs that create a file do so one after the other.
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	var version int
	if err := c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version == len(migrations) {
		return nil
	}
	if version > len(migrations) {
		return fmt.Errorf("they have schema version %d; this program knows versions up to %d: use a newer weft", version, len(migrations))
	}
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err = upgrade(ctx, c)
	if err != nil {
		_, _ = c.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return err
	}
	_, err = c.ExecContext(ctx, "COMMIT")
	return err
}

// upgrade runs the changes that are missing.
func upgrade(ctx context.Context, c *sql.Conn) error {
	var version, tables int
	err := c.QueryRowContext(ctx, "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_master)").Scan(&version, &tables)
	if err != nil {
		return err
	}
	if version == 0 && tables > 0 {
		return errors.New("it is an SQLite database, but not of weft")
	}
	for ; version < len(migrations); version++ {
		m := migrations[version]
		_, err := c.ExecContext(ctx, m.sql)
		if err == nil && m.then != nil {
			err = m.then(ctx, c)
		}
		if err != nil {
			return fmt.Errorf("schema version %d: %w", version+1, err)
		}
	}
	_, err = c.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
	return err
}
