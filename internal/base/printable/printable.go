package printable

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line returns s for use within a line: newlines are escaped, too.
func Line(s string) string { return string(escape(nil, []byte(s), true, true)) }

// unsafe reports whether r is a character that is escaped; newlines and tabs
// are not.
func unsafe(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < utf8.RuneSelf:
		return r < ' ' || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// escape appends b to dst with escapes. If final is false, an incomplete
// character at the end of b is left out.
func escape(dst, b []byte, newlines, final bool) []byte {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1 && !final && !utf8.FullRune(b):
			return dst
		case r == utf8.RuneError && n == 1:
			dst = fmt.Appendf(dst, `\x%02x`, b[0])
		case r == '\n' && newlines:
			dst = append(dst, `\n`...)
		case !unsafe(r):
			dst = append(dst, b[:n]...)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, hi, lo)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		b = b[n:]
	}
	return dst
}

// Writer escapes what is written through it, except newlines and tabs.
type Writer struct {
	w    io.Writer
	part []byte // an incomplete character at the end of the last write
	buf  []byte
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Unwrap returns the underlying writer.
func (p *Writer) Unwrap() io.Writer { return p.w }

// Write writes b with escapes. It returns the number of bytes of b that it
// processed.
func (p *Writer) Write(b []byte) (int, error) {
	if len(p.part) == 0 && plain(b) {
		return p.w.Write(b)
	}
	all := append(p.part, b...)
	p.buf = escape(p.buf[:0], all, false, false)
	p.part = append([]byte(nil), all[len(all)-incomplete(all):]...)
	if _, err := p.w.Write(p.buf); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush writes an incomplete character that was never completed.
func (p *Writer) Flush() error {
	b := escape(nil, p.part, false, true)
	p.part = nil
	if len(b) == 0 {
		return nil
	}
	_, err := p.w.Write(b)
	return err
}

// plain reports whether b needs no escapes, by looking only at its bytes.
func plain(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// incomplete returns the number of bytes at the end of b that form an
// incomplete character.
func incomplete(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// Indent indents all lines of a message except the first, so that text from
// outside that contains a newline cannot look like a separate message.
func Indent(s string) string {
	lines := strings.Split(s, "\n")
	for i := 1; i < len(lines); i++ {
		last := i == len(lines)-1 // a newline at the end
		if l := lines[i]; (l != "" || !last) && !strings.HasPrefix(l, "\t") && !strings.HasPrefix(l, "  ") {
			lines[i] = "\t" + l
		}
	}
	return strings.Join(lines, "\n")
}
