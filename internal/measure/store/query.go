package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/table"
)

// columns are the columns of runs that queries know, with unit and meaning.
var columns = []table.Column{
	{Name: "id", Meaning: "number of the run in this file"},
	{Name: "point", Meaning: "hash of all that determines the result"},
	{Name: "repeat", Meaning: "number of the repetition, from 0"},
	{Name: "spec", Meaning: "hash of the specification"},
	{Name: "status", Meaning: "ok, wrong, hang, undecided or failed"},
	{Name: "error", Meaning: "the message, unless the status is ok"},
	{Name: "algorithm", Meaning: "what ran"},
	{Name: "scheduler", Meaning: "the scheme that distributed the work"},
	{Name: "kernel", Meaning: "the entry point that does the work"},
	{Name: "kernel_hash", Meaning: "hash of its IR"},
	{Name: "graph", Meaning: "file or generator"},
	{Name: "graph_hash", Meaning: "hash of its arcs and weights as loaded"},
	{Name: "vertices", Unit: "vertex", Meaning: "size of the graph"},
	{Name: "arcs", Unit: "arc", Meaning: "size of the graph"},
	{Name: "device", Meaning: "where it ran"},
	{Name: "machine", Meaning: "hash of the simulated machine"},
	{Name: "driver", Meaning: "driver of a real GPU"},
	{Name: "seed", Meaning: "of policies, jitter and random arguments"},
	{Name: "version", Meaning: "commit of weft"},
	{Name: "date", Meaning: "when it ended, UTC"},
	{Name: "host", Meaning: "machine that ran it"},
	{Name: "command", Meaning: "runs it again"},
	{Name: "wall", Unit: "s", Meaning: "time on the host"},
}

// Columns returns the columns of runs, with unit and meaning.
func Columns() []table.Column { return slices.Clone(columns) }

// Query selects runs and columns.
type Query struct {
	// Where are conditions that all hold, such as "algorithm=bfs", "l2.latency>=200" and
	// "scheduler~^w" (a pattern of SQLite's GLOB if it has * or ?, a part of the text otherwise). The
	// operators are = != < <= > >= ~. Values that read as numbers are compared as numbers.
	Where []string
	// Columns are columns of runs, settings and metrics by name; none means the columns and
	// settings that differ between the selected runs, and cycles and seconds.
	Columns []string
	// Order are names of columns; "-" before one means that large values come first. Without Order
	// and Columns, rows are ordered by their columns from the left.
	Order []string
	Limit int // 0 means no limit
}

// UnknownName is the error of a query with a name that is neither a column of runs nor a
// setting nor a metric of the store.
type UnknownName struct {
	Name  string
	Known []string // all names
}

// Error returns the message.
func (e *UnknownName) Error() string {
	return fmt.Sprintf("there is no column, setting or metric %q", e.Name)
}

// operators of conditions; those of two characters come first.
var operators = []string{"!=", "<=", ">=", "=", "<", ">", "~"}

// several finds a second condition where one is wanted, which would become part of the value.
var several = regexp.MustCompile(` (and|or) +[^\s!<>=~]+ *[!<>=~]`)

// ParseCondition splits a condition into a name, an operator and a value.
func ParseCondition(text string) (name, op, value string, err error) {
	switch m := several.FindStringSubmatch(text); {
	case m == nil:
	case m[1] == "and":
		return "", "", "", fmt.Errorf("condition %q is two conditions; give them one by one", text)
	default:
		return "", "", "", fmt.Errorf("condition %q has alternatives, which SQL and where: of a specification know, but not this", text)
	}
	at := strings.IndexAny(text, "!<>=~")
	if at > 0 {
		for _, op := range operators {
			if v, ok := strings.CutPrefix(text[at:], op); ok {
				return strings.TrimSpace(text[:at]), op, strings.TrimSpace(v), nil
			}
		}
	}
	return "", "", "", fmt.Errorf("condition %q is not NAME=VALUE; the operators are = != < <= > >= ~", text)
}

// mostJoins is how many joins a query has: SQLite allows 64 tables. A subquery for each further name
// takes longer.
const mostJoins = 60

// builder makes the SQL text of a Query.
type builder struct {
	written    []string        // settings that specifications wrote
	settings   map[string]bool // all
	parameters map[string]bool // of machines
	metrics    map[string]table.Column
	texts      []string // those of metrics that are texts
	joins      strings.Builder
	joined     int               // how many joins there are
	exprs      map[string]string // by name: the expression in SQL
}

