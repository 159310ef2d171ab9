package waitfor

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
)

// Snapshot is the state of a device at the moment of the verdict. Explain does not change it.
type Snapshot struct {
	Device string
	GPU    *int // of a group; nil for a single device
	Grid   *simt.Grid
	// Others are the launches of other commands of the group, which may write what is waited for.
	Others []Other
	// Started reports whether a block of the grid has been placed; a started block without a
	// warp in Warps has ended.
	Started func(block int) bool
	// Warps are the warps with live lanes, in order of block and warp.
	Warps []Warp
	// Cached returns the bytes that L1 of an SM has for a load from global memory; nil if the
	// load does not take them from there. The function may be nil.
	Cached func(sm int, in *ir.Inst, addr uint64) []byte
	// Flying calls visit for each lane of a store or atomic to global memory that has been executed and may not have taken effect: the block and the index
	// of the thread in it, the instruction, and the address. The function may be nil: then there is none.
	Flying func(visit func(block, index int, pc int32, addr uint64))
	// Owed returns how many bytes copies will bring to an mbarrier of a block when a thread looks at it. The function may be nil.
	Owed func(block int, barrier uint64) uint64
	// Occupancy says how the kernel fits; Fit what it would be with other registers per thread.
	Occupancy device.Occupancy
	Fit       func(registers int) (device.Occupancy, error)
	// Stack is set if diverged lanes do not progress independently.
	Stack bool
	// Again runs the launch again from the memory that it began with, and records into h. The memory is then as before.
	// The error says why it cannot, or that the launch does not end as it did. The function may be nil.
	Again func(h *History) error
	// Try runs the launch again with a change, and says whether it ends. The function may be nil.
	Try func(c remedy.Change) remedy.Verdict
	// NoTry says why Again or Try is nil, such as "it follows a schedule".
	NoTry string
	// Decided is set if nothing that the threads read can change, so that a loop that is
	// executed once more shows what all later rounds do.
	Decided bool
	// Livelock is set if the state of the device recurs, or if it looks like that, which is Likely then; see
	// repeat.Standstill.
	Livelock, Likely bool
	// Brief is set if the caller ended the launch: loops are then looked at for a second or so, and not until each is
	// known.
	Brief bool
}

// Other is another launch of a group.
type Other struct {
	Name string // "k in command 1 on GPU 1"
	Grid *simt.Grid
	// Why says why it does not write what is waited for: "whose threads wait, too". Over is set if
	// it has ended, and Runs if its threads go on, so that it may still write it. Advice says what
	// to change, "" for nothing.
	Why, Advice string
	Over, Runs  bool
}

// Warp is a warp and where its lanes are.
type Warp struct {
	*simt.Warp
	Groups []Group
	// Pending are the loads and atomics in flight, whose results the registers do not have yet.
	Pending []int32
}

// Group is lanes of a warp at one place.
type Group struct {
	simt.Path
	Stack []simt.Path // of the lanes in place
	Kind  device.WaitKind
	// Held names what does not let the lanes go on, such as "the schedule"; "" if nothing does. Kind is WaitTurn.
	Held string
	// Missing are the lanes that a collective waits for, or the lanes with which parked ones
	// reconverge.
	Missing uint32
	// For a barrier: its number (0 for Sync and its kin), and the numbers of threads.
	Barrier           int
	Arrived, Expected int
	// Mixed is set if others of the block wait at another kind of barrier.
	Mixed bool
}

// cached is Cached for any address.
func (s *Snapshot) cached(sm int, in *ir.Inst, addr uint64) []byte {
	if s.Cached == nil || in.Op != ir.OpLoad || simt.SpaceOf(addr) != ir.Global {
		return nil
	}
	return s.Cached(sm, in, addr)
}

// Parked returns the groups of lanes that a reconvergence stack holds back until the lanes in place
// reach the point where both reconverge; end is the number of instructions of the program.
func Parked(inPlace, exited uint32, stack []simt.Path, end int) (list []Group) {
	above := inPlace &^ exited
	for i := len(stack) - 1; i >= 0; i-- {
		path := stack[i]
		path.Mask &^= above | exited
		if path.Mask != 0 && int(path.PC) < end {
			list = append(list, Group{Path: path, Kind: device.WaitReconverge, Missing: above})
		}
		above |= path.Mask
	}
	return list
}
