package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// summarize says in a few words what values a run left: "0 to 7, 1,234 not
// reached". All ones in an algorithm of ours mean that no path led there.
func summarize(values any, ours bool) string {
	switch v := values.(type) {
	case []uint32:
		return summary(v, ours)
	case []int32:
		return summary(v, ours)
	case []uint64:
		return summary(v, ours)
	case []int64:
		return summary(v, ours)
	case []float32:
		return summary(v, ours)
	case []float64:
		return summary(v, ours)
	}
	return ""
}

// summary is the range of the values, those of all ones counted apart.
func summary[V cmp.Ordered](v []V, ours bool) string {
	none, missing := unreached[V]()
	var lo, hi V
	n := 0
	for _, x := range v {
		if missing && x == none {
			continue
		}
		if n == 0 {
			lo, hi = x, x
		}
		lo, hi = min(lo, x), max(hi, x)
		n++
	}
	var parts []string
	if n > 0 {
		parts = append(parts, fmt.Sprintf("%v to %v", lo, hi))
	}
	if rest := len(v) - n; rest > 0 && ours {
		parts = append(parts, thousands(rest)+" not reached")
	} else if rest > 0 {
		parts = append(parts, fmt.Sprintf("%s of %v", thousands(rest), none))
	}
	return strings.Join(parts, ", ")
}

// unreached is the all-ones value of an unsigned type; ok is false for others.
func unreached[V cmp.Ordered]() (v V, ok bool) {
	switch p := any(&v).(type) {
	case *uint32:
		*p = ^uint32(0)
		return v, true
	case *uint64:
		*p = ^uint64(0)
		return v, true
	}
	return v, false
}

// answerFile is where something that a run leaves goes. It is made before the
// run, so that a place that cannot be written is no surprise after it, and gets
// its name when it is complete.
type answerFile struct {
	flag string // that named it
	path string
	f    *os.File
}

// createAnswer makes the file for the values; nil for no path.
func createAnswer(path string) (*answerFile, error) { return createFile("--answer", path) }

// createFile makes the file that a flag names; nil for no path.
func createFile(flag, path string) (*answerFile, error) {
	if path == "" {
		return nil, nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: cannot write %s: it is a directory", flag, path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fmt.Errorf("%s: cannot write %s: %w", flag, path, cause(err))
	}
	return &answerFile{flag, path, f}, nil
}

// cause is the reason of a failed file operation, without operation and path.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// close removes the file if it was not written.
func (a *answerFile) close() {
	if a != nil && a.f != nil {
		_ = a.f.Close()
		_ = os.Remove(a.f.Name())
	}
}

// write fills the file, a line with vertex and value each.
func (a *answerFile) write(values any) error {
	if a == nil {
		return nil
	}
	switch v := values.(type) {
	case []uint32:
		return writeValues(a, v)
	case []int32:
		return writeValues(a, v)
	case []uint64:
		return writeValues(a, v)
	case []int64:
		return writeValues(a, v)
	case []float32:
		return writeValues(a, v)
	case []float64:
		return writeValues(a, v)
	}
	return fmt.Errorf("--answer: the run left no values to write to %s", a.path)
}

func writeValues[V any](a *answerFile, v []V) error {
	return a.fill(func(w io.Writer) error {
		for i, x := range v {
			fmt.Fprintf(w, "%d\t%v\n", i, x) // fill tells of an error
		}
		return nil
	})
}

// fill writes the content and gives the file its name; no file is no error.
func (a *answerFile) fill(content func(io.Writer) error) error {
	if a == nil {
		return nil
	}
	w := bufio.NewWriter(a.f)
	if err := errors.Join(content(w), w.Flush(), a.f.Chmod(0o644), a.f.Close()); err != nil {
		return fmt.Errorf("%s: %w", a.flag, err)
	}
	if err := os.Rename(a.f.Name(), a.path); err != nil {
		return fmt.Errorf("%s: %w", a.flag, err)
	}
	a.f = nil
	return nil
}
