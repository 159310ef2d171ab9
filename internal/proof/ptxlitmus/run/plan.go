package run

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
)

// sharing says how instances share warps.
type sharing uint8

const (
	// alone: an instance has a warp for each thread, of which the first lane acts.
	alone sharing = iota
	// byLane: the 32 instances of a gang have a warp for each thread, and a lane each.
	byLane
	// mixed: the threads of an instance that are in one block are lanes of one warp.
	mixed
)

// plan is one launch.
type plan struct {
	kernel      *device.Kernel
	grid, block int
	sharing     sharing
	gangs, per  int // gangs, and instances of each
	need        int // warps of a gang
	pitch       int // words from one place to the next
	places      int // where words of the test may be
	patience    uint32
	rounds      uint32
	where, cast []uint32
	gang        []uint32
	delay, warm []uint32
}

func (p *plan) instances() int { return p.gangs * p.per }

// layouts are where the words of a launch are: at distances of two words, a sector or a line, in order, so that those
// of the lanes of a warp are neighbors, or in any order. The words between them are free: warps read them to bring a
// line into L1, and bystanders store to them. An access of a warp to neighbors is cheap to simulate, so most launches
// have them.
var layouts = []struct {
	pitch   int
	ordered bool
}{{2, true}, {2, true}, {2, true}, {8, true}, {8, true}, {32, true}, {2, false}, {8, false}, {32, false}}

// room is in how many times as many places as needed the words are. Instances that are alone are few, and their words
// have more room, so that some are in each half of the L2.
const room, roomAlone = 2, 16

// plan draws a launch of at most limit instances from a seed. patience is in nanoseconds, 0 if the device itself
// notices that a kernel hangs.
func (r *Runner) plan(p *program, seed uint64, limit int, single bool, patience uint32) (*plan, error) {
	s := newSchedule(seed)
	l := &plan{kernel: p.packed, sharing: byLane, per: warp, patience: patience}
	shuffled := s.IntN(4)
	switch {
	case single || p.packed == nil:
		l.kernel, l.sharing, l.per = p.single, alone, 1
	case shuffled == 0 && !p.barriers.used && !p.loops:
		// Lanes that wait for other lanes of their warp would hang on a machine before Volta, so not with loops.
		l.sharing = mixed
	}
	members := make([][]int, len(p.ctas)) // by block of the test: its threads
	most := 0
	for i := range p.test.Threads {
		c := slices.Index(p.ctas, p.test.Threads[i].CTA)
		members[c] = append(members[c], i)
		most = max(most, len(members[c]))
	}
	warps := most // of a block
	l.need = len(p.test.Threads)
	releases := patience > 0 && p.barriers.used
	switch {
	case l.sharing == mixed:
		l.per, warps, l.need = warp/most, 1, len(p.ctas)
	case releases:
		warps++
	}
	l.block = warp * warps
	occ, err := r.Device.Occupancy(l.kernel, l.block)
	if err != nil {
		return nil, err
	}
	fits := occ.BlocksPerSM * occ.SMs
	if l.gangs = min(fits/len(p.ctas), (limit+l.per-1)/l.per); l.gangs == 0 {
		return nil, fmt.Errorf("%s holds %d blocks of %d threads at once; the test needs %d", r.Device.Name(), fits, l.block, len(p.ctas))
	}
	// Blocks without a part vary which blocks are on which SM; some of their warps are bystanders.
	l.grid = min(fits, l.gangs*len(p.ctas)*(4+s.IntN(5))/4)
	l.rounds = s.rounds()
	l.cast = slices.Repeat([]uint32{spare}, l.grid*l.block)
	words := len(p.test.Locations) * l.instances()
	for range l.grid * warps {
		l.gang = append(l.gang, uint32(l.gangs)+s.Uint32N(uint32(4*words)+1)) // most have no part
	}
	at := places(s, l.grid, occ.SMs)
	for g := range l.gangs {
		for c := range p.ctas {
			l.cast1(p, members[c], g, at[g*len(p.ctas)+c], releases, c)
		}
	}
	layout := layouts[s.IntN(len(layouts))]
	l.pitch = layout.pitch
	l.places = room * words
	if r.Alone {
		l.places = roomAlone * words
	}
	for _, place := range s.Perm(l.places)[:words] {
		l.where = append(l.where, uint32(place*l.pitch))
	}
	if layout.ordered {
		slices.Sort(l.where)
	}
	span := s.span()
	cold := s.IntN(2) == 0 // L1 holds no line of the test
	for range l.gang {
		l.delay = append(l.delay, s.Uint32N(span))
		bits := s.Uint32()
		if cold {
			bits = 0
		}
		l.warm = append(l.warm, bits)
	}
	return l, nil
}

// cast1 gives the warps of a block their parts: the threads of block c of the test, in gang g.
func (l *plan) cast1(p *program, members []int, g, block int, releases bool, c int) {
	first := block * l.block / warp
	part := func(lane, role, i int) { l.cast[first*warp+lane] = uint32(role)<<roleShift | uint32(g*l.per+i) }
	switch {
	case l.sharing == mixed:
		l.gang[first] = uint32(g)
		for i := range l.per {
			for k, role := range members {
				part(i*len(members)+k, role, i)
			}
		}
		return
	case releases:
		members = append(slices.Clone(members), len(p.test.Threads)+c)
	}
	for k, role := range members {
		l.gang[first+k] = uint32(g)
		for lane := range warp {
			part(k*warp+lane, role, min(lane, l.per-1))
		}
	}
}

// places orders the blocks of a grid: those that follow each other have parts of the same instance. They are
// neighbors in the grid, or blocks that a machine that deals out blocks in turn places on one SM, or any.
func places(s schedule, grid, sms int) []int {
	style := s.IntN(3)
	if style == 2 {
		return s.Perm(grid)
	}
	at := make([]int, grid)
	for i := range at {
		at[i] = i
	}
	if style == 1 {
		slices.SortFunc(at, func(a, b int) int {
			if a%sms != b%sms {
				return a%sms - b%sms
			}
			return a - b
		})
	}
	return at
}