// builder returns a builder that knows the names of the store.
func (s *Store) builder(ctx context.Context) (*builder, error) {
	written, metrics, err := s.Names(ctx)
	if err != nil {
		return nil, err
	}
	b := &builder{written: written, settings: map[string]bool{}, parameters: map[string]bool{}, metrics: map[string]table.Column{}, exprs: map[string]string{}}
	for table, into := range map[string]map[string]bool{"settings": b.settings, "parameters": b.parameters} {
		names, err := s.distinct(ctx, table)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			into[name] = true
		}
	}
	for _, c := range metrics {
		b.metrics[c.Name] = c
	}
	b.texts, err = s.strings(ctx, "SELECT name FROM names n WHERE EXISTS (SELECT 1 FROM texts WHERE name = n.id)")
	return b, err
}

// expr returns the SQL expression for a name and its column. A name means a column of runs,
// else a setting or a parameter of the machine, else a metric.
func (b *builder) expr(name string) (string, table.Column, error) {
	if i := slices.IndexFunc(columns, func(c table.Column) bool { return c.Name == name }); i >= 0 {
		return "r." + name, columns[i], nil
	}
	c, metric := b.metrics[name]
	if b.settings[name] || b.parameters[name] {
		c, metric = table.Column{Name: name, Meaning: "setting"}, false
	} else if !metric {
		return "", c, &UnknownName{name, b.known()}
	}
	if e, ok := b.exprs[name]; ok {
		return e, c, nil
	}
	quoted := "'" + strings.ReplaceAll(name, "'", "''") + "'"
	parameter := "(SELECT value FROM parameters WHERE name = " + quoted + " AND machine = r.machine)"
	if !metric && !b.settings[name] {
		b.exprs[name] = parameter
		return parameter, c, nil
	}
	e := b.value(name, quoted, metric)
	if !metric && b.parameters[name] { // not every specification writes it
		e = "coalesce(" + e + ", " + parameter + ")"
	}
	b.exprs[name] = e
	return e, c, nil
}

// value returns the expression for the value of a setting or a metric by its name, also quoted.
func (b *builder) value(name, quoted string, metric bool) string {
	table, key := "settings", quoted
	if metric {
		table = "metrics"
		if slices.Contains(b.texts, name) {
			table = "texts"
		}
		key = "(SELECT id FROM names WHERE name = " + quoted + ")"
	}
	if b.joined == mostJoins {
		return fmt.Sprintf("(SELECT value FROM %s WHERE name = %s AND run = r.id)", table, key)
	}
	b.joined++
	alias := fmt.Sprintf("j%d", b.joined)
	fmt.Fprintf(&b.joins, " LEFT JOIN %[1]s %[2]s ON %[2]s.name = %[3]s AND %[2]s.run = r.id", table, alias, key)
	return alias + ".value"
}

// known returns all names.
func (b *builder) known() []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	names = slices.AppendSeq(names, maps.Keys(b.settings))
	names = slices.AppendSeq(names, maps.Keys(b.parameters))
	names = slices.AppendSeq(names, maps.Keys(b.metrics))
	slices.Sort(names)
	return slices.Compact(names)
}

// where returns the conditions as SQL, with the arguments that they need.
func (b *builder) where(conditions []string) (text string, args []any, err error) {
	var list []string
	for _, c := range conditions {
		name, op, value, err := ParseCondition(c)
		if err != nil {
			return "", nil, err
		}
		e, _, err := b.expr(name)
		if err != nil {
			return "", nil, err
		}
		switch x, number := table.Number(value); {
		case op == "~" && strings.ContainsAny(value, "*?["):
			list = append(list, e+" GLOB ?")
			args = append(args, value)
		case op == "~":
			list = append(list, "instr("+e+", ?) > 0")
			args = append(args, value)
		case number:
			// SQLite reads 32x8 as 32. A text with other characters than those of numbers is compared as text.
			list = append(list, fmt.Sprintf("CASE WHEN typeof(%[1]s) = 'text' AND %[1]s GLOB '*[^-+.0-9eE]*' THEN %[1]s %[2]s ? ELSE CAST(%[1]s AS REAL) %[2]s ? END", e, op))
			args = append(args, value, x)
		default:
			list = append(list, e+" "+op+" ?")
			args = append(args, value)
		}
	}
	if len(list) == 0 {
		return "", nil, nil
	}
	return " WHERE " + strings.Join(list, " AND "), args, nil
}

