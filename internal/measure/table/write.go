package table

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/weft-gpu/weft/internal/base/format"
)

// Formats are the names of the formats that Write knows.
var Formats = []string{"text", "csv", "json", "parquet"}

// Write writes a table in one of Formats.
func (t *Table) Write(w io.Writer, name string) error {
	switch name {
	case "text":
		return t.Text(w)
	case "csv":
		return t.CSV(w)
	case "json":
		return t.JSON(w)
	case "parquet":
		return t.Parquet(w)
	}
	return fmt.Errorf("table: unknown format %q", name)
}

// Text writes the table for people: numbers to the right, units below the names, and of each value its first line.
func (t *Table) Text(w io.Writer) error {
	cols := make([]byte, len(t.Columns))
	head, units := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	united := false
	for i, c := range t.Columns {
		cols[i] = 'r'
		for _, row := range t.Rows {
			if _, ok := Number(row[i]); !ok && row[i] != nil {
				cols[i] = 'l'
				break
			}
		}
		head[i], units[i] = c.Name, c.Unit
		united = united || c.Unit != ""
	}
	rows := [][]string{head}
	if united {
		rows = append(rows, units)
	}
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			if x, ok := v.(float64); ok {
				cells[i] = format.Number(x)
			} else {
				first, _, more := strings.Cut(Text(v), "\n")
				if more {
					first += " ..."
				}
				cells[i] = first
			}
		}
		rows = append(rows, cells)
	}
	format.Table(w, "", string(cols), rows)
	return nil
}

// formula finds texts that spreadsheets calculate when they open a file; decimal finds those of them that
// are numbers.
var (
	formula = regexp.MustCompile(`^[=+\-@\t\r]`)
	decimal = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)
)

// Cell returns a text as a cell of a CSV file. A text that a spreadsheet would take for a formula begins with an
// apostrophe there, for a file, a label or a message of others may contain one; numbers stay what they are.
func Cell(text string) string {
	if formula.MatchString(text) && !decimal.MatchString(text) {
		return "'" + text
	}
	return text
}

// CSV writes a line with the names and a line for each row (RFC 4180). A missing value is empty; texts are as by
// Cell.
func (t *Table) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	line := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		line[i] = Cell(c.Name)
	}
	if err := out.Write(line); err != nil {
		return err
	}
	for _, row := range t.Rows {
		for i, v := range row {
			line[i] = Text(v)
			if _, text := v.(string); text {
				line[i] = Cell(line[i])
			}
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// JSON writes {"columns": [{"name", "unit", "meaning"}], "rows": [{name: value}]}. Numbers that
// JSON does not have are null.
func (t *Table) JSON(w io.Writer) error {
	rows := make([]map[string]any, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = map[string]any{}
		for k, v := range row {
			if x, ok := v.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
				v = nil
			}
			rows[i][t.Columns[k].Name] = v
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(map[string]any{"columns": t.Columns, "rows": rows})
}

// Parquet writes an Apache Parquet file. A column is of doubles or of 64-bit integers if all its
// values are, and of texts otherwise; missing values are null.
func (t *Table) Parquet(w io.Writer) error {
	group := parquet.Group{}
	kinds := make([]byte, len(t.Columns))
	for i, c := range t.Columns {
		kinds[i] = t.kind(i)
		var n parquet.Node
		switch kinds[i] {
		case 'i':
			n = parquet.Int(64)
		case 'f':
			n = parquet.Leaf(parquet.DoubleType)
		default:
			n = parquet.String()
		}
		if _, twice := group[c.Name]; twice {
			return fmt.Errorf("table: two columns are called %q; Parquet needs different names", c.Name)
		}
		group[c.Name] = parquet.Optional(n)
	}
	schema := parquet.NewSchema("runs", group)
	place := make([]int, len(t.Columns)) // Parquet orders columns by name
	for i, c := range t.Columns {
		leaf, _ := schema.Lookup(c.Name)
		place[i] = leaf.ColumnIndex
	}
	out := parquet.NewWriter(w, schema, parquet.Compression(&parquet.Snappy))
	row := make(parquet.Row, len(t.Columns))
	for _, values := range t.Rows {
		for i, v := range values {
			row[place[i]] = parquetValue(v, kinds[i]).Level(0, present(v), place[i])
		}
		if _, err := out.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return out.Close()
}

// kind returns i, f or s for a column of integers, numbers or anything else.
func (t *Table) kind(column int) byte {
	kind := byte('i')
	for _, row := range t.Rows {
		switch row[column].(type) {
		case nil, int64:
		case float64:
			kind = 'f'
		default:
			return 's'
		}
	}
	return kind
}

// present returns the definition level of an optional value.
func present(v any) int {
	if v == nil {
		return 0
	}
	return 1
}

func parquetValue(v any, kind byte) parquet.Value {
	switch v := v.(type) {
	case nil:
		return parquet.NullValue()
	case int64:
		if kind == 'i' {
			return parquet.Int64Value(v)
		}
		if kind == 'f' {
			return parquet.DoubleValue(float64(v))
		}
	case float64:
		if kind == 'f' {
			return parquet.DoubleValue(v)
		}
	}
	return parquet.ByteArrayValue([]byte(Text(v)))
}
