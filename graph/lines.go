package graph

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/weft-gpu/weft/internal/memory"
)

// lines gives the lines of a text one by one, as parts of its buffer: nothing
// is allocated for a line.
type lines struct {
	name     string
	r        io.Reader
	buf      []byte
	pos, end int // the unread part of buf
	seen     int // from pos on, bytes known to hold no line feed
	eof      bool
	err      error  // why reading ended, where it was not the end
	line     int    // number of the line that next returned last, from 1
	limit    int    // longest line in bytes
	stored   *int64 // bytes of the file read so far, as it is stored
	hint     int64  // about how many bytes there are in all, 0 when not known
}

// lineBuffer is the buffer's first size, and how much of a text is looked at to
// tell its format. Tests that read a million texts make it smaller.
var lineBuffer = 1 << 18

func newLines(name string, r io.Reader) *lines {
	return &lines{name: name, r: r, buf: make([]byte, lineBuffer), limit: math.MaxInt}
}

// next is the next line without its end (LF or CR LF). It is valid until the
// next call. At the end, or when reading fails, ok is false; see fail.
func (l *lines) next() (line []byte, ok bool) {
	for {
		rest := l.buf[l.pos:l.end]
		if i := bytes.IndexByte(rest[l.seen:], '\n'); i >= 0 {
			line = rest[:l.seen+i]
			l.pos += l.seen + i + 1
			l.seen = 0
			break
		}
		l.seen = len(rest)
		if len(rest) > l.limit {
			l.err = &FileError{File: l.name, Line: l.line + 1,
				What: fmt.Sprintf("the line is longer than %d bytes; is this a text file?", l.limit)}
			return nil, false
		}
		if !l.fill() {
			if l.err != nil || len(rest) == 0 {
				return nil, false
			}
			line = l.buf[l.pos:l.end]
			l.pos, l.seen = l.end, 0
			break
		}
	}
	l.line++
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, true
}

// fill reads until the buffer is full, making it larger when one line fills it.
// It is false when there is nothing more.
func (l *lines) fill() bool {
	if l.eof || l.err != nil {
		return false
	}
	if l.pos > 0 {
		copy(l.buf, l.buf[l.pos:l.end])
		l.end -= l.pos
		l.pos = 0
	}
	if l.end == len(l.buf) {
		if l.err = memory.Need(2*uint64(len(l.buf)), "%s: a line of more than %d bytes", l.name, len(l.buf)); l.err != nil {
			return false
		}
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	before := l.end
	for idle := 0; l.end < len(l.buf) && !l.eof; {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		if idle++; n > 0 {
			idle = 0
		}
		switch {
		case err == io.EOF:
			l.eof = true
		case err == nil && idle > maxIdle:
			err = io.ErrNoProgress
			fallthrough
		case err != nil:
			l.err = readError(l.name, 0, err)
			return false
		}
	}
	return l.end > before
}

// maxIdle is how many reads in a row may give nothing.
const maxIdle = 100

// head is the beginning of the text, read ahead; next returns it all again.
func (l *lines) head() []byte {
	if l.end == 0 {
		l.fill()
	}
	return l.buf[l.pos:l.end]
}

// fail is an error at the line that next returned last.
func (l *lines) fail(format string, args ...any) error {
	return &FileError{File: l.name, Line: l.line, What: fmt.Sprintf(format, args...)}
}

// space says whether c separates the numbers of a line.
func space(c byte) bool { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r' }

// skip is the first index from i on that is no space.
func skip(line []byte, i int) int {
	for i < len(line) && space(line[i]) {
		i++
	}
	return i
}

// blank says whether nothing but space is left from i on.
func blank(line []byte, i int) bool { return skip(line, i) == len(line) }

// token is the word that begins at i, which must be no space; empty at the end of the line.
func token(line []byte, i int) []byte {
	j := i
	for j < len(line) && !space(line[j]) {
		j++
	}
	return line[i:j]
}

// number reads the decimal number that begins at i (no sign, no space before it) and gives the
// index after it. ok is false, and next is i, when there is none, when
// something other than space follows it, or when it needs more than 63 bits.
func number(line []byte, i int) (v uint64, next int, ok bool) {
	j := i
	for j < len(line) {
		d := uint64(line[j] - '0')
		if d > 9 {
			if !space(line[j]) {
				return 0, i, false
			}
			break
		}
		if v > (math.MaxInt64-9)/10 {
			return 0, i, false
		}
		v = v*10 + d
		j++
	}
	return v, j, j > i
}
