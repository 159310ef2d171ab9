package ptxlitmus

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/infile"
)

// fileLimit is how large a test or a list of verdicts may be.
const fileLimit = 1 << 20

// Files returns the tests that a path names: the file itself, or the files of a directory
// whose names end in .litmus, by name.
func Files(path string) ([]string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file or directory %s", path)
	} else if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && filepath.Ext(e.Name()) == ".litmus" {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if files == nil {
		return nil, fmt.Errorf("%s has no file whose name ends in .litmus", path)
	}
	slices.Sort(files)
	return files, nil
}

// Read reads the test in a file.
func Read(ctx context.Context, file string) (*Test, error) {
	src, err := infile.ReadNamed(ctx, file, fileLimit)
	if err != nil {
		return nil, err
	}
	return Parse(file, string(src))
}

// ReadVerdicts reads published verdicts: CSV with a header, the test's name in column
// "test", and 1 or 0 in column "condition_holds" or "verdict".
func ReadVerdicts(ctx context.Context, file string) (map[string]bool, error) {
	src, err := infile.ReadNamed(ctx, file, fileLimit)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(strings.NewReader(string(src))).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: there is no header; it starts with \"test,condition_holds\"", file)
	}
	name := slices.Index(rows[0], "test")
	holds := slices.IndexFunc(rows[0], func(s string) bool { return s == "condition_holds" || s == "verdict" })
	if name < 0 || holds < 0 {
		return nil, fmt.Errorf("%s:1: the header needs the columns test and condition_holds", file)
	}
	verdicts := map[string]bool{}
	for i, row := range rows[1:] {
		if row[holds] != "0" && row[holds] != "1" {
			return nil, fmt.Errorf("%s:%d: the verdict of %s is %q, neither 0 nor 1", file, i+2, row[name], row[holds])
		}
		if _, ok := verdicts[row[name]]; ok {
			return nil, fmt.Errorf("%s:%d: %s has two verdicts", file, i+2, row[name])
		}
		verdicts[row[name]] = row[holds] == "1"
	}
	return verdicts, nil
}
