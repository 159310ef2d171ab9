package sim

import (
	"github.com/weft-gpu/weft/internal/bitmix"
	"github.com/weft-gpu/weft/sim/config"
)

// merger merges reads of the same sectors by the SMs of a group (those of a GPC) on their way to the L2, where they
// count as one. NVIDIA calls this part the L2 request coalescer. A read that is merged still takes effect by itself
// when it arrives, so that a thread's accesses to a word stay in order, and it still takes its turn at the slice's
// port: the rate of that port was measured with loads of one word by all SMs.
type merger struct {
	reads  []read // by group, then by hash of the line
	groups uint64
	most   uint8
	window uint64
}

// read is a read on its way that others can join.
type read struct {
	line    uint64 // line number + 1
	until   uint64 // cycle until which others can join it
	sectors uint8
	n       uint8 // reads that it stands for
}

// readsKept is the number of reads of a group that others can join.
const readsKept = 512

// newMerger returns nil if the machine merges no reads.
func newMerger(c *config.Xbar) *merger {
	if c.Groups == 0 {
		return nil
	}
	return &merger{reads: make([]read, c.Groups*readsKept), groups: uint64(c.Groups), most: uint8(min(c.Merged, 255)), window: uint64(c.Window)}
}

// of returns the place of a read by an SM. The two SMs of a TPC have consecutive numbers, and TPCs belong to the GPCs in
// turn.
func (g *merger) of(sm int32, phys uint64) *read {
	return &g.reads[uint64(sm)/2%g.groups*readsKept+bitmix.Mix(phys/lineBytes)%readsKept]
}

// join reports whether a read that arrives in cycle now joins an earlier one.
func (g *merger) join(r *read, phys uint64, sectors uint8, now uint64) bool {
	if r.line != phys/lineBytes+1 || r.sectors != sectors || now > r.until || r.n >= g.most {
		return false
	}
	r.n++
	return true
}

// begin lets others join a read whose data is known in cycle ready.
func (g *merger) begin(r *read, phys uint64, sectors uint8, ready uint64) {
	*r = read{phys/lineBytes + 1, ready + g.window, sectors, 1}
}
