package readptx

import (
	"fmt"
	"strings"
)

// kind is the kind of a token.
type kind uint8

const (
	tokenEnd    kind = iota
	tokenName        // a name, a register, a directive (.reg) or an instruction with its modifiers
	tokenNumber      // an integer, or a float in any of its forms
	tokenString
	tokenSign // one character, or << and >>
)

// token is a piece of the text.
type token struct {
	kind kind
	text string
	line int32
}

// Error is what is wrong with a module, with the line of the PTX.
type Error struct {
	File string
	Line int
	What string
}

// Error returns "file.ptx:12: what is wrong".
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What) }

// scan splits the text into tokens. Comments are dropped.
func scan(file, text string) (tokens []token, err error) {
	tokens = make([]token, 0, len(text)/5)
	line := int32(1)
	fail := func(format string, args ...any) ([]token, error) {
		return nil, &Error{file, int(line), fmt.Sprintf(format, args...)}
	}
	for i := 0; i < len(text); {
		c := text[i]
		from := i
		switch {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r' || c == 0 || c == '\f' || c == '\v': // a module in memory may end in a zero byte
			i++
		case strings.HasPrefix(text[i:], "//"):
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return fail("the comment does not end")
			}
			line += int32(strings.Count(text[i:i+2+end], "\n"))
			i += end + 4
		case c == '"':
			for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i >= len(text) || text[i] != '"' {
				return fail("the string does not end")
			}
			i++
			tokens = append(tokens, token{tokenString, text[from+1 : i-1], line})
		case digit(c):
			i = number(text, i)
			tokens = append(tokens, token{tokenNumber, text[from:i], line})
		case nameStart(c) || c == '.' && i+1 < len(text) && nameStart(text[i+1]):
			for i++; i < len(text); i++ {
				// Modifiers belong to the instruction: "ld.global.L2::128B.u32".
				if c := text[i]; !nameStart(c) && !digit(c) && c != '.' && c != ':' || c == '%' || c == ':' && !doubled(text, i) {
					break
				}
			}
			tokens = append(tokens, token{tokenName, text[from:i], line})
		default:
			i++
			if (c == '<' || c == '>') && i < len(text) && text[i] == c {
				i++
			}
			if !strings.ContainsRune("[](){},;:@!+-*/%&|^~<>=?", rune(c)) {
				return fail("the character %q has no meaning in PTX", c)
			}
			tokens = append(tokens, token{tokenSign, text[from:i], line})
		}
	}
	return append(tokens, token{tokenEnd, "", line}), nil
}

// doubled reports whether the colon at i is one of two, as in ".shared::cta".
func doubled(text string, i int) bool {
	return i+1 < len(text) && text[i+1] == ':' || text[i-1] == ':'
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func nameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c == '%'
}

// number returns the end of the number that begins at i.
func number(text string, i int) int {
	from := i
	for i++; i < len(text); i++ {
		c := text[i]
		exponent := (c == '+' || c == '-') && (text[i-1] == 'e' || text[i-1] == 'E') && !strings.HasPrefix(text[from:], "0x") && !strings.HasPrefix(text[from:], "0X") && !strings.HasPrefix(text[from:], "0d") && !strings.HasPrefix(text[from:], "0f")
		if !digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '.' && !exponent {
			break
		}
	}
	return i
}
