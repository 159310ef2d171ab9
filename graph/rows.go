package graph

import (
	"context"
	"math/bits"

	"github.com/weft-gpu/weft/internal/base/hugepage"
	"github.com/weft-gpu/weft/internal/base/memory"
)

// sorter sorts arcs into the rows of a CSR, on all cores, in linear time.
//
// The vertices are divided into ranges, and the arcs are first distributed to the ranges of their
// sources. The arcs of a range fit the cache of a core, which then sorts them by source, and each
// row by target. Both steps are stable if the arcs are, so arcs that are equal keep their order.
type sorter struct {
	n      int // vertices
	arcs   int // with those that both adds
	pieces int // of the arcs
	// read returns the arcs of a piece, as source<<32 | target, and their weights. It may use memory
	// of its worker, see eachPiece.
	read     func(worker, piece int) ([]uint64, []uint32)
	weighted bool
	both     bool // also add the opposite of each arc that is no self loop
	merge    bool // keep one of several equal arcs, with the smallest weight

	shift  int        // of a source, to its range
	groups [][2]int   // consecutive pieces that one goroutine distributes, and its end
	at     [][]uint64 // by group and range: first the number of arcs, then the next free place
	first  []uint64   // by range: the first of its arcs
	arc    []uint64   // distributed
	weight []uint32
}

// merged counts the arcs that were merged with equal ones.
type merged struct{ arcs, loops uint64 }

const (
	arcsPerRange = 1 << 16 // 512 KiB of arcs, which fit the cache of a core
	maxRanges    = 1 << 11 // more would need more entries than the tables of address translation have
)

// sortBytes returns the largest size of memory that sorting allocates at one time besides the
// edges.
func sortBytes(vertices, arcs int, weighted bool) uint64 {
	arc := uint64(arcs)
	need := memory.Sum(memory.Bytes[uint64](uint64(vertices)+1), memory.Bytes[uint64](arc), memory.Bytes[uint32](arc))
	if weighted {
		need = memory.Sum(need, memory.Bytes[[2]uint32](arc))
	}
	return need
}

// sort sorts. It calls read twice for each piece, and then free, after which the pieces are not
// needed.
func (s *sorter) sort(ctx context.Context, free func()) (*CSR, merged, error) {
	width := bits.Len(uint(min(max(s.arcs/arcsPerRange, 1), maxRanges)) - 1)
	s.shift = max(bits.Len(uint(max(s.n-1, 0)))-width, 0)
	if err := s.distribute(ctx); err != nil {
		return nil, merged{}, err
	}
	free()
	g := &CSR{Row: hugepage.Make[uint64](s.n + 1), Col: hugepage.Make[uint32](s.arcs)}
	if s.weighted {
		g.Weight = hugepage.Make[uint32](s.arcs)
	}
	ranges := len(s.first) - 1
	length, repeats := make([]uint64, ranges), make([]merged, ranges)
	scratch := make([]rowSorter, cores())
	err := eachPiece(ctx, ranges, func(worker, k int) { length[k], repeats[k] = s.sortRange(g, k, &scratch[worker]) })
	if err != nil {
		return nil, merged{}, err
	}
	s.arc, s.weight = nil, nil
	var total merged
	var out uint64
	for k, n := range length { // close the gaps that merged arcs leave
		total.arcs, total.loops = total.arcs+repeats[k].arcs, total.loops+repeats[k].loops
		first := s.first[k]
		if err := ctx.Err(); err != nil {
			return nil, merged{}, err
		}
		if s.first[k] = out; out != first {
			copy(g.Col[out:], g.Col[first:first+n])
			if s.weighted {
				copy(g.Weight[out:], g.Weight[first:first+n])
			}
		}
		out += n
	}
	g.Col = g.Col[:out:out]
	if s.weighted {
		g.Weight = g.Weight[:out:out]
	}
	return g, total, eachPiece(ctx, ranges, func(_, k int) {
		base := s.first[k]
		lo, hi := s.vertices(k)
		for i := range g.Row[lo+1 : hi+1] {
			g.Row[lo+1+i] += base
		}
	})
}

// vertices returns the vertices of a range.
func (s *sorter) vertices(k int) (lo, hi int) { return k << s.shift, min((k+1)<<s.shift, s.n) }

