package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/sim/config"
)

// The policies below are written by users, too: register one from an init
// function under a name, and select it by its parameter (--set l2.hash=mine).
// A policy must depend on nothing but its arguments, what it did before and
// the seed it was made with, so that a simulation gives the same on every run.
// A name that is taken is replaced.

// BlockDispatch chooses SMs for the blocks of launches. A machine has one.
type BlockDispatch interface {
	// Place chooses the SM, below sms, of the next block. room says how many
	// more blocks of its launch an SM takes now; some SM takes one. The answer
	// must be an SM with room.
	Place(sms int, room func(sm int) int) int
}

// AddressHash spreads memory over the slices of the L2 or the channels of the
// DRAM.
type AddressHash interface {
	// Slot is the slice or channel, below n, of a chunk: a run of consecutive
	// bytes (l2.interleave for slices), numbered by physical address.
	Slot(chunk uint64, n int) int
}

// Replacement chooses what an L1 forgets. Each L1 has one of its own.
type Replacement interface {
	// Reset forgets everything: the cache now has sets of so many ways.
	Reset(sets, ways int)
	// Used says that a line was hit or, with fill, put there.
	Used(set, way int, fill bool)
	// Victim chooses the way of a full set that another line takes.
	Victim(set int) int
}

// AtomicUnit performs the read-modify-writes of an L2 slice, of which each has
// one of its own. The values are not its business; the times are.
type AtomicUnit interface {
	// Perform reserves the unit for the lanes of one warp on one line and
	// returns the cycle at which their results are known, at least r.Cycle.
	Perform(r AtomicRequest) uint64
}

// AtomicRequest is what a warp asks of an atomic unit.
type AtomicRequest struct {
	Cycle  uint64 // at which the operands are there
	Line   uint64 // number of the 128-byte line
	Lanes  int
	Steps  int  // over the line's sectors, the most lanes on one address, in all
	Result bool // the old values are wanted
}

var (
	dispatchers  = map[string]func(seed uint64) BlockDispatch{"breadth": nil, "depth": nil}
	hashes       = map[string]AddressHash{"mixed": nil, "modulo": moduloHash{}}
	replacements = map[string]func(seed uint64) Replacement{"lru": nil, "fifo": func(uint64) Replacement { return &fifo{} }}
	atomicUnits  = map[string]func(c *config.Atomic) AtomicUnit{"serial": nil}
)

// RegisterDispatch adds a block dispatch, which launch.order then takes.
func RegisterDispatch(name string, make func(seed uint64) BlockDispatch) {
	dispatchers[name] = make
	config.AddPolicy("launch.order", name)
}

// RegisterHash adds an address hash, which l2.hash and dram.hash then take.
func RegisterHash(name string, h AddressHash) {
	hashes[name] = h
	config.AddPolicy("l2.hash", name)
	config.AddPolicy("dram.hash", name)
}

// RegisterReplacement adds a replacement policy, which l1.replacement then takes.
func RegisterReplacement(name string, make func(seed uint64) Replacement) {
	replacements[name] = make
	config.AddPolicy("l1.replacement", name)
}

// RegisterAtomicUnit adds an atomic unit, which atomic.unit then takes.
func RegisterAtomicUnit(name string, make func(c *config.Atomic) AtomicUnit) {
	atomicUnits[name] = make
	config.AddPolicy("atomic.unit", name)
}

// policy looks a name up; built-in ones that the machine does itself are nil.
func policy[T any](table map[string]T, what, name string) (T, error) {
	p, ok := table[name]
	if !ok {
		return p, fmt.Errorf("unknown %s %q; there are %s", what, name, strings.Join(slices.Sorted(maps.Keys(table)), ", "))
	}
	return p, nil
}

// extend gives a new machine the policies that its parameters name.
func (m *machine) extend() error {
	c := m.cfg
	dispatch, err := policy(dispatchers, "block dispatch", c.Launch.Order)
	if err != nil {
		return err
	}
	if dispatch != nil {
		m.policy = dispatch(m.seed)
	}
	if m.l2.hash, err = policy(hashes, "address hash", c.L2.Hash); err != nil {
		return err
	}
	if m.dram.hash, err = policy(hashes, "address hash", c.DRAM.Hash); err != nil {
		return err
	}
	replace, err := policy(replacements, "replacement", c.L1.Replacement)
	if err != nil {
		return err
	}
	for i := range m.sms {
		if replace != nil {
			m.sms[i].l1.policy = replace(m.seed + uint64(i))
		}
	}
	unit, err := policy(atomicUnits, "atomic unit", c.Atomic.Unit)
	if err != nil {
		return err
	}
	for i := range m.l2.slices {
		if unit != nil {
			m.l2.slices[i].atomic.custom = unit(&c.Atomic)
		}
	}
	return nil
}

// moduloHash deals consecutive chunks to the slots in turn.
type moduloHash struct{}

// Slot is the chunk's number modulo n.
func (moduloHash) Slot(chunk uint64, n int) int { return int(chunk % uint64(n)) }

// fifo replaces the line that has been there longest.
type fifo struct {
	next []int // by set: the way to replace next
	ways int
}

// Reset starts every set at way 0.
func (f *fifo) Reset(sets, ways int) {
	f.next = slices.Grow(f.next[:0], sets)[:sets]
	clear(f.next)
	f.ways = ways
}

// Used does nothing: only the order of arrival counts.
func (f *fifo) Used(int, int, bool) {}

// Victim is the way after the last one replaced.
func (f *fifo) Victim(set int) int {
	way := f.next[set]
	f.next[set] = (way + 1) % f.ways
	return way
}
