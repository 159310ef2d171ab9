package graph

import (
	"context"
	"fmt"
	"math"
)

// metisHeader is the first line of a METIS file.
type metisHeader struct {
	n, m    uint64 // vertices, edges
	skip    int    // numbers of a vertex (size, weights) that precede its neighbors
	weights bool   // each neighbor is followed by a weight
}

// readMETIS reads the format of METIS and Chaco: a line "VERTICES EDGES [FMT [NCON]]", then
// for each vertex a line with its neighbors, numbered from 1. Each edge is listed at both
// ends. The format is defined in the METIS manual, section 4.5.
func readMETIS(ctx context.Context, l *lines, opt LoadOptions, notes *Notes) (*CSR, error) {
	h, err := metisSize(l)
	if err != nil {
		return nil, err
	}
	b := &builder{keepLoops: opt.KeepSelfLoops, weights: weightSource{have: h.weights, what: "edge weights"}}
	if err := b.expect(2*h.m, 2*l.hint); err != nil {
		return nil, err
	}
	top := l.line
	var comments []int // their lines
	all := &block{}
	err = b.readBlocks(l, parsing{most: math.MaxUint64, vertices: true, parse: h.line}, all, func(x *block) {
		comments = append(comments, x.comments...)
	})
	if err != nil {
		return nil, err
	}
	arcs := all.seen
	if err := l.ended("vertex lines", min(all.first, h.n), h.n, 0); err != nil {
		return nil, err
	}
	_, loops := b.edges()
	if arcs != 2*h.m && arcs+loops != 2*h.m {
		return nil, l.fail("the header says %d edges, each at both ends: %d neighbors, but the file has %d", h.m, 2*h.m, arcs)
	}
	g, err := b.build(ctx, plan{file: l.name, n: int(h.n), bothEnds: true}, opt, notes)
	if err != nil {
		return nil, err
	}
	if !g.Symmetric {
		u, v, _, err := findAsymmetry(ctx, g)
		if err != nil {
			return nil, err
		}
		at := func(vertex uint32) int { // the line of a vertex
			line := top + 1 + int(vertex)
			for i := 0; i < len(comments) && comments[i] <= line; i++ {
				line++
			}
			return line
		}
		return nil, &FileError{File: l.name, Line: at(u),
			What: fmt.Sprintf("vertex %d lists %d, but vertex %d (line %d) does not list %d with the same weight", u+1, v+1, v+1, at(v), u+1)}
	}
	g.FirstID = 1
	if h.skip > 0 {
		notes.add(NoteValuesIgnored, uint64(h.skip)*h.n, "vertex weights and sizes are ignored (%d per vertex)", h.skip)
	}
	notes.add(NoteUndirected, h.m, "undirected: each of %s is stored as two arcs", plural(h.m, "edge", "edges"))
	noteFirstID(notes, h.n)
	return g, nil
}

// line reads the neighbors of a vertex, or a comment.
func (h *metisHeader) line(l *lines, line []byte, to *block) error {
	i := skip(line, 0)
	if i < len(line) && line[i] == '%' {
		to.comments = append(to.comments, l.line)
		return nil
	}
	u := uint32(to.first)
	if to.first >= h.n {
		if i < len(line) {
			return l.fail("a line for vertex %d, but the header says %d vertices", h.n+1, h.n)
		}
		return nil
	}
	to.first++
	for range h.skip {
		_, j, ok := number(line, i)
		if !ok {
			if i == len(line) {
				return l.fail("vertex %d: expected %s before its neighbors, found the end of the line",
					u+1, plural(uint64(h.skip), "weight or size", "weights or sizes"))
			}
			return l.fail("vertex %d: expected a vertex weight, found %s", u+1, quote(token(line, i)))
		}
		i = skip(line, j)
	}
	for i < len(line) {
		v, j, ok := number(line, i)
		if !ok {
			return l.fail("expected a neighbor of vertex %d, found %s", u+1, quote(token(line, i)))
		}
		if v-1 >= h.n {
			return l.fail("vertex %d is out of range: the header says 1 to %d", v, h.n)
		}
		var w uint32
		if h.weights {
			var err error
			if w, j, err = to.weights.weightAt(l, line, j); err != nil {
				return err
			}
		}
		to.insert(u, uint32(v-1), w)
		to.seen++
		i = skip(line, j)
	}
	return nil
}

// maxMETISWeights limits NCON; in practice METIS files have a handful of weights per
// vertex.
const maxMETISWeights = 1024

// metisSize reads the header line, which comments may precede.
func metisSize(l *lines) (h metisHeader, err error) {
	for {
		line, ok := l.next()
		if !ok {
			if l.err != nil {
				return h, l.err
			}
			return h, l.fail("the file ends before the line \"VERTICES EDGES\"")
		}
		i := skip(line, 0)
		if i == len(line) || line[i] == '%' {
			continue
		}
		var ok2 bool
		h.n, i, ok = number(line, i)
		h.m, i, ok2 = number(line, skip(line, i))
		if !ok || !ok2 {
			return h, l.fail("expected \"VERTICES EDGES [FMT [NCON]]\", found %s", quote(line))
		}
		if err := l.vertexCount(h.n); err != nil {
			return h, err
		}
		i = skip(line, i)
		format := token(line, i)
		if err := h.format(l, format); err != nil {
			return h, err
		}
		i = skip(line, i+len(format))
		if ncon, j, ok := number(line, i); ok {
			if ncon == 0 || ncon > maxMETISWeights {
				return h, l.fail("%d weights per vertex; expected 1 to %d", ncon, maxMETISWeights)
			}
			if len(format) >= 2 && format[len(format)-2] == '1' {
				h.skip += int(ncon) - 1
			}
			i = j
		}
		if !blank(line, i) {
			return h, l.fail("expected \"VERTICES EDGES [FMT [NCON]]\", found %s", quote(line))
		}
		return h, nil
	}
}

// format parses FMT: three binary digits, without leading zeros, for vertex sizes, vertex
// weights and edge weights.
func (h *metisHeader) format(l *lines, word []byte) error {
	if len(word) > 3 {
		return l.fail("format %s; expected up to three digits 0 or 1 (vertex sizes, vertex weights, edge weights)", quote(word))
	}
	for k, c := range word {
		if c != '0' && c != '1' {
			return l.fail("format %s; expected up to three digits 0 or 1 (vertex sizes, vertex weights, edge weights)", quote(word))
		}
		if c == '1' {
			if k == len(word)-1 {
				h.weights = true
			} else {
				h.skip++
			}
		}
	}
	return nil
}
