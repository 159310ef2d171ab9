package ptxlitmus

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error is a mistake in a file.
type Error struct {
	File string
	Pos  Pos
	What string
}

// Error returns file:line:col: what.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Pos.Line, e.Pos.Col, e.What)
}

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	endOfFile tokenKind = iota
	word                // a name or an opcode with its qualifiers, such as ld.relaxed.gpu
	number              // with a sign, decimal or hexadecimal
	punct               // ( ) [ ] { } : ; , | @ & ~ and the operators of conditions
)

type token struct {
	kind tokenKind
	text string
	pos  Pos
}

// String returns the token for a message.
func (t token) String() string {
	if t.kind == endOfFile {
		return "the end of the file"
	}
	return fmt.Sprintf("%q", t.text)
}

// lexer splits a file into tokens.
type lexer struct {
	file string
	src  string
	at   int // the next byte
	pos  Pos // its place
}

func (l *lexer) errorf(pos Pos, format string, args ...any) error {
	return &Error{l.file, pos, fmt.Sprintf(format, args...)}
}

// skip moves over n bytes.
func (l *lexer) skip(n int) {
	for _, r := range l.src[l.at : l.at+n] {
		if r == '\n' {
			l.pos = Pos{l.pos.Line + 1, 1}
		} else {
			l.pos.Col++
		}
	}
	l.at += n
}

// skipTo moves over everything up to and including end.
func (l *lexer) skipTo(end, what string) error {
	pos := l.pos
	i := strings.Index(l.src[l.at:], end)
	if i < 0 {
		l.skip(len(l.src) - l.at)
		return l.errorf(pos, "the %s that starts here has no end; write %q", what, end)
	}
	l.skip(i + len(end))
	return nil
}

// space moves over white space, comments and the run parameters of other tools.
func (l *lexer) space() error {
	for l.at < len(l.src) {
		rest := l.src[l.at:]
		var err error
		switch {
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			l.skip(1)
		case strings.HasPrefix(rest, "(*"):
			err = l.skipTo("*)", "comment")
		case strings.HasPrefix(rest, "<<"):
			err = l.skipTo(">>", "run parameter")
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			l.skip(n)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// operators in the order in which they are tried.
var operators = []string{`/\`, `\/`, "==", "!=", "<=", ">=", "=", "<", ">", "~", "(", ")", "[", "]", "{", "}", ":", ";", ",", "|", "@", "&"}

// next returns the next token. An error is about what stands before it, which has been passed over.
func (l *lexer) next() (token, error) {
	if err := l.space(); err != nil {
		return token{}, err
	}
	t := token{pos: l.pos}
	rest := l.src[l.at:]
	n := 0
	switch {
	case rest == "":
		return t, nil
	case isLetter(rest[0]):
		t.kind = word
		for n < len(rest) && (isLetter(rest[n]) || isDigit(rest[n]) || rest[n] == '.' && n+1 < len(rest) && isLetter(rest[n+1])) {
			n++
		}
	case isDigit(rest[0]) || rest[0] == '-' && len(rest) > 1 && isDigit(rest[1]):
		t.kind = number
		for n = 1; n < len(rest) && (isLetter(rest[n]) || isDigit(rest[n])); n++ {
		}
	default:
		t.kind = punct
		for _, op := range operators {
			if strings.HasPrefix(rest, op) {
				n = len(op)
				break
			}
		}
		if n == 0 {
			r, n := utf8.DecodeRuneInString(rest)
			l.skip(n)
			return t, l.errorf(t.pos, "unexpected character %q", r)
		}
	}
	t.text = rest[:n]
	l.skip(n)
	return t, nil
}
