package kernel

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/proof/progress"
)

// As says what the threads of the progress model are.
type As string

// The values of As. Warps and lanes are numbered over the whole grid.
const (
	Blocks As = "blocks"
	Warps  As = "warps"
	Lanes  As = "lanes"
)

// The limits of a launch.
const (
	maxBytes = 1 << 20 // of the buffers that the kernel may change
	maxLocal = 1 << 20 // instructions of a unit between two steps
)

// System is a launch of a kernel as a program whose schedules can be explored.
type System struct {
	g       *simt.Grid
	as      As
	code    []*simt.ALUOp // by instruction; nil for others than ActALU
	live    []ir.Rows
	visible []bool             // by instruction: it is a step
	buffers []*simt.Allocation // those that the kernel may change
	slots   int                // units of a warp
	ends    int                // units of a block that end what is pending
	blocks  []*block
	gangs   []*gang
	parts   map[string]uint32 // numbers of the components of states
	text    []string          // the components, by number
	bytes   uint64            // that they need
	// What the program has of copies and products: any, some of which others than their thread learn, and how many groups a wait may be for.
	asynchronous, learned bool
	ages                  uint8
	transfers             []*transfer          // by number
	transferOf            map[string]*transfer // by what they are
	places                map[string]int       // where a transfer begins or ends, numbered by block
	perBlock              []int                // how many there are
	barriers              map[barrier]bool     // that have been initialised
	pages                 []page               // of the buffers
	sheets                []uint32             // numbers of the sheets of the pages
	initial               string
	// taken, if not nil, gets the accesses of a step; start has those before the
	// first steps.
	taken, start *[]access
}

// block is a block with what is executed of it.
type block struct {
	simt.Block
	strands [][]strand // by warp, in the order of their slots
	named   simt.Named
	pending []pending // in the order in which it was begun
}

// strand is a unit: lanes of a warp that are at the same instruction. It is
// before a step or waits for others, unless it is moving.
type strand struct {
	slot    int
	pc      int32
	mask    uint32
	moving  bool
	arrived bool // it has come to the barrier or collective at pc, and waits there
}

// An UnsupportedError reports a kernel whose schedules cannot be explored.
type UnsupportedError struct{ Kernel, What string }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("the schedules of %s cannot be explored: %s", e.Kernel, e.What)
}

// New returns a launch as a program. The launch's buffers are in mem, and have
// the content that they have at the start. New executes what the kernel does
// before its first step, which may fail.
func New(mem *simt.Memory, l device.Launch, as As) (*System, error) {
	g, err := simt.Bind(mem, l, simt.Limits{})
	if err != nil {
		return nil, err
	}
	s := &System{g: g, as: as, live: g.Prog.Liveness(), parts: map[string]uint32{}, barriers: map[barrier]bool{}}
	s.prepare()
	warps := g.Blocks * g.Warps
	s.slots = simt.Lanes
	switch {
	case as == Lanes && g.Blocks*g.Threads > progress.MaxThreads:
		return nil, s.unsupported("the grid has %d threads, and at most %d lanes can be explored", g.Blocks*g.Threads, progress.MaxThreads)
	case warps > progress.MaxThreads:
		return nil, s.unsupported("the grid has %d warps, and at most %d can be explored", warps, progress.MaxThreads)
	case as != Lanes:
		s.slots = min(simt.Lanes, progress.MaxThreads/warps)
	case g.Threads < simt.Lanes:
		s.slots = g.Threads
	default:
		s.slots = progress.MaxThreads / warps
	}
	if as == Lanes && s.slots < min(g.Threads, simt.Lanes) {
		return nil, s.unsupported("blocks of %d threads in %d warps need more than %d units", g.Threads, warps, progress.MaxThreads)
	}
	if s.learned {
		// A warp's lanes seldom diverge into many groups, and what is left is for copies.
		if as != Lanes {
			s.slots = max(1, min(simt.Lanes, g.Threads, progress.MaxThreads/2/warps))
		}
		if s.ends = (progress.MaxThreads - warps*s.slots) / g.Blocks; s.ends < 1 {
			return nil, s.unsupported("its asynchronous copies need units besides those of %d warps or lanes: at most %d can be explored together", warps*s.slots, progress.MaxThreads)
		}
	}
	if err := s.analyze(); err != nil {
		return nil, err
	}
	components := 1 + g.Blocks + warps
	if s.asynchronous {
		components += g.Blocks
	}
	state := make([]byte, wordBytes*components)
	s.start = &[]access{}
	s.taken = s.start
	for len(s.blocks) < g.Blocks {
		gang := s.newGang()
		if err := s.settle(gang); err != nil {
			return nil, err
		}
		s.keep(state, gang)
	}
	s.taken = nil
	s.split()
	s.keepMemory(state)
	s.initial = string(state)
	return s, nil
}

