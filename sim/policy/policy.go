// Package policy has the choices of a simulated machine that users can replace by Go code of
// their own: which warp issues, which SM takes a block, where an address lies, what an L1
// forgets, how an atomic unit serves. Register one from an init function under a
// name, and select it by its parameter (--set l2.hash=mine).
//
// What is registered makes a policy; each machine, and each part of one that has a
// policy of its own, gets one made for it, so that machines in one process do not
// share what a policy remembers. A policy must depend on nothing but its arguments, what it did
// before and the seed it was made with, so that a simulation gives the same on
// every run.
package policy

import (
	"github.com/weft-gpu/weft/sim/config"
)

// WarpScheduler chooses which warp of a sub-core issues. Each sub-core has one
// of its own. It must depend on nothing but its arguments, what it did before
// and the seed it was made with.
type WarpScheduler interface {
	// Pick chooses one of the warps in ready, a mask of slots that is not 0.
	// age is the order in which the warps in the slots were placed: the
	// smallest is the oldest.
	Pick(ready uint64, age *[64]uint64) int
	// Issued says that the warp in the slot issued.
	Issued(slot int)
}

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
	warpSchedulers = registry[func(seed uint64) WarpScheduler]{what: "a warp scheduler", paths: []string{"issue.scheduler"}}
	dispatches     = registry[func(seed uint64) BlockDispatch]{what: "a block dispatch", paths: []string{"launch.order"}}
	hashes         = registry[func(seed uint64) AddressHash]{what: "an address hash", paths: []string{"l2.hash", "dram.hash"}}
	replacements   = registry[func(seed uint64) Replacement]{what: "a replacement", paths: []string{"l1.replacement"}}
	atomicUnits    = registry[func(c *config.Atomic) AtomicUnit]{what: "an atomic unit", paths: []string{"atomic.unit"}}
)

// Those that are nil are what the machine does itself.
func init() {
	warpSchedulers.builtIn("gto", func(uint64) WarpScheduler { return &greedyThenOldest{last: -1} })
	warpSchedulers.builtIn("lrr", func(uint64) WarpScheduler { return &looseRoundRobin{} })
	warpSchedulers.builtIn("oldest", func(uint64) WarpScheduler { return oldestFirst{} })
	warpSchedulers.builtIn("random", func(seed uint64) WarpScheduler { return &anyOf{state: seed} })
	dispatches.builtIn("breadth", nil)
	dispatches.builtIn("depth", nil)
	hashes.builtIn("mixed", nil)
	hashes.builtIn("modulo", func(uint64) AddressHash { return moduloHash{} })
	replacements.builtIn("lru", nil)
	replacements.builtIn("fifo", func(uint64) Replacement { return &fifo{} })
	atomicUnits.builtIn("serial", nil)
}

// RegisterWarpScheduler adds a warp scheduler, which issue.scheduler then takes. It panics
// where the name is taken or make is nil, as the functions below do.
func RegisterWarpScheduler(name string, make func(seed uint64) WarpScheduler) {
	warpSchedulers.register(name, make, make == nil)
}

// RegisterBlockDispatch adds a block dispatch, which launch.order then takes.
func RegisterBlockDispatch(name string, make func(seed uint64) BlockDispatch) {
	dispatches.register(name, make, make == nil)
}

// RegisterAddressHash adds an address hash, which l2.hash and dram.hash then take.
func RegisterAddressHash(name string, make func(seed uint64) AddressHash) {
	hashes.register(name, make, make == nil)
}

// RegisterReplacement adds a replacement policy, which l1.replacement then takes.
func RegisterReplacement(name string, make func(seed uint64) Replacement) {
	replacements.register(name, make, make == nil)
}

// RegisterAtomicUnit adds an atomic unit, which atomic.unit then takes. The times in c are in
// cycles of the SMs, whatever clock.l2 is.
func RegisterAtomicUnit(name string, make func(c *config.Atomic) AtomicUnit) {
	atomicUnits.register(name, make, make == nil)
}

// WarpSchedulers are the names of the warp schedulers, sorted.
func WarpSchedulers() []string { return warpSchedulers.names() }

// The makers of the policies that have these names, or an error that lists the names there are. A
// maker that is nil stands for what the machine does itself.

// WarpSchedulerMaker finds a warp scheduler; it is never nil.
func WarpSchedulerMaker(name string) (func(seed uint64) WarpScheduler, error) {
	return warpSchedulers.find(name)
}

// BlockDispatchMaker finds a block dispatch.
func BlockDispatchMaker(name string) (func(seed uint64) BlockDispatch, error) {
	return dispatches.find(name)
}

// AddressHashMaker finds an address hash.
func AddressHashMaker(name string) (func(seed uint64) AddressHash, error) { return hashes.find(name) }

// ReplacementMaker finds a replacement policy.
func ReplacementMaker(name string) (func(seed uint64) Replacement, error) {
	return replacements.find(name)
}

// AtomicUnitMaker finds an atomic unit.
func AtomicUnitMaker(name string) (func(c *config.Atomic) AtomicUnit, error) {
	return atomicUnits.find(name)
}
