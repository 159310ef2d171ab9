package graph

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// readEdgeList reads a SNAP edge list: two vertex ids per line; comments start with # or %.
// Ids are arbitrary 32-bit numbers. The vertices are the ids that occur, in ascending
// order. If every line has a third column, it is the weight.
func readEdgeList(ctx context.Context, l *lines, opt LoadOptions, notes *Notes) (*CSR, error) {
	b := &builder{keepLoops: true} // so that a vertex that has only a self loop is kept
	b.weights.what = "third column"
	var stated snapHeader
	var seen, extra uint64
	for {
		line, ok := l.next()
		if !ok {
			break
		}
		i := skip(line, 0)
		if i == len(line) {
			continue
		}
		if line[i] == '#' || line[i] == '%' {
			stated.parse(line)
			continue
		}
		u, i, ok := number(line, i)
		v, j, ok2 := number(line, skip(line, i))
		if !ok || !ok2 || u|v > math.MaxUint32 {
			return nil, edgeError(l, line)
		}
		j = skip(line, j)
		if seen == 0 {
			b.weights.have = j < len(line)
			b.reserve(math.MaxInt64, l.hint/3)
		}
		seen++
		if (j < len(line)) != b.weights.have {
			if b.weights.have {
				return nil, l.fail("expected a weight, as in the lines before, found the end of the line")
			}
			return nil, l.fail("expected the end of the line, as in the lines before, found %s", quote(token(line, j)))
		}
		var w uint32
		if b.weights.have {
			var err error
			if w, j, err = b.weightAt(l, line, j); err != nil {
				return nil, err
			}
			if !blank(line, j) {
				extra++
			}
		}
		b.add(uint32(u), uint32(v), w)
		if b.err != nil {
			return nil, b.err
		}
	}
	if l.err != nil {
		return nil, l.err
	}
	if seen == 0 {
		return nil, &FileError{File: l.name, What: "no edge in the file"}
	}
	if extra > 0 {
		notes.add(NoteValuesIgnored, extra, "columns after the third are ignored, in %s", plural(extra, "line", "lines"))
	}
	ids, err := compact(ctx, b.edge)
	if err != nil {
		return nil, err
	}
	n := len(ids)
	stated.check(notes, uint64(n), seen)
	highest := ids[n-1]
	if uint64(highest) == uint64(n-1) {
		ids = nil
	}
	b.keepLoops = opt.KeepSelfLoops
	if !b.keepLoops {
		b.dropLoops()
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
func (b *builder) dropLoops() {
	if b.loops == 0 {
		return
	}
	out := 0
	for i, e := range b.edge {
		if uint32(e>>32) == uint32(e) {
			continue
		}
		b.edge[out] = e
		if b.weights.have {
			b.weight[out] = b.weight[i]
		}
		out++
	}
	b.edge = b.edge[:out]
	if b.weights.have {
		b.weight = b.weight[:out]
	}
}

// compact renumbers the ends of edges from 0 without gaps, in ascending order of ids, and
// returns the id of each new number.
func compact(ctx context.Context, edges []uint64) (ids []uint32, err error) {
	var highest uint32
	err = chunks(ctx, edges, func(_ int, edges []uint64) {
		here := highest // kept in a register
		for _, e := range edges {
			here = max(here, uint32(e>>32), uint32(e))
		}
		highest = here
	})
	if err != nil {
		return nil, err
	}
	// A table of all ids is fast, but must not be much larger than the edges.
	if uint64(highest) > 16*uint64(len(edges))+1<<16 {
		return compactSparse(ctx, edges)
	}
	if err := memory.Need(memory.Bytes[[2]uint32](uint64(highest)+1), "numbering the vertices of %d edges", len(edges)); err != nil {
		return nil, err
	}
	number := make([]uint32, uint64(highest)+1)
	err = chunks(ctx, edges, func(_ int, edges []uint64) {
		for _, e := range edges {
			number[e>>32], number[uint32(e)] = 1, 1
		}
	})
	if err != nil {
		return nil, err
	}
	n := 0
	for _, present := range number {
		n += int(present)
	}
	ids = make([]uint32, 0, n)
	for id, present := range number {
		if present != 0 {
			number[id] = uint32(len(ids))
			ids = append(ids, uint32(id))
		}
	}
	return ids, chunks(ctx, edges, func(_ int, edges []uint64) {
		for i, e := range edges {
			edges[i] = uint64(number[e>>32])<<32 | uint64(number[uint32(e)])
		}
	})
}

// compactSparse is compact for ids that are far apart; it sorts them.
func compactSparse(ctx context.Context, edges []uint64) (ids []uint32, err error) {
	if err := memory.Need(memory.Bytes[[4]uint32](uint64(len(edges))), "numbering the vertices of %d edges", len(edges)); err != nil {
		return nil, err
	}
	ids = make([]uint32, 0, 2*len(edges))
	for _, e := range edges {
		ids = append(ids, uint32(e>>32), uint32(e))
	}
	if ids, err = sortUnique(ctx, ids, make([]uint32, 0, len(ids))); err != nil {
		return nil, err
	}
	ids = slices.Clone(ids)
	return ids, chunks(ctx, edges, func(_ int, edges []uint64) {
		for i, e := range edges {
			u, _ := slices.BinarySearch(ids, uint32(e>>32))
			v, _ := slices.BinarySearch(ids, uint32(e))
			edges[i] = uint64(u)<<32 | uint64(v)
		}
	})
}

// sortUnique sorts s and removes duplicates. It sorts by halves, so that it can stop when
// ctx is done. other must have the capacity of s and is overwritten.
func sortUnique(ctx context.Context, s, other []uint32) ([]uint32, error) {
	const atOnce = 1 << 18
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(s) <= atOnce {
		slices.Sort(s)
		return slices.Compact(s), nil
	}
	half := len(s) / 2
	a, err := sortUnique(ctx, s[:half:half], other[:0:half])
	if err != nil {
		return nil, err
	}
	b, err := sortUnique(ctx, s[half:], other[half:half])
	if err != nil {
		return nil, err
	}
	out := other[:0:len(s)]
	for len(a) > 0 && len(b) > 0 {
		least := min(a[0], b[0])
		out = append(out, least)
		if a[0] == least {
			a = a[1:]
		}
		if b[0] == least {
			b = b[1:]
		}
	}
	out = append(append(out, a...), b...)
	return append(s[:0], out...), nil
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
