package graph

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weft-gpu/weft/internal/base/laps"
	"github.com/weft-gpu/weft/internal/base/memory"
)

// MaxPower is the largest LoadOptions.Power.
const MaxPower = 4

// rowsPerPiece is the number of rows that a goroutine multiplies at a time. A row of a hub can take as long as
// thousands of others, so that pieces are small.
const rowsPerPiece = 64

// product adds arcs for paths: the union of the powers of the adjacency matrix up to a highest one. It multiplies by
// rows (Gustavson 1978): the row of a vertex in a product is the union of the rows of the vertices in its row before,
// and an array of marks tells which vertices the union has already. A row goes through all powers before the next one
// begins, so that no product but the last is in memory; and only vertices that a power adds go on to the next.
//
// There are two passes: the first one counts the arcs of each row, so that memory for all of them is asked for once.
type product struct {
	of      *CSR
	power   int
	workers []productRow
	counted atomic.Uint64 // arcs, in the first pass
	rows    atomic.Int64  // of both passes
	telling sync.Mutex
	report  func(done, total int64)
	failed  atomic.Pointer[error]
}

// productRow is what a goroutine keeps from one row to the next.
type productRow struct {
	mark   []uint32          // by vertex: 1 + the row that has it, of those that the goroutine computed in this pass
	list   []uint32          // the vertices of the row, those of fewer arcs first
	ends   [MaxPower + 1]int // by number of arcs: the end of their part of the list
	look   poller
	sorter rowSorter
}

// raised returns the graph with an arc for each path of at most so many arcs between two vertices without an arc. The
// weight of each arc is the least number of arcs of such a path. report may be nil.
func (g *CSR) raised(ctx context.Context, power int, report func(done, total int64)) (*CSR, error) {
	defer laps.Start(ctx, "multiplying")()
	n := g.Vertices()
	if err := memory.Need(memory.Sum(memory.Bytes[uint64](uint64(n)+1), memory.Bytes[[2]uint32](uint64(n)*uint64(cores()))),
		"multiplying the matrix of a graph of %d vertices", n); err != nil {
		return nil, err
	}
	p := &product{of: g, power: power, workers: make([]productRow, cores()), report: report}
	out := *g
	out.BadWeights, out.Row = nil, make([]uint64, n+1)
	err := p.each(ctx, func(r *productRow, u uint32) {
		r.reach(g, u, power)
		out.Row[u+1] = uint64(len(r.list))
		p.count(len(r.list))
	})
	if err != nil {
		return nil, err
	}
	if err := prefixSum(ctx, out.Row); err != nil {
		return nil, err
	}
	arcs := out.Row[n]
	if err := p.need(arcs, ""); err != nil {
		return nil, err
	}
	out.Col, out.Weight = make([]uint32, arcs), make([]uint32, arcs)
	return &out, p.each(ctx, func(r *productRow, u uint32) {
		r.reach(g, u, power)
		row, weight := out.Neighbors(u), out.Weights(u)
		if len(r.list) != len(row) {
			return // the context is done
		}
		copy(row, r.list)
		for k := 1; k <= power; k++ {
			for i := r.ends[k-1]; i < r.ends[k]; i++ {
				weight[i] = uint32(k)
			}
		}
		r.sorter.sort(row, weight)
	})
}

// each calls f for each row, on all cores, with what its goroutine keeps.
func (p *product) each(ctx context.Context, f func(r *productRow, u uint32)) error {
	n := p.of.Vertices()
	for i := range p.workers {
		clear(p.workers[i].mark)
	}
	err := eachPiece(ctx, (n+rowsPerPiece-1)/rowsPerPiece, func(worker, piece int) {
		r := &p.workers[worker]
		if r.mark == nil {
			r.mark = make([]uint32, n)
		}
		r.look = poller{ctx: ctx} // of each piece, so that how often all look does not depend on who has which piece
		lo, hi := piece*rowsPerPiece, min((piece+1)*rowsPerPiece, n)
		for u := lo; u < hi; u++ {
			if p.failed.Load() != nil {
				return
			}
			f(r, uint32(u))
		}
		p.tell(p.rows.Add(int64(hi - lo)))
	})
	if failed := p.failed.Load(); failed != nil {
		return *failed
	}
	return err
}

// tell reports the number of rows so far, unless another goroutine is just doing so: the last row is always reported.
func (p *product) tell(rows int64) {
	all := 2 * int64(p.of.Vertices())
	switch {
	case p.report == nil:
		return
	case rows == all:
		p.telling.Lock()
	case !p.telling.TryLock():
		return
	}
	defer p.telling.Unlock()
	p.report(p.rows.Load(), all)
}

// count adds the arcs of a row to those of the others. Whenever these have doubled, it asks whether there is memory for so
// many: to count all of a large graph may take hours.
func (p *product) count(arcs int) {
	now := p.counted.Add(uint64(arcs))
	if bits.Len64(now) == bits.Len64(now-uint64(arcs)) {
		return
	}
	if err := p.need(now, "more than "); err != nil {
		p.failed.CompareAndSwap(nil, &err)
	}
}

// need returns an error if there is no memory for so many arcs.
func (p *product) need(arcs uint64, more string) error {
	return memory.Need(memory.Bytes[[2]uint32](arcs), "a graph with arcs for paths of up to %d arcs, %s%s in all,", p.power, more, plural(arcs, "arc", "arcs"))
}

// reach finds the vertices to which paths of at most so many arcs lead from u, other than u. A loop of u stays. The list is not
// complete if the context is done.
func (r *productRow) reach(g *CSR, u uint32, power int) {
	row := u + 1
	r.mark[u], r.list, r.ends = row, r.list[:0], [MaxPower + 1]int{}
	if _, loop := slices.BinarySearch(g.Neighbors(u), u); loop {
		r.list = append(r.list, u)
	}
	from := []uint32{u}
	for k := 1; k <= power; k++ {
		begin := len(r.list)
		for _, x := range from {
			next := g.Neighbors(x)
			if r.look.after(1+len(next)) != nil {
				return
			}
			for _, v := range next {
				if r.mark[v] != row {
					r.mark[v] = row
					r.list = append(r.list, v)
				}
			}
		}
		r.ends[k], from = len(r.list), r.list[begin:]
	}
}

// checked returns the options as the readers and generators take them, and an error for those that contradict each
// other. The weights of a graph with powers are none of the file's.
func (opt LoadOptions) checked() (LoadOptions, error) {
	switch {
	case opt.Power < 0 || opt.Power > MaxPower:
		return opt, fmt.Errorf("power %d: arcs can be added for paths of at most 1 to %d arcs", opt.Power, MaxPower)
	case opt.Power <= 1:
		return opt, nil
	case opt.Weights != WeightsAuto:
		return opt, fmt.Errorf("power %d: the weight of an arc is the number of arcs of its path, and other weights are requested", opt.Power)
	}
	opt.Weights = WeightsNone
	return opt, nil
}
