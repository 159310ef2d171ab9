package nearfar

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// noPlace is behind all places.
const noPlace = ^uint32(0)

// ChunkPieces is how many places of Pieces a warp reserves at once. A reservation for each warp of a few places would make thousands of warps wait for one word.
const ChunkPieces = 256

// hold keeps the arcs of those lanes' vertices that have more than a piece for all warps, but for the first piece of each. All lanes of a warp must call it together.
func (s *search[A, W, V]) hold(t gpu.Thread, place uint32, r *rows[V]) {
	more := uint32(0)
	if r.end-r.begin > PieceArcs {
		more = (r.end - r.begin - 1) / PieceArcs
	}
	if !t.Any(gpu.FullMask, more > 0) {
		return
	}
	upTo := scheduler.SumUpTo(t, more)
	all := gpu.Shfl(t, gpu.FullMask, upTo, gpu.WarpSize-1)
	for base := uint32(0); base < all; base += gpu.WarpSize {
		i := base + t.Lane()
		of := scheduler.ArcOwner(t, i, upTo)
		n := i + 1 - gpu.Shfl(t, gpu.FullMask, upTo-more, of)
		begin, end := gpu.Shfl(t, gpu.FullMask, r.begin, of)+n*PieceArcs, gpu.Shfl(t, gpu.FullMask, r.end, of)
		p := piece{gpu.Shfl(t, gpu.FullMask, place, of), begin, min(end, begin+PieceArcs)}
		at, here := s.room(t, min(all-base, gpu.WarpSize))
		if i < all {
			s.keep(here, at+t.Lane(), p)
		}
	}
	r.end = min(r.end, r.begin+PieceArcs)
}

// room reserves up to 32 places for a warp, in shared memory if there are some. All lanes must call it together.
func (s *search[A, W, V]) room(t gpu.Thread, n uint32) (first uint32, here bool) {
	if t.Lane() == 0 {
		first = gpu.AtomicAdd(&s.block.pieces, n, gpu.BlockScope)
	}
	first = gpu.Shfl(t, gpu.FullMask, first, 0)
	if first+n <= s.stage() {
		return first, true
	}
	if t.Lane() == 0 {
		gpu.AtomicMin(&s.block.full, first, gpu.BlockScope)
	}
	if s.left < n {
		s.fill(t)
		if t.Lane() == 0 {
			first = gpu.AtomicAdd(&s.m.Counts[piecesCount], ChunkPieces)
		}
		s.at, s.left = gpu.Shfl(t, gpu.FullMask, first, 0), ChunkPieces
	}
	first = s.at
	s.at += n
	s.left -= n
	return first, false
}

// stage returns how many pieces a block has room for in shared memory.
func (s *search[A, W, V]) stage() uint32 { return gpu.Len(s.shared) / PieceWords }

// keep sets a piece.
func (s *search[A, W, V]) keep(here bool, at uint32, p piece) {
	if here {
		gpu.Store4(s.shared, PieceWords*at, [4]uint32{p.place, p.begin, p.end, 0})
	} else {
		s.m.put(at, p)
	}
}

// fill makes the places that a warp has reserved and not used empty.
func (s *search[A, W, V]) fill(t gpu.Thread) {
	for i := t.Lane(); i < s.left; i += gpu.WarpSize {
		s.m.put(s.at+i, piece{})
	}
	s.left = 0
}

// release gives what the block holds to all warps. All threads of the block must call it, and a barrier of all blocks must follow.
func (s *search[A, W, V]) release(t gpu.Thread) {
	s.fill(t)
	t.Sync()
	n := min(s.block.pieces, s.block.full)
	if n == 0 {
		return
	}
	if t.Idx() == 0 {
		s.block.base = gpu.AtomicAdd(&s.m.Counts[piecesCount], n)
	}
	t.Sync()
	for i := t.Idx(); i < n; i += t.BlockDim() {
		gpu.Store4(s.m.Pieces, PieceWords*(s.block.base+i), gpu.Load4(s.shared, PieceWords*i))
	}
}
