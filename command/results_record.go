package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/weft-gpu/weft/internal/base/infile"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/peers"
	"github.com/weft-gpu/weft/internal/measure/record"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/results"
)

// isRecord reports whether the argument of weft results is a record and not a store.
func isRecord(name string) bool { return strings.EqualFold(filepath.Ext(name), ".json") }

// mostRecord is the maximum size of a record. The largest of our own has 8 MB.
const mostRecord = 1 << 28

// readRecord reads a record; if there is no such file, it is empty.
func readRecord(ctx context.Context, path string) (*results.Repeated, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return &results.Repeated{}, nil
	}
	text, err := infile.ReadAll(ctx, path, mostRecord)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := results.ReadRepeated(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a record: %w", path, err)
	}
	return f, nil
}

// exportRecord adds runs of a store to a record.
func (a *app) exportRecord(ctx context.Context, st *store.Store, o resultsOptions) error {
	f, err := readRecord(ctx, o.record)
	if err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	n, err := record.Export(ctx, st, o.where, f)
	if err != nil {
		return queryError(err)
	}
	if n == 0 {
		return fmt.Errorf("--record: no run of %s is one of an algorithm that the conditions select", st.File())
	}
	files := a.outputs([]string{st.File()}, nil)
	out, err := files.file("--record", o.record)
	if err != nil {
		return err
	}
	if err := out.Write(ctx, f.Write); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s: %d rows of %s\n", o.record, n, st.File())
	return nil
}

// besideOthers prints the fastest runs of a store, or of a record, beside the times of other systems in a specification.
func (a *app) besideOthers(ctx context.Context, file string, o resultsOptions) error {
	s, err := spec.Load(ctx, o.others, sweep.Check)
	var c *peers.Comparison
	if err == nil {
		c, err = peers.Parse(s)
	}
	var mistakes spec.Errors
	if errors.As(err, &mistakes) {
		return usage.Errorf("docs/hardware.md explains comparisons with other systems", "%v", mistakes)
	}
	if err != nil {
		return err
	}
	f := &results.Repeated{}
	if isRecord(file) {
		if len(o.where) > 0 {
			return usage.Errorf("", "--where selects runs of a store, and %s is a record", file)
		}
		if _, err := os.Stat(file); err != nil {
			return err
		}
		f, err = readRecord(ctx, file)
	} else {
		var st *store.Store
		if st, err = store.Open(ctx, file); err == nil {
			defer func() { _ = st.Close() }() // only read
			_, err = record.Export(ctx, st, o.where, f)
			err = queryError(err)
		}
	}
	if err != nil {
		return err
	}
	page := func(w io.Writer) error { c.Markdown(w, f); return nil }
	if o.out == "" {
		return page(a.stdout)
	}
	files := a.outputs([]string{file, o.others}, nil)
	out, err := files.file("--out", o.out)
	if err != nil {
		return err
	}
	return out.Write(ctx, page)
}