// distribute sorts the arcs by range.
func (s *sorter) distribute(ctx context.Context) error {
	ranges := max(s.n-1, 0)>>s.shift + 1
	if s.n == 0 {
		ranges = 0
	}
	groups := 1
	if cores() > 1 {
		groups = 4 * cores() // so that no core waits long for the last one
	}
	groups = min(groups, s.pieces)
	s.at = make([][]uint64, groups)
	s.groups = make([][2]int, groups)
	for i := range s.groups {
		s.at[i] = make([]uint64, ranges)
		s.groups[i] = [2]int{i * s.pieces / groups, (i + 1) * s.pieces / groups}
	}
	if err := s.eachGroup(ctx, s.count); err != nil {
		return err
	}
	s.first = make([]uint64, ranges+1)
	var sum uint64
	for k := range ranges {
		for _, at := range s.at {
			at[k], sum = sum, sum+at[k]
		}
		s.first[k+1] = sum
	}
	s.arc = hugepage.Make[uint64](s.arcs)
	if s.weighted {
		s.weight = hugepage.Make[uint32](s.arcs)
	}
	return s.eachGroup(ctx, s.scatter)
}

// eachGroup calls f with the arcs of each piece, those of a group one after the other.
func (s *sorter) eachGroup(ctx context.Context, f func(at, arcs []uint64, weight []uint32)) error {
	return eachPiece(ctx, len(s.groups), func(worker, i int) {
		for piece := s.groups[i][0]; piece < s.groups[i][1] && ctx.Err() == nil; piece++ {
			arcs, weight := s.read(worker, piece)
			f(s.at[i], arcs, weight)
		}
	})
}

// count counts arcs by range.
func (s *sorter) count(at, arcs []uint64, _ []uint32) {
	shift := s.shift + 32
	if !s.both {
		for _, e := range arcs {
			at[e>>shift]++
		}
		return
	}
	for _, e := range arcs {
		at[e>>shift]++
		if uint32(e>>32) != uint32(e) {
			at[e&0xffffffff>>s.shift]++
		}
	}
}

// scatter writes arcs to the places of their ranges.
func (s *sorter) scatter(at, arcs []uint64, weight []uint32) {
	shift, out := s.shift+32, s.arc
	for i, e := range arcs {
		k := e >> shift
		to := at[k]
		at[k]++
		out[to] = e
		if s.weighted {
			s.weight[to] = weight[i]
		}
		if s.both && uint32(e>>32) != uint32(e) {
			e = bits.RotateLeft64(e, 32)
			k := e >> shift
			to := at[k]
			at[k]++
			out[to] = e
			if s.weighted {
				s.weight[to] = weight[i]
			}
		}
	}
}

// sortRange sorts the arcs of a range into the rows of g. It sets the ends of the rows, relative to
// the beginning of the range, and returns the number of arcs in them.
func (s *sorter) sortRange(g *CSR, k int, scratch *rowSorter) (length uint64, repeats merged) {
	lo, hi := s.vertices(k)
	arcs := s.arc[s.first[k]:s.first[k+1]]
	col := g.Col[s.first[k]:s.first[k+1]]
	row := g.Row[lo : hi+1 : hi+1]
	next := scratch.counts(hi - lo + 1)
	for _, e := range arcs {
		next[int(e>>32)-lo+1]++
	}
	for i := range next[1:] {
		next[i+1] += next[i]
	}
	var weight, from []uint32
	if s.weighted {
		weight, from = g.Weight[s.first[k]:s.first[k+1]], s.weight[s.first[k]:s.first[k+1]]
	}
	for i, e := range arcs {
		u := int(e>>32) - lo
		to := next[u]
		next[u]++
		col[to] = uint32(e)
		if weight != nil {
			weight[to] = from[i]
		}
	}
	var begin uint64
	for u, end := range next[:hi-lo] { // next is now the end of each row
		var w []uint32
		if weight != nil {
			w = weight[begin:end]
		}
		scratch.sort(col[begin:end], w)
		if s.merge {
			length = mergeRow(uint32(lo+u), col, weight, length, begin, end, &repeats)
		} else {
			length = end
		}
		row[u+1] = length
		begin = end
	}
	return length, repeats
}

// mergeRow moves the arcs of vertex u from begin..end to out and returns the next place there. It
// keeps one of several equal arcs, with the smallest weight.
func mergeRow(u uint32, col, weight []uint32, out, begin, end uint64, repeats *merged) uint64 {
	start := out
	for e := begin; e < end; e++ {
		v := col[e]
		if out > start && col[out-1] == v {
			if weight != nil {
				weight[out-1] = min(weight[out-1], weight[e])
			}
			if v == u {
				repeats.loops++
			} else {
				repeats.arcs++
			}
			continue
		}
		col[out] = v
		if weight != nil {
			weight[out] = weight[e]
		}
		out++
	}
	return out
}
