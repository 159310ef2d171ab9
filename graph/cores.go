package graph

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// cores returns the number of goroutines that share the work on a graph. Results never depend on
// it: work is divided into pieces whose results are put together in the order of the pieces.
func cores() int { return runtime.GOMAXPROCS(0) }

// eachPiece calls f once for each piece from 0 to pieces-1, on all cores, until ctx is done. No two
// calls with the same worker run at the same time; workers are 0 to cores()-1, for what a goroutine
// keeps from one piece to the next. A piece should take some hundred microseconds.
func eachPiece(ctx context.Context, pieces int, f func(worker, piece int)) error {
	workers := min(cores(), pieces)
	if workers <= 1 {
		for piece := range pieces {
			if err := ctx.Err(); err != nil {
				return err
			}
			f(0, piece)
		}
		return ctx.Err()
	}
	var next atomic.Int64
	var done atomic.Pointer[error] // why no more pieces are begun
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for done.Load() == nil {
				piece := int(next.Add(1)) - 1
				if piece >= pieces {
					return
				}
				if err := ctx.Err(); err != nil {
					done.Store(&err)
					return
				}
				f(worker, piece)
			}
		})
	}
	all.Wait()
	if err := done.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}

// pieceSize is the amount of work (vertices, arcs) of a piece, and between checks of the context.
const pieceSize = 1 << 16

// eachRange calls f for parts from lo to hi of the numbers below n, as eachPiece does.
func eachRange(ctx context.Context, n int, f func(worker, lo, hi int)) error {
	return eachPiece(ctx, (n+pieceSize-1)/pieceSize, func(worker, piece int) {
		f(worker, piece*pieceSize, min((piece+1)*pieceSize, n))
	})
}

// eachRows calls f for ranges of vertices that have about pieceSize arcs and vertices together, or
// one vertex, as eachPiece does.
func (g *CSR) eachRows(ctx context.Context, f func(worker, lo, hi int)) error {
	n := g.Vertices()
	work := func(v int) int { return v + int(g.Row[v]) }
	pieces := (work(n) + pieceSize - 1) / pieceSize
	bound := func(piece int) int { // the first vertex whose work begins in a piece
		lo, hi := 0, n
		for lo < hi {
			if mid := int(uint(lo+hi) / 2); work(mid) < piece*pieceSize {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		return lo
	}
	return eachPiece(ctx, pieces, func(worker, piece int) {
		if lo, hi := bound(piece), bound(piece+1); lo < hi {
			f(worker, lo, hi)
		}
	})
}

// prefixSum converts counts to offsets; count i is at i+1.
func prefixSum(ctx context.Context, row []uint64) error {
	ends := make([]uint64, (len(row)+pieceSize-1)/pieceSize)
	err := eachRange(ctx, len(row), func(_, lo, hi int) {
		for i := lo + 1; i < hi; i++ {
			row[i] += row[i-1]
		}
		ends[lo/pieceSize] = row[hi-1]
	})
	if err != nil {
		return err
	}
	var sum uint64
	for i, n := range ends {
		ends[i], sum = sum, sum+n
	}
	return eachRange(ctx, len(row), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row[i] += ends[lo/pieceSize]
		}
	})
}
