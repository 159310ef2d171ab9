package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/weft-gpu/weft/internal/base/memory"
	"github.com/weft-gpu/weft/internal/measure/table"
)

// SQL runs one query in SQL. It cannot change anything, here or in another file: the connection is opened
// for reading, no other file can be attached to it, and a statement that is no query is refused. When ctx
// ends, so does the query, and SQL returns ctx's error.
func (s *Store) SQL(ctx context.Context, text string, args ...any) (*table.Table, error) {
	if err := isQuery(text); err != nil {
		return nil, err
	}
	query := "mode=ro"
	if s.fixed {
		query += "&immutable=1"
	}
	db, err := sql.Open("sqlite", address(s.file, query, "temp_store(MEMORY)", "query_only(1)", fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds())))
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }() // only read
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for limit, most := range map[int]int{sqlite3.SQLITE_LIMIT_ATTACHED: 0, sqlite3.SQLITE_LIMIT_LENGTH: longest} {
		if _, err := sqlite.Limit(c, limit, most); err != nil {
			return nil, err
		}
	}
	if err := limitHeap(ctx, c); err != nil {
		return nil, err
	}
	t, err := tableOf(ctx, c, text, args...)
	var failure *sqlite.Error
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err() // and not that SQLite was interrupted
	case errors.As(err, &failure) && failure.Code()&0xff == sqlite3.SQLITE_READONLY:
		return nil, errors.New("a query cannot change anything")
	case errors.As(err, &failure) && failure.Code()&0xff == sqlite3.SQLITE_NOMEM:
		return nil, errors.New("the query needs more memory than a quarter of what is free; group or limit its rows")
	}
	return t, err
}

// longest is the maximum size of a text or blob in a query. An attachment is far smaller.
const longest = 1 << 28

// tableOf returns the answer of a query.
func tableOf(ctx context.Context, q querier, text string, args ...any) (*table.Table, error) {
	rows, err := q.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	t := &table.Table{}
	for _, name := range names {
		t.Columns = append(t.Columns, table.Column{Name: name})
	}
	err = read(rows, t)
	return t, err
}

// queries are the words with which a query begins.
var queries = []string{"SELECT", "WITH", "VALUES", "EXPLAIN"}

// isQuery rejects a text that is not one statement that asks. PRAGMA is not: some change the file or the
// connection; those that ask are tables too, such as pragma_table_info('runs').
func isQuery(text string) error {
	first, rest := "", text
	for ended := false; ; {
		token, left := nextToken(rest)
		switch {
		case token == "" && first == "":
			return errors.New("there is no query in it")
		case token == "":
			return nil
		case token == ";":
			ended = first != ""
		case ended:
			return errors.New("there are several statements; give one query")
		case first == "":
			if first = token; !slices.Contains(queries, strings.ToUpper(first)) {
				return fmt.Errorf("a query begins with SELECT, WITH, VALUES or EXPLAIN, and this one with %.20q", first)
			}
		}
		rest = left
	}
}

// nextToken returns the next token of a statement, without blanks and comments before it: a word, a quoted
// text, or one character. It is "" at the end.
func nextToken(text string) (token, rest string) {
	for {
		text = strings.TrimLeft(text, " \t\n\f\r")
		switch {
		case strings.HasPrefix(text, "--"):
			_, text, _ = strings.Cut(text, "\n")
			continue
		case strings.HasPrefix(text, "/*"):
			_, text, _ = strings.Cut(text[2:], "*/")
			continue
		case text == "":
			return "", ""
		}
		break
	}
	end := 1
	switch c := text[0]; c {
	case '\'', '"', '`', '[': // a doubled quote reads as two texts, which is the same here
		if c == '[' {
			c = ']'
		}
		if end = strings.IndexByte(text[1:], c) + 2; end == 1 {
			end = len(text)
		}
	default:
		word := func(c byte) bool {
			return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
		}
		for word(c) && end < len(text) && word(text[end]) {
			end++
		}
	}
	return text[:end], text[end:]
}

// share is the part of the free memory that a query may use: 1/share for SQLite, and as much for its rows.
const share = 4

// allowance returns how many bytes a query may use.
func allowance() uint64 {
	free, known := memory.Available()
	if !known {
		return 1 << 30
	}
	return free / share
}

var heapLimited sync.Once

// limitHeap limits the memory of SQLite in this process: a sort or a UNION of rows without end
// would otherwise use all that there is.
func limitHeap(ctx context.Context, c *sql.Conn) (err error) {
	heapLimited.Do(func() {
		_, err = c.ExecContext(ctx, fmt.Sprintf("PRAGMA hard_heap_limit = %d", allowance()))
	})
	return err
}

// room limits the memory for rows of an answer.
type room struct{ used, rows, most uint64 }

// take adds a row; it returns an error when the rows need too much memory.
func (r *room) take(row []any) error {
	if r.most == 0 {
		r.most = allowance()
	}
	const value = 32 // the header of a value and what it points to
	r.used += 24
	for _, v := range row {
		r.used += value
		if text, ok := v.(string); ok {
			r.used += uint64(len(text))
		}
	}
	if r.rows++; r.used > r.most {
		return fmt.Errorf("the answer does not fit into a quarter of the free memory: it has more than %d rows; group or limit them", r.rows)
	}
	return nil
}
