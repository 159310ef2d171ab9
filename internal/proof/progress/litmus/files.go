package litmus

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/infile"
	"github.com/weft-gpu/weft/internal/proof/progress"
)

// extension is that of a test's file.
const extension = ".txt"

// mostBytes limits the size of a file of this package.
const mostBytes = 4 << 20

// Read reads a test from a file.
func Read(ctx context.Context, path string) (*Test, error) {
	text, err := infile.ReadNamed(ctx, path, mostBytes)
	if err != nil {
		return nil, err
	}
	return Parse(strings.TrimSuffix(filepath.Base(path), extension), path, string(text))
}

// ReadDir reads the tests of a directory: the files whose names end in .txt, in
// the order of the numbers in their names. It reports the mistakes of all files.
func ReadDir(ctx context.Context, dir string) ([]*Test, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), extension) {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no litmus test: no file whose name ends in %s", dir, extension)
	}
	slices.SortFunc(names, natural)
	var tests []*Test
	var errs []error
	for _, name := range names {
		t, err := Read(ctx, filepath.Join(dir, name))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		tests, errs = append(tests, t), append(errs, err)
	}
	return tests, errors.Join(errs...)
}

// natural compares names so that numbers in them are in numeric order.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x == 0 || y == 0 {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		m, n := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
		if c := cmp.Or(cmp.Compare(len(m), len(n)), cmp.Compare(m, n), cmp.Compare(x, y)); c != 0 {
			return c
		}
		a, b = a[x:], b[y:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns the number of digits at the start of s.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// Verdicts has published verdicts: by test and by model, progress.Terminates or
// progress.MayHang.
type Verdicts map[string]map[string]string

// ReadVerdicts reads a table of verdicts: CSV whose first line is "test" and
// names of models.
func ReadVerdicts(ctx context.Context, path string) (Verdicts, error) {
	text, err := infile.ReadNamed(ctx, path, mostBytes)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(bytes.NewReader(text))
	rows, err := r.ReadAll()
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		return nil, &Error{path, bad.Line, bad.Column, bad.Err.Error()}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	fail := func(row, col int, format string, args ...any) error {
		at := 1
		for _, cell := range rows[row][:col] {
			at += len(cell) + 1
		}
		return &Error{path, row + 1, at, fmt.Sprintf(format, args...)}
	}
	if len(rows) == 0 || rows[0][0] != "test" {
		return nil, &Error{path, 1, 1, `the first line must be "test" and names of progress models`}
	}
	for i, name := range rows[0][1:] {
		if _, err := progress.Lookup(name); err != nil {
			return nil, fail(0, i+1, "%v", err)
		}
	}
	table := Verdicts{}
	for i, row := range rows[1:] {
		if table[row[0]] != nil {
			return nil, fail(i+1, 0, "%s has two lines", row[0])
		}
		table[row[0]] = map[string]string{}
		for j, v := range row[1:] {
			if v != progress.Terminates && v != progress.MayHang {
				return nil, fail(i+1, j+1, "%q is neither %s nor %s", v, progress.Terminates, progress.MayHang)
			}
			table[row[0]][rows[0][j+1]] = v
		}
	}
	return table, nil
}
