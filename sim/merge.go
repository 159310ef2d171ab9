package sim

import (
	"math"

	"github.com/weft-gpu/weft/internal/base/bitmix"
	"github.com/weft-gpu/weft/sim/config"
)

// merger merges reads of the same sectors by the SMs of a group (those of a GPC) on their way to the L2, where they
// count as one. NVIDIA calls this part the L2 request coalescer. One answer serves all: on an H200, a load 50 cycles after
// that of another SM has its data 50 cycles sooner if both were merged. So blocks that load the same data fall into step.
// A read that is merged still takes effect by itself when it arrives, so that a thread's accesses to a word stay in order.
//
// What the L2 answers a group passes a port, and from there the answer goes to each SM that has asked: on an H200 the SMs of a GPC get 560 to 630 bytes a cycle if each
// reads something else, and twice as many if all read the same (results/hw/ports/README.md).
type merger struct {
	reads  []reads // by group, then by hash of the line
	groups uint64
	pairs  uint64 // pairs of SMs
	most   uint64
	window uint64
	queue  uint64 // for how many cycles reads can be merged while they wait for the port

	ports  []groupPort
	line   uint64 // how long the data of a line takes a port, in fine ticks
	answer uint64 // how far answers to SMs of a group are apart, in fine ticks
}

// groupPort is when the ways to a group are free, in fine ticks: the one from the L2, and the one to its SMs.
type groupPort struct{ lines, answers uint64 }

// fineTicks is how many fine ticks a cycle has: ten answers go to a group in a cycle, and all SMs together show a difference of 1%.
const fineTicks = 4096

// reads are those that others can join and whose lines have one hash: they fill a cache line of the host.
type reads [4]read

// read is a read on its way that others can join.
type read struct {
	what  uint64 // which read it is, and how many it stands for; see readOf
	until uint64 // cycle until which others can join it
}

// setsOfReads is how many times four reads a group keeps. 18 SMs of an H200 that copy in bulk have 9,216 lines under way, and pairs of them that read
// the same have all of these merged.
const setsOfReads = 4096

// The parts of read.what, from the lowest bit on.
const (
	countBits  = 8  // reads that it stands for, less one
	readerBits = 16 // the SM that was last to read
	sectorBits = 4
	farBits    = 1 // whether the SMs that read are not in the half of the L2 that is the line's home

	readFrom = countBits + readerBits
	lineFrom = readFrom + sectorBits + farBits
)

// readOf returns what the read of a packet is, of which there is one. Only reads of the same sectors are merged that travel the same way.
func readOf(pk *packet) uint64 {
	what := (pk.phys/lineBytes+1)<<lineFrom | uint64(pk.sectors)<<readFrom | uint64(uint16(pk.sm))<<countBits
	if pk.far {
		what |= 1 << (readFrom + sectorBits)
	}
	return what
}

// newMerger returns nil if the machine merges no reads.
func newMerger(cfg *config.Xbar, sms int) *merger {
	if cfg.Groups == 0 {
		return nil
	}
	g := &merger{reads: make([]reads, cfg.Groups*setsOfReads), groups: uint64(cfg.Groups), pairs: uint64(sms+1) / 2,
		most: uint64(min(cfg.Merged, 1<<countBits)), window: uint64(cfg.Window), ports: make([]groupPort, cfg.Groups)}
	g.line, g.answer = uint64(math.Round(cfg.GroupLine*fineTicks)), uint64(math.Round(cfg.GroupAnswer*fineTicks))
	g.queue = g.line * uint64(cfg.GroupReads) / fineTicks
	return g
}

// groupOf returns the group of an SM, of a machine with pairs TPCs.
func groupOf(sm, groups, pairs uint64) uint64 { return sm / 2 * groups / pairs }

// of returns where the read of a packet is kept. Numbers of SMs are in the order in which blocks are placed: the two SMs of a
// TPC one after the other, and all TPCs of a GPC before those of the next.
func (g *merger) of(pk *packet) *reads {
	return &g.reads[groupOf(uint64(pk.sm), g.groups, g.pairs)*setsOfReads+bitmix.Mix(pk.phys/lineBytes)%setsOfReads]
}

// join reports whether a read that comes to the merger in cycle now joins an earlier one, the cycle in which the
// data of that one is known where it arrives, and whether another SM made it, so that one answer goes to both. On an H200, the second read of a line by one SM
// spares the L2 a read but comes no sooner.
func (g *merger) join(kept *reads, what, now uint64) (ready uint64, other, ok bool) {
	for i := range kept {
		r := &kept[i]
		if n := r.what & (1<<countBits - 1); (r.what^what)>>readFrom == 0 && now <= r.until && n < g.most-1 {
			other = (r.what^what)>>countBits != 0
			r.what = what | n + 1
			return r.until - g.window, other, true
		}
	}
	return 0, false, false
}

// begin lets others join a read, whose data is known in cycle ready where it arrives, instead of the same earlier, or of the one that can be joined no longer than others.
func (g *merger) begin(kept *reads, what, ready uint64) {
	to := &kept[0]
	for i := range kept {
		r := &kept[i]
		if (r.what^what)>>readFrom == 0 {
			to = r
			break
		}
		if r.until < to.until {
			to = r
		}
	}
	*to = read{what, ready + g.window}
}

// wait returns the cycles in which a read that arrives in a cycle can be merged, and in which it goes on to the L2, as the ways to its SM's group are free for the answer.
// Reads wait here: behind the L2 the order of answers would not be known, since those of misses come later.
func (g *merger) wait(sm int32, now uint64) (merges, goes uint64) {
	port := g.port(sm)
	port.lines, port.answers = max(port.lines, now*fineTicks), max(port.answers, now*fineTicks)
	goes = max(port.lines, port.answers) / fineTicks
	return max(now, goes-min(goes, g.queue)), goes
}

// pass takes the ways to an SM's group, after wait, for an answer of so many sectors; 0 if they come with the answer to another SM.
func (g *merger) pass(sm int32, sectors int) {
	port := g.port(sm)
	port.lines += g.line * uint64(sectors) / sectorsPerLine
	port.answers += g.answer
}

func (g *merger) port(sm int32) *groupPort {
	return &g.ports[groupOf(uint64(sm), g.groups, g.pairs)]
}

// encode adds when ports are free, and the reads that others can still join.
func (g *merger) encode(e *encoder) {
	if g == nil {
		return
	}
	for _, port := range g.ports {
		now := e.now * fineTicks
		e.r.Word(port.lines - min(port.lines, now))
		e.r.Word(port.answers - min(port.answers, now))
	}
	for i := range g.reads {
		for k := range g.reads[i] {
			if read := &g.reads[i][k]; read.until >= e.now {
				e.r.Word(uint64(i)<<2 | uint64(k))
				e.r.Word(read.what)
				e.time(read.until)
			}
		}
	}
}
