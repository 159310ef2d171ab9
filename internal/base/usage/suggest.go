package usage

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Nearest returns the name that word most likely means: one that differs only
// in case and punctuation, one of which word is a part ("h200" of "sim:h200"),
// or else the one with the smallest edit distance, if it is small enough to be
// a typing error. It returns "" if there is none.
func Nearest(word string, names []string) string {
	if plain(word) == "" {
		return ""
	}
	for _, n := range names {
		if plain(n) == plain(word) {
			return n
		}
	}
	for _, n := range names {
		if slices.ContainsFunc(parts(n), func(p string) bool { return p == strings.ToLower(word) }) {
			return n
		}
	}
	best, dist := "", max(1, len(word)/3)+1
	for _, n := range names {
		d := distance(strings.ToLower(word), strings.ToLower(n))
		if _, last, ok := strings.Cut(n, ":"); ok { // the prefix of a name is easily forgotten
			d = min(d, distance(strings.ToLower(word), strings.ToLower(last)))
		}
		if d < dist {
			best, dist = n, d
		}
	}
	const few = 3 // fewer letters say too little
	if best == "" && len(word) >= few {
		for _, n := range names {
			if strings.HasPrefix(plain(n), plain(word)) && (best == "" || len(n) < len(best)) {
				best = n
			}
		}
	}
	return best
}

// plain returns a name without case and punctuation.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// parts returns the words of a name in lower case.
func parts(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(":-_.", r) })
}

// distance returns the number of insertions, deletions, substitutions and swaps
// of neighbours that turn a into b.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, prev, cur := rows[0], rows[1], rows[2]
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		rows[0], rows[1], rows[2] = prev, cur, before
	}
	return rows[1][len(b)]
}

// Unknown returns the usage error for a name that does not exist. It suggests
// the Nearest name and lists the others or, if they are many and a command lists
// them, names that. what is a text or a Message.
func Unknown(what any, got string, names []string, list string) error {
	var hint []string
	if n := Nearest(got, names); n != "" {
		hint = append(hint, fmt.Sprintf("did you mean %s?", n))
	}
	const few = 16
	if len(names) <= few || list == "" {
		names = slices.Sorted(slices.Values(names))
		are := "are"
		if len(names) == 1 {
			are = "is"
		}
		hint = append(hint, fmt.Sprintf("there %s: %s", are, strings.Join(names, ", ")))
	} else if list != "" {
		hint = append(hint, fmt.Sprintf("%q lists all", list))
	}
	return Errorf(strings.Join(hint, "\n"), "unknown %s %q", what, got)
}

// Meant returns the line of a hint that suggests the name that word most likely
// means; "" if there is none.
func Meant(word string, names []string) string {
	if n := Nearest(word, names); n != "" {
		return fmt.Sprintf("did you mean %s?\n", n)
	}
	return ""
}
