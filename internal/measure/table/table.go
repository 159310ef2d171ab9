package table

import "strconv"

// Table is columns with names and rows of values: nil, string, int64 or float64.
type Table struct {
	Columns []Column
	Rows    [][]any
}

// Column is the head of a column.
type Column struct {
	Name    string `json:"name"`
	Unit    string `json:"unit,omitempty"`
	Meaning string `json:"meaning,omitempty"`
}

// Number returns a value as a number, if it is one or a text that reads as one.
func Number(v any) (x float64, ok bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case string:
		x, err := strconv.ParseFloat(v, 64)
		return x, err == nil
	}
	return 0, false
}

// Text returns a value as text; nil is "".
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	panic("table: a value of a type that tables do not have")
}
