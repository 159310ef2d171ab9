package graph

import (
	"math"
	"strconv"
)

// vertexCount checks the number of vertices in a header.
func (l *lines) vertexCount(n uint64) error {
	if n > MaxVertices {
		return l.fail("%d vertices: vertex numbers are 32 bits wide, at most %d", n, uint64(MaxVertices))
	}
	return nil
}

// ended checks, at the end of a file, that reading did not fail, that the file has as many
// entries as its header states, and that it is not much too small for n vertices: a wrong
// header must not exhaust the memory. For a compressed file the compressed size counts,
// since a thousand equal lines need no more room there than one.
func (l *lines) ended(what string, seen, want, n uint64) error {
	switch {
	case l.err != nil:
		return l.err
	case seen < want:
		return l.fail("the file ends after %d of %d %s; it is truncated, or its header is wrong", seen, want, what)
	}
	const perByte = 64
	if n > alwaysVertices && n/perByte > uint64(*l.stored) {
		return &FileError{File: l.name, What: "the header says " + strconv.FormatUint(n, 10) + " vertices, but the file has only " +
			strconv.FormatInt(*l.stored, 10) + " bytes; the header is wrong"}
	}
	return nil
}

// alwaysVertices is the number of vertices that a header may state whatever the size of the
// file. Tests that read a million texts make it smaller.
var alwaysVertices uint64 = 1 << 16

// twoIDs parses two vertex ids from 1 to n, starting at i.
func twoIDs(l *lines, line []byte, i int, n uint64) (u, v uint32, next int, err error) {
	a, j, ok := number(line, i)
	b, k, ok2 := number(line, skip(line, j))
	if ok && ok2 && a-1 < n && b-1 < n { // an id of 0 wraps around, out of range
		return uint32(a), uint32(b), k, nil
	}
	if !ok || !ok2 {
		if !ok {
			j = i
		}
		return 0, 0, 0, l.badID(line, skip(line, j))
	}
	if a-1 < n {
		a = b
	}
	return 0, 0, 0, l.fail("vertex %d is out of range: the header says 1 to %d", a, n)
}

// badID returns the error for a word that should be a vertex id.
func (l *lines) badID(line []byte, i int) error {
	word := token(line, i)
	switch {
	case len(word) == 0:
		return l.fail("expected two vertex ids, found the end of the line")
	case digits(word):
		return l.fail("vertex id %s is larger than %d", word[:min(len(word), maxQuote)], uint32(math.MaxUint32))
	}
	return l.fail("expected two vertex ids, found %s", quote(word))
}

// digits reports whether a word is a number without sign.
func digits(word []byte) bool {
	for _, c := range word {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(word) > 0
}

// weightAt parses the weight after index i. A number that is not a valid weight is counted,
// and reading continues after it; any other word is an error.
func (s *weightSource) weightAt(l *lines, line []byte, i int) (w uint32, next int, err error) {
	i = skip(line, i)
	if v, j, ok := number(line, i); ok && v <= math.MaxUint32 {
		return uint32(v), j, nil
	}
	word := token(line, i)
	if len(word) == 0 {
		return 0, 0, l.fail("expected a weight, found the end of the line")
	}
	w, whole, ok := decimal(word)
	switch {
	case !ok:
		return 0, 0, l.fail("expected a weight, found %s", quote(word))
	case !whole:
		s.reject(l.line, word)
	}
	return w, i + len(word), nil
}

// decimal parses a decimal number such as -1.50e+3 exactly. ok is false if the word is not
// a number; whole reports whether it is a whole number of 32 bits, in which case w is that
// number.
func decimal(word []byte) (w uint32, whole, ok bool) {
	i := 0
	negative := i < len(word) && word[i] == '-'
	if i < len(word) && (word[i] == '-' || word[i] == '+') {
		i++
	}
	// The number is v * 10^(zeros - behind + exponent). v ends with the last nonzero digit,
	// zeros counts the digits after that one, and behind counts the digits after the
	// decimal point.
	var v uint64
	var zeros, behind, exponent int
	digits, long, point := false, false, false
	for ; i < len(word); i++ {
		c := word[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		digits = true
		if point {
			behind++
		}
		switch {
		case c != '0':
			for ; zeros >= 0 && !long; zeros-- {
				long = v > math.MaxUint32
				v *= 10
			}
			v += uint64(c - '0')
			zeros = 0
		case v > 0:
			zeros++
		}
	}
	if i < len(word) && (word[i] == 'e' || word[i] == 'E') {
		i++
		if exponent, ok = exponentOf(word[i:]); !ok {
			return 0, false, false
		}
		i = len(word)
	}
	power := zeros - behind + exponent
	switch {
	case !digits || i < len(word):
		return 0, false, false
	case v == 0 && !long:
		return 0, true, true
	case negative || long || power < 0 || power > 9:
		return 0, false, true
	}
	for range power {
		v *= 10
	}
	return uint32(v), v <= math.MaxUint32, true
}

// exponentOf parses the exponent of a decimal number. It is limited to a billion, since no
// line has so many digits.
func exponentOf(word []byte) (e int, ok bool) {
	const most = 1_000_000_000
	sign := 1
	if len(word) > 0 && (word[0] == '-' || word[0] == '+') {
		if word[0] == '-' {
			sign = -1
		}
		word = word[1:]
	}
	for _, c := range word {
		if c < '0' || c > '9' {
			return 0, false
		}
		e = min(10*e+int(c-'0'), most)
	}
	return sign * e, len(word) > 0
}

// noteFirstID adds the note that the file numbers vertices from 1.
func noteFirstID(notes *Notes, n uint64) {
	if n > 0 {
		notes.add(NoteIDs, n, "vertex ids start at 0 in memory: 1 to %d in the file are 0 to %d", n, n-1)
	}
}
