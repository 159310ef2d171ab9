package format

import (
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
