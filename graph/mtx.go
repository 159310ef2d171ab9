package graph

import (
	"context"
	"strings"
)

// mtxHeader is the first line of a Matrix Market file.
type mtxHeader struct {
	values    bool // entries have a value
	symmetric bool // only one of (i,j) and (j,i) is stored
}

// readMatrixMarket reads a coordinate matrix as the graph in which entry (i, j) is the arc
// i -> j. The format is defined at math.nist.gov/MatrixMarket/formats.html.
func readMatrixMarket(ctx context.Context, l *lines, opt LoadOptions, notes *Notes) (*CSR, error) {
	h, err := mtxBanner(l)
	if err != nil {
		return nil, err
	}
	n, entries, err := mtxSize(l)
	if err != nil {
		return nil, err
	}
	b := &builder{keepLoops: opt.KeepSelfLoops, weights: weightSource{have: h.values, what: "matrix values"}}
	if err := b.expect(entries, l.hint); err != nil {
		return nil, err
	}
	all := &block{}
	err = b.readBlocks(l, parsing{most: entries, parse: func(l *lines, line []byte, to *block) error {
		return mtxEntry(l, line, n, entries, to)
	}}, all, func(*block) {})
	if err != nil {
		return nil, err
	}
	seen := all.seen
	if err := l.ended("entries", seen, entries, n); err != nil {
		return nil, err
	}
	g, err := b.build(ctx, plan{file: l.name, n: int(n), undirected: h.symmetric}, opt, notes)
	if err != nil {
		return nil, err
	}
	g.FirstID = 1
	noteDirection(notes, g, h.symmetric, seen)
	noteFirstID(notes, n)
	return g, nil
}

// mtxEntry reads an entry, or a comment.
func mtxEntry(l *lines, line []byte, n, entries uint64, to *block) error {
	i := skip(line, 0)
	if i == len(line) || line[i] == '%' {
		return nil
	}
	if to.seen++; to.seen > entries {
		return l.fail("entry %d, but the header says %d", to.seen, entries)
	}
	u, v, i, err := twoIDs(l, line, i, n)
	if err != nil {
		return err
	}
	var w uint32
	if to.weights.have {
		if w, i, err = to.weights.weightAt(l, line, i); err != nil {
			return err
		}
	}
	if !blank(line, i) {
		return l.fail("expected the end of the line, found %s", quote(token(line, skip(line, i))))
	}
	to.insert(u-1, v-1, w)
	return nil
}

// mtxBanner reads the first line, and rejects variants of the format that do not describe a
// graph.
func mtxBanner(l *lines) (h mtxHeader, err error) {
	line, ok := l.next()
	for ok && blank(line, 0) {
		line, ok = l.next()
	}
	if l.err != nil {
		return h, l.err
	}
	f := strings.Fields(strings.ToLower(string(line[:min(len(line), 256)])))
	if len(f) == 0 || f[0] != "%%matrixmarket" {
		return h, l.fail("expected the line \"%%%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric\", found %s", quote(line))
	}
	if len(f) != 5 {
		return h, l.fail("expected \"%%%%MatrixMarket\" and four words (matrix coordinate, then a field and a symmetry), found %s", quote(line))
	}
	if f[1] != "matrix" {
		return h, l.fail("object %q is not read, only matrix", f[1])
	}
	if f[2] == "array" {
		return h, l.fail("an array is a dense matrix, not a graph; only coordinate is read")
	}
	if f[2] != "coordinate" {
		return h, l.fail("format %q is not read, only coordinate", f[2])
	}
	switch f[3] {
	case "pattern":
	case "integer", "real":
		h.values = true
	case "complex":
		return h, l.fail("complex values cannot be weights; only pattern, integer and real are read")
	default:
		return h, l.fail("field %q is not read, only pattern, integer and real", f[3])
	}
	switch f[4] {
	case "general":
	case "symmetric":
		h.symmetric = true
	case "skew-symmetric":
		return h, l.fail("skew-symmetric: the opposite of each entry has the negative value, which cannot be a weight; only general and symmetric are read")
	case "hermitian":
		return h, l.fail("hermitian: such values are complex and cannot be weights; only general and symmetric are read")
	default:
		return h, l.fail("symmetry %q is not read, only general and symmetric", f[4])
	}
	return h, nil
}

// mtxSize reads the line with rows, columns and entries, which comments may precede.
func mtxSize(l *lines) (n, entries uint64, err error) {
	for {
		line, ok := l.next()
		if !ok {
			if l.err != nil {
				return 0, 0, l.err
			}
			return 0, 0, l.fail("the file ends before the line with rows, columns and entries")
		}
		i := skip(line, 0)
		if i == len(line) || line[i] == '%' {
			continue
		}
		var size [3]uint64
		for k := range size {
			if size[k], i, ok = number(line, skip(line, i)); !ok {
				return 0, 0, l.fail("expected rows, columns and entries, found %s", quote(line))
			}
		}
		if !blank(line, i) {
			return 0, 0, l.fail("expected rows, columns and entries, found %s", quote(line))
		}
		if size[0] != size[1] {
			return 0, 0, l.fail("the matrix has %d rows and %d columns; a graph needs a square one", size[0], size[1])
		}
		return size[0], size[2], l.vertexCount(size[0])
	}
}