// line says where an instruction is.
func (s *System) line(in *ir.Inst) string {
	if f := s.g.At(in); len(f) > 0 {
		return f[0].String()
	}
	return "it"
}

func (s *System) unsupported(format string, args ...any) error {
	return &UnsupportedError{s.g.Kernel.Name, fmt.Sprintf(format, args...)}
}

// analyze decodes the program and finds which accesses are steps.
func (s *System) analyze() error {
	p := s.g.Prog
	s.code, s.visible = make([]*simt.ALUOp, len(p.Code)), make([]bool, len(p.Code))
	only := p.ReadOnly()
	fixed := map[*simt.Allocation]bool{} // buffers that the kernel only reads
	for i, r := range s.g.Roots {
		if r.Alloc != nil && only[i] {
			fixed[r.Alloc] = true
		}
	}
	for i, r := range s.g.Roots {
		if r.Alloc != nil && !only[i] {
			fixed[r.Alloc] = false
		}
	}
	bytes := 0
	s.g.Mem.Each(func(a *simt.Allocation) {
		if !fixed[a] {
			s.buffers = append(s.buffers, a)
			bytes += len(a.Data)
		}
	})
	if bytes > maxBytes {
		return s.unsupported("it may change buffers of %d bytes; at most %d bytes can be explored", bytes, maxBytes)
	}
	// Shared memory of a block with one thread is seen by others where copies to it are.
	alone := s.g.Threads == 1 && s.g.Cluster == 1 && !s.learned
	for i := range p.Code {
		in := &p.Code[i]
		switch act := in.Op.Action(); {
		case act == ir.ActALU:
			s.code[i] = simt.DecodeALU(in)
		case act == ir.ActClock:
			return s.unsupported("%s reads a clock, so that no state recurs", s.line(in))
		case in.Op.OfSums() && s.as == Lanes:
			return s.unsupported("%s is about products of warpgroups, which a warp begins as a whole, and lanes are to go on alone", s.line(in))
		case in.Op == ir.OpCopyWait, in.Op == ir.OpBulkWaitRead:
			s.visible[i] = !alone // if it waits for something
		case act == ir.ActCopy, act == ir.ActBulk:
			s.visible[i] = !alone || in.Root < 0 || !fixed[s.g.Roots[in.Root].Alloc]
		case act == ir.ActNamed && s.as == Lanes && s.g.Threads > 1:
			return s.unsupported("%s is a named barrier, to which a warp comes as a whole, and lanes are to go on alone", s.line(in))
		case in.Op.Addressed():
			space := in.Mem.Space
			if in.Root >= 0 {
				space = s.g.Roots[in.Root].Space
			}
			switch {
			case space == ir.Local, space == ir.Shared && alone:
			case in.Root >= 0 && space == ir.Global:
				s.visible[i] = !fixed[s.g.Roots[in.Root].Alloc]
			default:
				s.visible[i] = true
			}
		}
	}
	return nil
}

// Thread returns what a thread of the model is called: "block", "cluster", "warp" or "lane". With clusters, blocks are no
// threads of their own.
func (s *System) Thread() string {
	if s.clustered() {
		return "cluster"
	}
	return strings.TrimSuffix(string(s.as), "s")
}

// clustered reports whether clusters of several blocks are the threads of the model.
func (s *System) clustered() bool { return s.as == Blocks && s.g.Cluster > 1 }

// Threads returns the number of blocks or clusters, warps or lanes.
func (s *System) Threads() int {
	switch s.as {
	case Warps:
		return s.g.Blocks * s.g.Warps
	case Lanes:
		return s.g.Blocks * s.g.Threads
	}
	return len(s.gangs)
}

// Units returns the owners of the slots of all warps, and behind them those that end what is pending.
func (s *System) Units() []int {
	units := make([]int, s.strandUnits(), s.strandUnits()+s.g.Blocks*s.ends)
	for u := range units {
		warp := u / s.slots
		switch s.as {
		case Warps:
			units[u] = warp
		case Lanes:
			units[u] = min(warp/s.g.Warps*s.g.Threads+warp%s.g.Warps*simt.Lanes+u%s.slots, (warp/s.g.Warps+1)*s.g.Threads-1)
		default:
			units[u] = warp / s.g.Warps / s.g.Cluster
		}
	}
	for range s.g.Blocks * s.ends {
		units = append(units, progress.Machine)
	}
	return units
}

