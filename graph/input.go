package graph

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/weft-gpu/weft/internal/base/infile"
	"github.com/weft-gpu/weft/internal/base/memory"
)

// Read reads a graph from r, which may be compressed with gzip. name stands for the file in
// errors, and its extension helps to determine the format. size is the number of bytes of
// r, or 0 if it is not known.
func Read(ctx context.Context, name string, r io.Reader, size int64, opt LoadOptions) (*CSR, Notes, error) {
	opt, err := opt.checked()
	if err != nil {
		return nil, nil, err
	}
	in := &meter{ctx: ctx, r: r, total: size, report: opt.Progress}
	text, packed, err := plainText(name, in)
	if err != nil {
		return nil, nil, err
	}
	l := newLines(name, text)
	l.stored = &in.done
	l.hint = size
	if packed {
		l.hint = size * typicalRatio
	}
	f, err := tellFormat(l, opt.Format)
	if err != nil {
		return nil, nil, err
	}
	l.limit = f.lineLimit
	var notes Notes
	g, err := f.read(ctx, l, opt, &notes)
	if err == nil {
		g, err = finish(ctx, g, opt, &notes)
	}
	var tooLarge *memory.Error
	switch {
	case err == nil:
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, nil, stopped(name, ctx.Err())
	case errors.As(err, &tooLarge):
		return nil, nil, &FileError{File: name, What: err.Error(), Err: err}
	default:
		return nil, nil, err
	}
	g.Name = opt.named(baseName(name))
	return g, notes, nil
}

// typicalRatio is the factor by which gzip typically compresses graph files, for a first
// guess of their size.
const typicalRatio = 4

// readFile reads the graph file at path.
func readFile(ctx context.Context, path string, opt LoadOptions) (*CSR, Notes, error) {
	f, size, err := infile.Open(ctx, path)
	switch {
	case err == nil:
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, nil, stopped(path, err)
	default:
		what := err.Error()
		if kind := (*infile.KindError)(nil); errors.As(err, &kind) {
			what += "; name a graph file, or a pipe"
			if kind.Kind == "a directory" {
				what = "is a directory; name a graph file in it"
			}
		}
		return nil, nil, &FileError{File: path, What: what, Err: err}
	}
	defer f.Close()
	return Read(ctx, path, f, size, opt)
}

// stopped returns the error for a file whose reading ended early because the context was
// done.
func stopped(name string, err error) error {
	return fmt.Errorf("%s: reading was stopped: %w", shown(name), err)
}

// cause returns the reason of a failed file operation, without the operation and the path.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// meter counts and reports the bytes read, and stops reading when ctx is done.
type meter struct {
	ctx    context.Context
	r      io.Reader
	done   int64
	total  int64
	report func(done, total int64)
	told   int64
}

func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.r.Read(p)
	m.done += int64(n)
	const step = 1 << 18 // bytes between reports
	if m.report != nil && (m.done-m.told >= step || err == io.EOF && m.done != m.told) {
		m.told = m.done
		m.report(m.done, m.total)
	}
	return n, err
}

// packers are compressed formats that are not supported, with their first bytes.
var packers = []struct {
	name  string
	magic string
}{
	{"bzip2", "BZh"},
	{"xz", "\xfd7zXZ\x00"},
	{"zstd", "\x28\xb5\x2f\xfd"},
	{"zip", "PK\x03\x04"},
	{"lz4", "\x04\x22\x4d\x18"},
}

// plainText decompresses r if it contains gzip data, whatever its name is. A file of
// several gzip members is their concatenation.
func plainText(name string, r io.Reader) (text io.Reader, packed bool, err error) {
	b := bufio.NewReaderSize(r, lineBuffer)
	head, err := b.Peek(6)
	if err != nil && err != io.EOF {
		return nil, false, readError(name, 0, err)
	}
	if bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, false, readError(name, 0, err)
		}
		return z, true, nil
	}
	for _, p := range packers {
		if bytes.HasPrefix(head, []byte(p.magic)) {
			return nil, false, &FileError{File: name,
				What: fmt.Sprintf("is compressed with %s; decompress it, or compress it with gzip, which is supported", p.name)}
		}
	}
	return b, false, nil
}

// readError describes a failed read in the user's terms.
func readError(name string, line int, err error) error {
	var corrupt flate.CorruptInputError
	what := cause(err)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return stopped(name, err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		what = "the gzip data ends early; the file is truncated"
	case errors.Is(err, gzip.ErrChecksum):
		what = "the gzip checksum does not match; the file is damaged"
	case errors.Is(err, gzip.ErrHeader):
		what = "the gzip header is damaged, or other data follows the gzip data"
	case errors.As(err, &corrupt):
		what = "the gzip data is damaged"
	}
	return &FileError{File: name, Line: line, What: what, Err: err}
}
