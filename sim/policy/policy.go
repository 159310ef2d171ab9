package policy

import (
	"github.com/weft-gpu/weft/sim/config"
)

// WarpScheduler selects the warp that a sub-core issues. Each sub-core has its own. The result must depend only on the
// arguments, on earlier calls and on the seed with which the scheduler was created.
type WarpScheduler interface {
	// Pick returns the slot of one of the warps in ready, a mask of slots that is not 0. age is the order in which the
	// warps in the slots were placed: the smallest is the oldest.
	Pick(ready uint64, age *[64]uint64) int
	// Issued reports that the warp in the slot has issued.
	Issued(slot int)
}

// BlockDispatch selects the SM for each block of a launch. A machine has one.
type BlockDispatch interface {
	// Place returns the SM, from 0 to sms-1, for the next block. room returns how many more blocks of the launch fit
	// on an SM; at least one SM has room. Place must return an SM that has room, otherwise the launch fails.
	Place(sms int, room func(sm int) int) int
}

// AddressHash distributes memory over the slices of the L2 or the channels of DRAM.
type AddressHash interface {
	// Slot returns the slice or channel, from 0 to n-1, of a chunk. A chunk is a run of consecutive bytes
	// (l2.interleave bytes for slices, 512 for channels); chunks are numbered by physical address.
	Slot(chunk uint64, n int) int
}

// Replacement selects the line that an L1 evicts. Each L1 has its own.
type Replacement interface {
	// Reset clears all state: the cache is empty and now has the given numbers of sets and of ways per set.
	Reset(sets, ways int)
	// Used reports that a line was hit or, if fill is true, filled.
	Used(set, way int, fill bool)
	// Victim returns the way of the line to evict from a full set.
	Victim(set int) int
}

// AtomicUnit determines the timing of the atomics at an L2 slice. Each slice has its own. The simulator computes the
// values.
type AtomicUnit interface {
	// Perform reserves the unit for the lanes of one warp on one line and returns the cycle at which their results are
	// known, at least r.Cycle.
	Perform(r AtomicRequest) uint64
}

// AtomicRequest is the work of one warp's atomic on one line.
type AtomicRequest struct {
	Cycle  uint64 // cycle at which the operands are available
	Line   uint64 // number of the 128-byte line
	Lanes  int
	Steps  int  // sum over the line's sectors of the largest number of lanes on one address
	Result bool // the old values are returned
	Peer   bool // for another GPU
}

var (
	warpSchedulers = registry[func(seed uint64) WarpScheduler]{what: "a warp scheduler", paths: []string{"issue.scheduler"}}
	dispatches     = registry[func(seed uint64) BlockDispatch]{what: "a block dispatch", paths: []string{"launch.order"}}
	hashes         = registry[func(seed uint64) AddressHash]{what: "an address hash", paths: []string{"l2.hash", "dram.hash"}}
	replacements   = registry[func(seed uint64) Replacement]{what: "a replacement", paths: []string{"l1.replacement"}}
	atomicUnits    = registry[func(c *config.Atomic) AtomicUnit]{what: "an atomic unit", paths: []string{"atomic.unit"}}
)

// nil selects the machine's built-in policy.
func init() {
	warpSchedulers.builtIn("gto", func(uint64) WarpScheduler { return &greedyThenOldest{last: -1} })
	warpSchedulers.builtIn("lrr", func(uint64) WarpScheduler { return &looseRoundRobin{} })
	warpSchedulers.builtIn("oldest", func(uint64) WarpScheduler { return oldestFirst{} })
	warpSchedulers.builtIn("random", func(seed uint64) WarpScheduler { return &anyOf{draw{seed}} })
	dispatches.builtIn("breadth", nil)
	dispatches.builtIn("depth", nil)
	dispatches.builtIn("random", func(seed uint64) BlockDispatch { return &anySM{draw{seed}} })
	hashes.builtIn("mixed", nil)
	hashes.builtIn("modulo", func(uint64) AddressHash { return moduloHash{} })
	replacements.builtIn("lru", nil)
	replacements.builtIn("fifo", func(uint64) Replacement { return &fifo{} })
	atomicUnits.builtIn("serial", nil)
}

// RegisterWarpScheduler registers a warp scheduler, which can then be selected by issue.scheduler. Like the functions
// below, it panics if the name is empty or taken, or if make is nil.
func RegisterWarpScheduler(name string, make func(seed uint64) WarpScheduler) {
	warpSchedulers.register(name, make, make == nil)
}

// RegisterBlockDispatch registers a block dispatch, which can then be selected by launch.order.
func RegisterBlockDispatch(name string, make func(seed uint64) BlockDispatch) {
	dispatches.register(name, make, make == nil)
}

// RegisterAddressHash registers an address hash, which can then be selected by l2.hash and dram.hash.
func RegisterAddressHash(name string, make func(seed uint64) AddressHash) {
	hashes.register(name, make, make == nil)
}

// RegisterReplacement registers a replacement policy, which can then be selected by l1.replacement.
func RegisterReplacement(name string, make func(seed uint64) Replacement) {
	replacements.register(name, make, make == nil)
}

// RegisterAtomicUnit registers an atomic unit, which can then be selected by atomic.unit. The times in c are in SM
// cycles, regardless of clock.l2.
func RegisterAtomicUnit(name string, make func(c *config.Atomic) AtomicUnit) {
	atomicUnits.register(name, make, make == nil)
}

// WarpSchedulers returns the names of the warp schedulers, sorted.
func WarpSchedulers() []string { return warpSchedulers.names() }

// The following functions return the function that creates the policy of a given name, or an error that lists the
// known names. A nil function stands for the machine's built-in policy.

// WarpSchedulerMaker returns the function that creates a warp scheduler; it is never nil.
func WarpSchedulerMaker(name string) (func(seed uint64) WarpScheduler, error) {
	return warpSchedulers.find(name)
}

// BuiltIn reports whether a warp scheduler is one of this package, so that those of different sub-cores share no state.
func BuiltIn(warpScheduler string) bool {
	return !warpSchedulers.ofUser(warpScheduler)
}

// BlockDispatchMaker returns the function that creates a block dispatch.
func BlockDispatchMaker(name string) (func(seed uint64) BlockDispatch, error) {
	return dispatches.find(name)
}

// AddressHashMaker returns the function that creates an address hash.
func AddressHashMaker(name string) (func(seed uint64) AddressHash, error) { return hashes.find(name) }

// ReplacementMaker returns the function that creates a replacement policy.
func ReplacementMaker(name string) (func(seed uint64) Replacement, error) {
	return replacements.find(name)
}

// AtomicUnitMaker returns the function that creates an atomic unit.
func AtomicUnitMaker(name string) (func(c *config.Atomic) AtomicUnit, error) {
	return atomicUnits.find(name)
}
