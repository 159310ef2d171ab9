package graph

import (
	"math"
	"strconv"
)

// vertexCount checks a header's number of vertices.
func (l *lines) vertexCount(n uint64) error {
	if n > MaxVertices {
		return l.fail("%d vertices: vertex numbers are 32 bits wide, at most %d", n, uint64(MaxVertices))
	}
	return nil
}

// ended checks at the end of a file that it was read to its end, has as many
// entries as its header says, and is not much too small for so many vertices:
// a wrong header must not take all memory. Packed files count as they are
// stored, since a thousand equal lines need no more room there than one.
func (l *lines) ended(what string, seen, want, n uint64) error {
	switch {
	case l.err != nil:
		return l.err
	case seen < want:
		return l.fail("the file ends after %d of %d %s; it is cut off, or its header is wrong", seen, want, what)
	}
	const perByte = 64
	if n > alwaysVertices && n/perByte > uint64(*l.stored) {
		return &FileError{File: l.name, What: "the header says " + strconv.FormatUint(n, 10) + " vertices, but the file has only " +
			strconv.FormatInt(*l.stored, 10) + " bytes; the header is wrong"}
	}
	return nil
}

// alwaysVertices is how many vertices a header may claim whatever the file is.
// Tests that read a million texts make it smaller.
var alwaysVertices uint64 = 1 << 16

// twoIDs reads two vertex ids from 1 to n that begin at i.
func twoIDs(l *lines, line []byte, i int, n uint64) (u, v uint32, next int, err error) {
	a, j, ok := number(line, i)
	b, k, ok2 := number(line, skip(line, j))
	if ok && ok2 && a-1 < n && b-1 < n { // an id of 0 wraps round, out of range
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

// badID is the error for a word where a vertex id belongs.
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

// digits says whether a word is a number without sign.
func digits(word []byte) bool {
	for _, c := range word {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(word) > 0
}

// weightAt reads the weight after index i. A number that cannot be a weight
// is counted, and the word after it is where reading goes on; anything else is an error.
func (b *builder) weightAt(l *lines, line []byte, i int) (w uint32, next int, err error) {
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
		b.weights.reject(l.line, word)
	}
	return w, i + len(word), nil
}

// decimal reads a decimal number, as in -1.50e+3, exactly. ok is false when the word is
// none; whole says that it is a whole number of 32 bits, which w then is.
func decimal(word []byte) (w uint32, whole, ok bool) {
	i := 0
	negative := i < len(word) && word[i] == '-'
	if i < len(word) && (word[i] == '-' || word[i] == '+') {
		i++
	}
	// The number is v * 10^(zeros - behind + exponent): v ends in the last digit
	// that is not 0, zeros counts those after it, behind all digits behind the point.
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

// exponentOf reads the exponent of a decimal number. Beyond a billion it is a billion:
// no line has so many digits.
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

// noteFirstID tells that the file counts vertices from 1.
func noteFirstID(notes *Notes, n uint64) {
	if n > 0 {
		notes.add(NoteIDs, n, "vertices count from 0 in memory: 1 to %d of the file are 0 to %d there", n, n-1)
	}
}
