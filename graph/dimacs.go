package graph

import (
	"bytes"
	"context"
)

// readDIMACS reads the format of the 9th DIMACS challenge (shortest paths): comments "c
// ...", one line "p sp VERTICES ARCS", and arcs "a FROM TO WEIGHT".
func readDIMACS(ctx context.Context, l *lines, opt LoadOptions, notes *Notes) (*CSR, error) {
	b := &builder{keepLoops: opt.KeepSelfLoops, weights: weightSource{have: true, what: "arc lengths"}}
	var n, arcs, seen uint64
	haveSize := false
	for {
		line, ok := l.next()
		if !ok {
			break
		}
		i := skip(line, 0)
		if i == len(line) {
			continue
		}
		kind := line[i]
		if i+1 < len(line) && !space(line[i+1]) {
			kind = 0
		}
		i = skip(line, i+1)
		switch kind {
		case 'c':
		case 'a':
			if !haveSize {
				return nil, l.fail("an arc before the line \"p sp VERTICES ARCS\"")
			}
			if seen++; seen > arcs {
				return nil, l.fail("arc %d, but the header says %d", seen, arcs)
			}
			u, v, i, err := twoIDs(l, line, i, n)
			if err != nil {
				return nil, err
			}
			w, i, err := b.weightAt(l, line, i)
			if err != nil {
				return nil, err
			}
			if !blank(line, i) {
				return nil, l.fail("expected the end of the line, found %s", quote(token(line, skip(line, i))))
			}
			b.add(u-1, v-1, w)
			if b.err != nil {
				return nil, b.err
			}
		case 'p':
			if haveSize {
				return nil, l.fail("a second line \"p sp VERTICES ARCS\"")
			}
			var err error
			if n, arcs, err = dimacsSize(l, line, i); err != nil {
				return nil, err
			}
			haveSize = true
			b.reserve(arcs, l.hint)
		default:
			return nil, l.fail("expected a line that begins with c, p or a, found %s", quote(line))
		}
	}
	if l.err == nil && !haveSize {
		return nil, l.fail("the file ends before the line \"p sp VERTICES ARCS\"")
	}
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