// Initial returns the state in which each unit is before its first step.
func (s *System) Initial() string { return s.initial }

// Status returns the threads that have ended, and the units that are not before
// a step.
func (s *System) Status(state string) (ended, blocked progress.Set) {
	blocked = progress.All(s.strandUnits() + s.g.Blocks*s.ends)
	ended = progress.All(s.Threads())
	for i := range s.g.Blocks * s.g.Warps {
		var h header
		h.read(s.text[s.word(state, 1+s.g.Blocks+i)])
		live := uint32(0)
		for _, x := range h.strands {
			live |= x.mask
		}
		for _, x := range h.strands {
			switch {
			case s.visible[x.pc], s.gathers(x.pc) && !x.arrived && (x.mask == live || !s.named(x.pc)):
				blocked &^= 1 << (i*s.slots + x.slot)
			}
		}
		switch {
		case s.as == Lanes:
			for lane := range s.slots {
				if live>>lane&1 != 0 {
					ended &^= 1 << (i/s.g.Warps*s.g.Threads + i%s.g.Warps*simt.Lanes + lane)
				}
			}
		case live == 0:
		case s.as == Warps:
			ended &^= 1 << i
		default:
			ended &^= 1 << (i / s.g.Warps / s.g.Cluster)
		}
	}
	for block := range s.g.Blocks {
		blocked &^= s.ending(state, block)
	}
	return ended, blocked
}

// gathers reports whether an instruction waits for other threads of the model.
// To come there is a step then: a thread that is not scheduled does not come. Of
// units of the same thread, coming is like any other instruction; so is it to the barrier of a cluster, whose blocks
// are one thread.
//
// At a named barrier, which counts, the order in which warps come also decides who waits.
func (s *System) gathers(pc int32) bool {
	in := &s.g.Prog.Code[pc]
	return s.named(pc) || s.as != Blocks && meets(in) && !in.Op.OfSums()
}

// named reports whether an instruction is about a named barrier, to which a warp comes as a whole.
func (s *System) named(pc int32) bool { return s.g.Prog.Code[pc].Op.Action() == ir.ActNamed }

// meets reports whether an instruction is a barrier, or a collective that waits
// for the lanes that it names, or for all of its warp.
func meets(in *ir.Inst) bool {
	act := in.Op.Action()
	return act == ir.ActBarrier || act == ir.ActNamed || act == ir.ActCluster || act == ir.ActWarp && (in.Op.Masked() || in.Op.OfSums())
}

// Step takes the step of a unit, and what follows before the next step.
func (s *System) Step(state string, unit int, next []string) ([]string, error) {
	b, err := s.act(state, unit)
	if err != nil {
		return nil, err
	}
	gang := s.gangOf(b.ID)
	if err := s.settle(gang); err != nil {
		return nil, err
	}
	to := []byte(state)
	s.keepMemory(to)
	s.keep(to, gang)
	return append(next, string(to)), nil
}

// act takes the step of a unit alone, and returns its block.
func (s *System) act(state string, unit int) (*block, error) {
	if first := s.strandUnits(); unit >= first {
		b := s.restoreBlocks(state, (unit-first)/s.ends)
		if f := s.end(b, (unit-first)%s.ends); f != nil {
			return nil, f
		}
		return b, nil
	}
	b, w, x := s.restore(state, unit)
	return b, s.take(b, w, x)
}

// restoreBlocks restores memory, and a block with those of its cluster.
func (s *System) restoreBlocks(state string, block int) *block {
	s.restoreMemory(state)
	s.restoreGang(state, s.gangOf(block))
	return s.blocks[block]
}

// restore restores memory, and the block of a unit with those of its cluster. It
// returns the block, and the unit's warp and strand.
func (s *System) restore(state string, unit int) (*block, *simt.Warp, *strand) {
	warp := unit / s.slots
	b := s.restoreBlocks(state, warp/s.g.Warps)
	i := warp % s.g.Warps
	for j := range b.strands[i] {
		if x := &b.strands[i][j]; x.slot == unit%s.slots {
			return b, b.Warps[i], x
		}
	}
	panic("kernel: a step of a unit that does not exist")
}

// word returns number i of the component numbers of a state: memory, the shared
// memory of each block, the warps of each block, what is pending in each block.
func (s *System) word(state string, i int) uint32 {
	return binary.LittleEndian.Uint32([]byte(state[wordBytes*i : wordBytes*(i+1)]))
}
