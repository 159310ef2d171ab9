package graph

import (
	"bytes"
	"context"
	"math"
)

// readEdgeList reads a SNAP edge list: two vertex ids per line; comments start with # or %.
// Ids are arbitrary 32-bit numbers. The vertices are the ids that occur, in ascending
// order. If every line has a third column, it is the weight.
func readEdgeList(ctx context.Context, l *lines, opt LoadOptions, notes *Notes) (*CSR, error) {
	b := &builder{keepLoops: true} // so that a vertex that has only a self loop is kept
	b.weights.what = "third column"
	head := &block{part: part{keepLoops: true}}
	for head.seen == 0 {
		line, ok := l.next()
		if !ok {
			break
		}
		if err := edgeLine(l, line, head); err != nil {
			return nil, err
		}
	}
	b.weights.have = head.weights.have
	if err := b.expect(math.MaxInt64, l.hint/3); err != nil {
		return nil, err
	}
	if err := b.take(head); err != nil {
		return nil, err
	}
	stated, extra := head.stated, head.extra
	err := b.readBlocks(l, parsing{most: math.MaxUint64, parse: edgeLine}, head, func(x *block) {
		extra += x.extra
		if !stated.have {
			stated = x.stated
		}
	})
	if err != nil {
		return nil, err
	}
	if l.err != nil {
		return nil, l.err
	}
	seen := head.seen
	if seen == 0 {
		return nil, &FileError{File: l.name, What: "no edge in the file"}
	}
	if extra > 0 {
		notes.add(NoteValuesIgnored, extra, "columns after the third are ignored, in %s", plural(extra, "line", "lines"))
	}
	ids, err := compact(ctx, b.parts)
	if err != nil {
		return nil, err
	}
	n := len(ids)
	stated.check(notes, uint64(n), seen)
	highest := ids[n-1]
	if uint64(highest) == uint64(n-1) {
		ids = nil
	}
	if b.keepLoops = opt.KeepSelfLoops; !b.keepLoops {
		if err := b.dropLoops(ctx); err != nil {
			return nil, err
		}
	}
	g, err := b.build(ctx, plan{file: l.name, n: n}, opt, notes)
	if err != nil {
		return nil, err
	}
	g.ID = ids
	if ids != nil {
		notes.add(NoteIDs, uint64(n), "vertices are renumbered without gaps: ids %d to %d in the file are 0 to %d in memory", ids[0], highest, n-1)
	}
	noteDirection(notes, g, false, seen)
	return g, nil
}

// edgeLine reads an edge, or a comment. The first edge decides whether the file has weights.
func edgeLine(l *lines, line []byte, to *block) error {
	i := skip(line, 0)
	if i == len(line) {
		return nil
	}
	if line[i] == '#' || line[i] == '%' {
		to.stated.parse(line)
		return nil
	}
	u, i, ok := number(line, i)
	v, j, ok2 := number(line, skip(line, i))
	if !ok || !ok2 || u|v > math.MaxUint32 {
		return edgeError(l, line)
	}
	j = skip(line, j)
	if !to.known {
		to.weights.have, to.known = j < len(line), true
	}
	to.seen++
	if (j < len(line)) != to.weights.have {
		if to.weights.have {
			return l.fail("expected a weight, as in the lines before, found the end of the line")
		}
		return l.fail("expected the end of the line, as in the lines before, found %s", quote(token(line, j)))
	}
	var w uint32
	if to.weights.have {
		var err error
		if w, j, err = to.weights.weightAt(l, line, j); err != nil {
			return err
		}
		if !blank(line, j) {
			to.extra++
		}
	}
	to.insert(uint32(u), uint32(v), w)
	return nil
}

// edgeError returns the error for a line that does not start with two ids.
func edgeError(l *lines, line []byte) error {
	i := skip(line, 0)
	for range 2 {
		v, j, ok := number(line, i)
		if !ok {
			return l.badID(line, i)
		}
		if v > math.MaxUint32 {
			return l.badID(line, i)
		}
		i = skip(line, j)
	}
	return l.fail("expected two vertex ids")
}

// dropLoops removes the self loops from the edges; add has already counted them.
func (b *builder) dropLoops(ctx context.Context) error {
	return eachPiece(ctx, len(b.parts), func(_, i int) {
		p := &b.parts[i]
		p.keepLoops = false
		if p.loops == 0 {
			return
		}
		out := 0
		for i, e := range p.edge {
			if uint32(e>>32) == uint32(e) {
				continue
			}
			p.edge[out] = e
			if b.weights.have {
				p.weight[out] = p.weight[i]
			}
			out++
		}
		p.edge = p.edge[:out]
		if b.weights.have {
			p.weight = p.weight[:out]
		}
	})
}

// snapHeader holds the counts from a comment in SNAP's files: "# Nodes: 7115 Edges:
// 103689".
type snapHeader struct {
	have         bool
	nodes, edges uint64
}

func (s *snapHeader) parse(line []byte) {
	_, rest, ok := bytes.Cut(line, []byte("Nodes:"))
	if !ok || s.have {
		return
	}
	nodes, edges, ok := bytes.Cut(rest, []byte("Edges:"))
	if !ok {
		return
	}
	var ok1, ok2 bool
	s.nodes, _, ok1 = number(nodes, skip(nodes, 0))
	s.edges, _, ok2 = number(edges, skip(edges, 0))
	s.have = ok1 && ok2
}

// check adds a note if the file does not have the counts that its comment states. That is
// not an error, since people often cut a part out of an edge list and leave the comment
// unchanged.
func (s *snapHeader) check(notes *Notes, nodes, edges uint64) {
	if s.have && (s.nodes != nodes || s.edges != edges) {
		notes.add(NoteHeaderMismatch, 0, "a comment in the file states %d vertices and %d edges, the file has %d and %d",
			s.nodes, s.edges, nodes, edges)
	}
}
