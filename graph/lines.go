package graph

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// lines returns the lines of a text one by one, as parts of its buffer, so that no line is
// allocated.
type lines struct {
	name     string
	r        io.Reader
	buf      []byte
	pos, end int // the unread part of buf
	seen     int // bytes from pos on that are known to contain no line feed
	eof      bool
	err      error    // why reading ended, other than by the end of the text
	line     int      // number of the line that next returned last, from 1
	limit    int      // longest line in bytes
	stored   *int64   // bytes of the file read so far, compressed if the file is
	hint     int64    // approximate size of the text in bytes; 0 if not known
	spare    [][]byte // buffers of blocks that are not needed any more
}

// lineBuffer is the initial size of the buffer, and the size of the part of a text from
// which its format is determined. Tests that read a million texts make it smaller.
var lineBuffer = 1 << 18

func newLines(name string, r io.Reader) *lines {
	return &lines{name: name, r: r, buf: make([]byte, lineBuffer), limit: math.MaxInt}
}

// next returns the next line without its end (LF or CR LF). The line is valid until the
// next call. At the end of the text, and after a read error, ok is false.
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
			l.err = l.tooLong()
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

// block returns all whole lines in the buffer, after it has read more if there is none, and does not
// count them. They are in memory of their own, until recycle. At the end of the text, and after a
// read error, ok is false.
func (l *lines) block() (text []byte, ok bool) {
	l.seen = 0
	for {
		text = l.buf[l.pos:l.end]
		if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
			text = text[:i+1]
			break
		}
		if len(text) > l.limit {
			l.err = l.tooLong()
			return nil, false
		}
		if !l.fill() {
			if l.err != nil || len(text) == 0 {
				return nil, false
			}
			break
		}
	}
	rest := l.buf[l.pos+len(text) : l.end]
	l.buf = l.buffer(2 * len(rest))
	l.pos, l.end = 0, copy(l.buf, rest)
	return text, true
}

// buffer returns a buffer of a size or more.
func (l *lines) buffer(size int) []byte {
	if n := len(l.spare); n > 0 && len(l.spare[n-1]) >= size {
		b := l.spare[n-1]
		l.spare = l.spare[:n-1]
		return b
	}
	n := lineBuffer
	for n < size {
		n *= 2
	}
	return make([]byte, n)
}

// recycle takes the memory of a block. Of unusually long lines it does not, so that they do not stay.
func (l *lines) recycle(text []byte) {
	if b := text[:cap(text)]; len(b) == lineBuffer {
		l.spare = append(l.spare, b)
	}
}

// fill reads until the buffer is full; it enlarges the buffer if one line fills it. It
// reports whether it read anything.
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

// maxIdle is the largest number of consecutive reads that may return no data.
const maxIdle = 100

// head returns the beginning of the text without consuming it.
func (l *lines) head() []byte {
	if l.end == 0 {
		l.fill()
	}
	return l.buf[l.pos:l.end]
}

// tooLong returns the error for a line that is longer than the limit.
func (l *lines) tooLong() error {
	return &FileError{File: l.name, Line: l.line + 1, What: fmt.Sprintf("the line is longer than %d bytes; is this a text file?", l.limit)}
}

// fail returns an error at the line that next returned last.
func (l *lines) fail(format string, args ...any) error {
	return &FileError{File: l.name, Line: l.line, What: fmt.Sprintf(format, args...)}
}

// space reports whether c separates the numbers of a line.
func space(c byte) bool { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r' }

// skip returns the first index from i on that is not a space.
func skip(line []byte, i int) int {
	for i < len(line) && space(line[i]) {
		i++
	}
	return i
}

// blank reports whether only spaces remain from i on.
func blank(line []byte, i int) bool { return skip(line, i) == len(line) }

// token returns the word that starts at i, which must not be a space. It is empty at the
// end of the line.
func token(line []byte, i int) []byte {
	j := i
	for j < len(line) && !space(line[j]) {
		j++
	}
	return line[i:j]
}

// number parses the decimal number that starts at i (no sign, no leading space) and returns
// the index after it. If there is no number, if something other than a space follows it, or
// if it needs more than 63 bits, ok is false and next is i.
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
