package sim

import (
	"github.com/weft-gpu/weft/internal/base/bitmix"
	"github.com/weft-gpu/weft/sim/config"
)

// merger merges reads of the same sectors by the SMs of a group (those of a GPC) on their way to the L2, where they
// count as one. NVIDIA calls this part the L2 request coalescer. One answer serves all: on an H200, a load 50 cycles after
// that of another SM has its data 50 cycles sooner if both were merged. So blocks that load the same data fall into step.
// A read that is merged still takes effect by itself when it arrives, so that a thread's accesses to a word stay in order,
// and it still takes its turn at the slice's port: the rate of that port was measured with loads of one word by all SMs.
type merger struct {
	reads  []read // by group, then by hash of the line
	groups uint64
	pairs  uint64 // pairs of SMs
	most   uint8
	window uint64
}

// read is a read on its way that others can join.
type read struct {
	line    uint64 // line number + 1
	until   uint64 // cycle until which others can join it
	sectors uint8
	n       uint8 // reads that it stands for
	far     bool  // the SMs that read are not in the half of the L2 that is the line's home
}

// readsKept is the number of reads of a group that others can join.
const readsKept = 512

// newMerger returns nil if the machine merges no reads.
func newMerger(cfg *config.Xbar, sms int) *merger {
	if cfg.Groups == 0 {
		return nil
	}
	return &merger{reads: make([]read, cfg.Groups*readsKept), groups: uint64(cfg.Groups), pairs: uint64(sms+1) / 2,
		most: uint8(min(cfg.Merged, 255)), window: uint64(cfg.Window)}
}

// groupOf returns the group of an SM, of a machine with pairs TPCs.
func groupOf(sm, groups, pairs uint64) uint64 { return sm / 2 * groups / pairs }

// of returns the place of a read by an SM. Numbers of SMs are in the order in which blocks are placed: the two SMs of a
// TPC one after the other, and all TPCs of a GPC before those of the next.
func (g *merger) of(sm int32, phys uint64) *read {
	return &g.reads[groupOf(uint64(sm), g.groups, g.pairs)*readsKept+bitmix.Mix(phys/lineBytes)%readsKept]
}

// join reports whether the read of a packet that arrives in cycle now joins an earlier one, and the cycle in which the
// data of that one is known where it arrives.
func (g *merger) join(read *read, pk *packet, now uint64) (ready uint64, ok bool) {
	// An answer serves those alone that ask for the same sectors and travel the same way.
	if read.line != pk.phys/lineBytes+1 || read.sectors != pk.sectors || read.far != pk.far || now > read.until || read.n >= g.most {
		return 0, false
	}
	read.n++
	return read.until - g.window, true
}

// begin lets others join the read of a packet, whose data is known in cycle ready where it arrives.
func (g *merger) begin(r *read, pk *packet, ready uint64) {
	*r = read{pk.phys/lineBytes + 1, ready + g.window, pk.sectors, 1, pk.far}
}

// encode adds the reads that others can still join.
func (g *merger) encode(e *encoder) {
	if g == nil {
		return
	}
	for i := range g.reads {
		if read := &g.reads[i]; read.until >= e.now {
			e.r.Word(uint64(i)<<16 | uint64(read.sectors)<<8 | uint64(read.n))
			e.r.Word(read.line)
			e.r.Bool(read.far)
			e.time(read.until)
		}
	}
}
