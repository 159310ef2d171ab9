package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/base/hugepage"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// pool hands out values of T by index, so that requests hold no pointers and no memory is allocated once the pool has
// grown to the number of values in use at the same time.
type pool[T any] struct {
	items []T
	free  []int32
}

// get returns the index of an item, which still holds its previous user's value.
func (p *pool[T]) get() int32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		return i
	}
	var zero T
	p.items = append(p.items, zero)
	return int32(len(p.items) - 1)
}

func (p *pool[T]) put(i int32) { p.free = append(p.free, i) }

// inUse returns how many items are handed out.
func (p *pool[T]) inUse() int { return len(p.items) - len(p.free) }

func (p *pool[T]) reset() { p.items, p.free = p.items[:0], p.free[:0] }

// memOp is a memory instruction of a warp in flight.
type memOp struct {
	warp    int32
	pc      int32
	left    int32    // parts that are not done; the load-store unit holds one
	epoch   uint32   // the SM's epoch; see accessOrder
	search  uint32   // the epoch of the search for a hang
	doneAt  uint64   // cycle at which the finished parts are usable
	rows    [4]int32 // in the pool of rows: values stored, or operand and comparand
	numRows uint8
	// off is the byte offset of each lane's address in its line.
	off [simt.Lanes]uint8
}

// packetKind is the kind of request that a packet makes to the L2.
type packetKind uint8

const (
	packLoad   packetKind = counter.Load
	packStore  packetKind = counter.Store
	packAtomic packetKind = counter.Atomic
	packRed    packetKind = counter.Red // an atomic whose result is not used
)

// packet is a request for one line that travels from an SM to an L2 slice; that of a load returns with data, which is
// stored in machine.loaded. It fills one cache line of the host.
type packet struct {
	line    uint64 // address of the first byte
	phys    uint64 // physical address of that byte
	sm      int32
	op      int32  // memOp of stores and atomics
	lanes   uint32 // of stores and atomics
	next    int32  // the SM's next packet with the same hash
	waiters int32  // of loads: list of waiters for the data
	epoch   uint32 // epoch of L1 when the packet was sent
	sectors uint8
	kind    packetKind
	fill    bool  // the reply fills L1 and later loads may wait for it
	local   bool  // local memory: only timing, no data
	far     bool  // its home is the other half of the L2
	flits   uint8 // of the answer to an atomic
	home    home
}

// waiter is a set of lanes of a load that wait for a packet.
type waiter struct {
	op    int32
	lanes uint32
	next  int32
}

// store hands out values for the registers and warps of blocks, from pieces large enough for huge pages. They stay
// with their owner.
type store[T any] struct {
	left  []T
	piece int // values of the next piece, at least
	most  int // values of the largest piece
}

// take returns n zero values, and up to a quarter more: a block asks again if it needs more than it has, so that
// little is wasted.
func (s *store[T]) take(n int) []T {
	step := 1 << max(bits.Len(uint(n))-3, 0)
	n = (n + step - 1) / step * step
	if n > len(s.left) {
		s.left = hugepage.Make[T](max(n, s.piece))
		s.piece = min(2*s.piece, s.most) // small machines and launches need little
	}
	out := s.left[:n:n]
	s.left = s.left[n:]
	return out
}
