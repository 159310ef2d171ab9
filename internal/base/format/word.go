package format

import (
	"fmt"
	"regexp"
	"strings"
)

var plainWord = regexp.MustCompile(`^[\w./:=,@%+-]+$`)

// Word returns a word of a command line as a shell takes it, in quotes if it needs them.
func Word(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Words splits a command line whose words Word has written.
func Words(line string) (words []string, err error) {
	var word strings.Builder
	inside := false // a word
	for rest := line; rest != ""; {
		c := rest[0]
		rest = rest[1:]
		switch c {
		case ' ':
			if inside {
				words = append(words, word.String())
				word.Reset()
			}
			inside = false
			continue
		case '\'':
			text, after, ok := strings.Cut(rest, "'")
			if !ok {
				return nil, fmt.Errorf("a quote is not closed in %s", line)
			}
			word.WriteString(text)
			rest = after
		case '\\':
			if rest == "" {
				return nil, fmt.Errorf("a backslash ends %s", line)
			}
			word.WriteByte(rest[0])
			rest = rest[1:]
		default:
			word.WriteByte(c)
		}
		inside = true
	}
	if inside {
		words = append(words, word.String())
	}
	return words, nil
}
