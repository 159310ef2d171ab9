package simt

import (
	"fmt"
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Named is the state of the named barriers of a block, and of its registers.
type Named struct {
	Barriers [ir.Barriers]struct{ Threads, Arrived int32 }
	Registers
}

// Pool stands among the numbers of named barriers for the registers that a block has free; the number before it is for the barrier of a cluster.
const Pool = ir.Barriers + 1

// Arrive counts a warp at the barrier that an instruction names. It returns the
// barrier's number and whether it is complete, so that all threads that wait at
// it continue.
func (n *Named) Arrive(w *Warp, in *ir.Inst, mask uint32) (id int, open bool, f *device.Fault) {
	lane := bits.TrailingZeros32(mask)
	ids, counts := w.Row(in.Src[1]), w.Row(in.Src[2])
	which, threads := ids[lane], counts[lane]
	for left := mask; left != 0; left &= left - 1 {
		other := bits.TrailingZeros32(left)
		if ids[other] != which || counts[other] != threads {
			return 0, false, w.Fault(in, other, "%s of barrier %d for %d threads, where another lane of the warp has barrier %d for %d; a warp comes as a whole",
				NamedName(in), ids[other], counts[other], which, threads)
		}
	}
	switch {
	// Barrier 0 is that of Thread.Sync. PTX has sixteen barriers, numbered 0 to
	// 15, and takes thread counts that are multiples of the warp size; an
	// arrive needs one that is not zero (PTX ISA, barrier.cta).
	case which == 0 || which >= ir.Barriers:
		return 0, false, w.Fault(in, lane, "%s of barrier %d; a block has barriers 1 to %d", NamedName(in), which, ir.Barriers-1)
	case threads == 0 || threads%Lanes != 0 || threads > MaxThreads:
		return 0, false, w.Fault(in, lane, "%s of %d threads; the number must be a multiple of %d, up to %d", NamedName(in), threads, Lanes, MaxThreads)
	}
	barrier := &n.Barriers[which]
	if barrier.Arrived > 0 && uint64(barrier.Threads) != threads {
		return 0, false, w.Fault(in, lane, "%s of barrier %d for %d threads, where others have come to it for %d", NamedName(in), which, threads, barrier.Threads)
	}
	barrier.Threads = int32(threads)
	if barrier.Arrived += Lanes; barrier.Arrived < barrier.Threads {
		return int(which), false, nil
	}
	// A barrier can be used again at once; the next arrival may name another
	// number of threads.
	barrier.Arrived = 0
	return int(which), true, nil
}

// Waits describes what a warp at barrier id waits for.
func (n *Named) Waits(id int, w *Warp, in *ir.Inst) string {
	if id == Pool {
		return n.Registers.Waits(w, in)
	}
	return fmt.Sprintf("waits at barrier %d, which %d of %d threads have reached", id, n.Barriers[id].Arrived, n.Barriers[id].Threads)
}

// NamedName returns the name of the op in kernels.
func NamedName(in *ir.Inst) string {
	if in.PTX {
		return in.PTXName()
	}
	if in.Op == ir.OpBarArrive {
		return "ArriveNamed"
	}
	return "SyncNamed"
}