// Query returns a table with a row for each selected run.
func (s *Store) Query(ctx context.Context, q Query) (*table.Table, error) {
	b, err := s.builder(ctx)
	if err != nil {
		return nil, err
	}
	where, whereArgs, err := b.where(q.Where)
	if err != nil {
		return nil, err
	}
	names := q.Columns
	if len(names) == 0 {
		if names, err = s.varying(ctx, b, where, whereArgs); err != nil {
			return nil, err
		}
	}
	if len(q.Columns)+len(q.Order) == 0 {
		for _, name := range names {
			if !slices.Contains(usualMetrics, name) {
				q.Order = append(q.Order, name)
			}
		}
	}
	t := &table.Table{}
	var exprs, order []string
	for _, name := range names {
		e, c, err := b.expr(name)
		if err != nil {
			return nil, err
		}
		exprs, t.Columns = append(exprs, e), append(t.Columns, c)
	}
	for _, name := range q.Order {
		name, down := strings.CutPrefix(name, "-")
		e, _, err := b.expr(name)
		if err != nil {
			return nil, err
		}
		if b.settings[name] || b.parameters[name] { // numbers by value, and before texts
			e = fmt.Sprintf("CASE WHEN %[1]s GLOB '[-0-9.]*' THEN CAST(%[1]s AS REAL) ELSE %[1]s END", e)
		}
		if down {
			e += " DESC"
		}
		order = append(order, e)
	}
	text := "SELECT " + strings.Join(exprs, ", ") + " FROM runs r" + b.joins.String() + where +
		" ORDER BY " + strings.Join(append(order, "r.id"), ", ")
	if q.Limit > 0 {
		text += fmt.Sprintf(" LIMIT %d", q.Limit)
	}
	rows, err := s.db.QueryContext(ctx, text, whereArgs...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	err = read(rows, t)
	return t, err
}

// unvaried are columns that say nothing about what was asked.
var unvaried = []string{"id", "point", "spec", "error", "kernel_hash", "graph_hash", "machine", "version", "date", "host", "command", "wall", "vertices", "arcs", "kernel"}

// usualMetrics are in tables whose columns nobody chose.
var usualMetrics = []string{"cycles", "kernel_seconds", "algorithm_seconds"}

// varying returns the columns and settings that differ between the selected runs, and the
// usual metrics.
func (s *Store) varying(ctx context.Context, b *builder, where string, args []any) (names []string, err error) {
	differ := func(e string) (bool, error) {
		var n int
		err := s.db.QueryRowContext(ctx, "SELECT count(DISTINCT "+e+") FROM runs r"+b.joins.String()+where, args...).Scan(&n)
		return n > 1, err
	}
	has := func(e string) (bool, error) {
		var n int
		err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 AS one FROM runs r"+b.joins.String()+where+and(where)+e+" <> '' LIMIT 1)", args...).Scan(&n)
		return n > 0, err
	}
	for _, c := range columns {
		if slices.Contains(unvaried, c.Name) {
			continue
		}
		switch c.Name {
		case "status":
			names = append(names, c.Name)
			continue
		case "algorithm", "scheduler": // which kernels do not have
			if ok, err := has("r." + c.Name); err != nil {
				return nil, err
			} else if ok {
				names = append(names, c.Name)
			}
			continue
		}
		if ok, err := differ("r." + c.Name); err != nil {
			return nil, err
		} else if ok {
			names = append(names, c.Name)
		}
	}
	for _, name := range b.written {
		e, _, err := b.expr(name)
		if err != nil {
			return nil, err
		}
		if ok, err := differ("coalesce(" + e + ", '')"); err != nil {
			return nil, err
		} else if ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range usualMetrics {
		if _, ok := b.metrics[name]; ok {
			names = append(names, name)
		}
	}
	if ok, err := has("r.error"); err != nil {
		return nil, err
	} else if ok {
		names = append(names, "error")
	}
	return names, nil
}

// and returns what joins a condition to those of where.
func and(where string) string {
	if where == "" {
		return " WHERE "
	}
	return " AND "
}

// read appends rows to a table with as many columns.
func read(rows *sql.Rows, t *table.Table) error {
	into := make([]any, len(t.Columns))
	var room room
	for rows.Next() {
		row := make([]any, len(t.Columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, v := range row {
			switch v := v.(type) {
			case []byte:
				row[i] = fmt.Sprintf("(%d bytes)", len(v))
			case bool:
				row[i] = fmt.Sprint(v)
			}
		}
		if err := room.take(row); err != nil {
			return err
		}
		t.Rows = append(t.Rows, row)
	}
	return rows.Err()
}
