package graph

import (
	"bytes"
	"context"
)

// readDIMACS reads the format of the 9th DIMACS challenge (shortest paths): comments "c
// ...", one line "p sp VERTICES ARCS", and arcs "a FROM TO WEIGHT".
func readDIMACS(ctx context.Context, l *lines, opt LoadOptions, notes *Notes) (*CSR, error) {
	b := &builder{keepLoops: opt.KeepSelfLoops, weights: weightSource{have: true, what: "arc lengths"}}
	n, arcs, err := dimacsHeader(l)
	if err != nil {
		return nil, err
	}
	if err := b.expect(arcs, l.hint); err != nil {
		return nil, err
	}
	all := &block{}
	err = b.readBlocks(l, parsing{most: arcs, parse: func(l *lines, line []byte, to *block) error {
		return dimacsArc(l, line, n, arcs, to)
	}}, all, func(*block) {})
	if err != nil {
		return nil, err
	}
	seen := all.seen
	if err := l.ended("arcs", seen, arcs, n); err != nil {
		return nil, err
	}
	g, err := b.build(ctx, plan{file: l.name, n: int(n)}, opt, notes)
	if err != nil {
		return nil, err
	}
	g.FirstID = 1
	noteDirection(notes, g, false, seen)
	noteFirstID(notes, n)
	return g, nil
}

// dimacsKind returns the letter that a line begins with, or 0 if that is a longer word, and the index
// of what follows. It is a space for an empty line.
func dimacsKind(line []byte) (kind byte, next int) {
	i := skip(line, 0)
	if i == len(line) {
		return ' ', i
	}
	kind = line[i]
	if i+1 < len(line) && !space(line[i+1]) {
		kind = 0
	}
	return kind, skip(line, i+1)
}

// dimacsHeader reads the lines up to the p line.
func dimacsHeader(l *lines) (n, arcs uint64, err error) {
	for {
		line, ok := l.next()
		if !ok {
			if l.err != nil {
				return 0, 0, l.err
			}
			return 0, 0, l.fail("the file ends before the line \"p sp VERTICES ARCS\"")
		}
		switch kind, i := dimacsKind(line); kind {
		case 'c', ' ':
		case 'p':
			return dimacsSize(l, line, i)
		case 'a':
			return 0, 0, l.fail("an arc before the line \"p sp VERTICES ARCS\"")
		default:
			return 0, 0, l.unknownDIMACS(line)
		}
	}
}

// dimacsArc reads an arc, or a comment.
func dimacsArc(l *lines, line []byte, n, arcs uint64, to *block) error {
	kind, i := dimacsKind(line)
	switch kind {
	case 'c', ' ':
		return nil
	case 'a':
	case 'p':
		return l.fail("a second line \"p sp VERTICES ARCS\"")
	default:
		return l.unknownDIMACS(line)
	}
	if to.seen++; to.seen > arcs {
		return l.fail("arc %d, but the header says %d", to.seen, arcs)
	}
	u, v, i, err := twoIDs(l, line, i, n)
	if err != nil {
		return err
	}
	w, i, err := to.weights.weightAt(l, line, i)
	if err != nil {
		return err
	}
	if !blank(line, i) {
		return l.fail("expected the end of the line, found %s", quote(token(line, skip(line, i))))
	}
	to.insert(u-1, v-1, w)
	return nil
}

// unknownDIMACS returns the error for a line of no known kind.
func (l *lines) unknownDIMACS(line []byte) error {
	return l.fail("expected a line that begins with c, p or a, found %s", quote(line))
}

// dimacsSize reads the rest of a p line.
func dimacsSize(l *lines, line []byte, i int) (n, arcs uint64, err error) {
	kind := token(line, i)
	if !bytes.Equal(kind, []byte("sp")) {
		return 0, 0, l.fail("expected \"p sp VERTICES ARCS\", found the problem %s; only sp (shortest paths) is read", quote(kind))
	}
	n, i, ok := number(line, skip(line, i+len(kind)))
	arcs, i, ok2 := number(line, skip(line, i))
	if !ok || !ok2 || !blank(line, i) {
		return 0, 0, l.fail("expected \"p sp VERTICES ARCS\", found %s", quote(line))
	}
	return n, arcs, l.vertexCount(n)
}
