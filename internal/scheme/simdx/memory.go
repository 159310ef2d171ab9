package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Memory is the memory that the kernels of a run share.
type Memory struct {
	Lists  []uint32 // two frontiers, which change places
	Bins   []uint32 // the thread bins: slot s of thread i is element s*threads + i
	Held   []uint32 // for each thread with a bin, the vertices in it between two launches
	Marks  []uint32 // for each vertex, the last iteration in which it was active
	Counts []uint32 // three sets of counters, which change places
	Parts  []uint32 // what the ballot filter has counted in each block and in each warp
	Locks  []uint32 // of the global barrier
	Status []uint32 // what a persistent kernel tells the host
	// History has historyWords for each iteration of the persistent kernels, as far as there
	// is room.
	History []uint32
	Queue   []uint32 // the first frontier, from scheduler.Init
	Edges   []uint32 // the active edge list of the batch filter: source and arc, in pairs
	Levels  []uint32 // for each level, what the lists of all levels before it have; empty unless [Levels] runs
	Half    uint32   // entries in a frontier of Lists
	Push    Shape    // of a frontier, by outgoing arcs
	Pull    Shape    // of the lists of a pull, by incoming arcs
	BinSize uint32   // vertices in the bin of a thread
	Stage   uint32   // entries in the small list of a block in shared memory; 0: it has no lists
}

// A set of counters describes a frontier. One set is read, the next one filled, and the
// third one cleared for the iteration after: so no barrier is needed to clear them.
const (
	arcsCount      = classes + iota // arcs of the vertices; the first counters are lengths of the lists
	overflowCount                   // not 0 if a thread found its bin or a list full
	iterationCount                  // the iteration of the frontier
	changedCount                    // vertices that changed in a pull iteration
	phaseCount                      // complement of the smallest next phase
	setWords
	sets = 3
)

// lists returns the lists of the frontier of a step.
func (m Memory) lists(step uint32, shape Shape) lists {
	return lists{words: m.Lists, first: step % 2 * m.Half, shape: shape}
}

// set returns the counters of the frontier of a step.
func (m Memory) set(step uint32) []uint32 {
	first := step % sets * setWords
	return m.Counts[first : first+setWords]
}

// clear clears the counters of a step.
func (m Memory) clear(t gpu.Thread, step uint32) {
	if t.Global() < setWords {
		gpu.Store(&m.set(step)[t.Global()], 0)
	}
}

// frontier is the size of a frontier.
type frontier struct {
	Small, Medium, Large uint32 // entries of the lists
	Arcs                 uint32
}

// entries returns the number of entries.
func (f frontier) entries() uint32 { return f.Small + f.Medium + f.Large }

// news are the counters of a frontier in shared memory.
type news struct {
	front                               frontier
	overflow, iteration, phase, changed uint32
}

// fetch copies the counters of a step to shared memory. All blocks read them at the same time,
// in one sector of the L2, so only one thread of a block does.
func (m Memory) fetch(n *news, step uint32) {
	set := m.set(step)
	got := news{frontier{gpu.Load(&set[small]), gpu.Load(&set[medium]), gpu.Load(&set[large]), gpu.Load(&set[arcsCount])},
		gpu.Load(&set[overflowCount]), gpu.Load(&set[iterationCount]), gpu.Load(&set[phaseCount]), gpu.Load(&set[changedCount])}
	*n = got
}

// frontier reads the size of the frontier of a step.
func (m Memory) frontier(step uint32) frontier {
	set := m.set(step)
	return frontier{gpu.Load(&set[small]), gpu.Load(&set[medium]), gpu.Load(&set[large]), gpu.Load(&set[arcsCount])}
}

// add adds the entries of a vertex.
func (f *frontier) add(s Shape, arcs uint32) {
	switch s.class(arcs) {
	case small:
		f.Small++
	case medium:
		f.Medium++
	default:
		f.Large += s.pieces(arcs)
	}
	f.Arcs += arcs
}

// of returns the number that a counter of a set has: the length of a list, the arcs, or 0.
func (f frontier) of(counter uint32) uint32 {
	switch counter {
	case small:
		return f.Small
	case medium:
		return f.Medium
	case large:
		return f.Large
	case arcsCount:
		return f.Arcs
	}
	return 0
}

// step increments the length of a list and returns the old one.
func (f *frontier) step(class uint32) (old uint32) {
	old = f.of(class)
	switch class {
	case small:
		f.Small++
	case medium:
		f.Medium++
	default:
		f.Large++
	}
	return old
}

// plus returns the sum of two frontiers.
func (f frontier) plus(o frontier) frontier {
	return frontier{f.Small + o.Small, f.Medium + o.Medium, f.Large + o.Large, f.Arcs + o.Arcs}
}

// overWarp returns the sum of f over the lanes of a warp.
func (f frontier) overWarp(t gpu.Thread) frontier {
	sum := func(x uint32) uint32 {
		return scheduler.Reduce(t, scheduler.WarpPerVertex{}, x, 0, func(a, b uint32) uint32 { return a + b })
	}
	return frontier{sum(f.Small), sum(f.Medium), sum(f.Large), sum(f.Arcs)}
}

// below returns, in each lane of a warp, the sum of f over the lanes below, and that over
// all lanes.
func (f frontier) below(t gpu.Thread) (below, all frontier) {
	below.Small, all.Small = scheduler.PrefixSum(t, f.Small)
	below.Medium, all.Medium = scheduler.PrefixSum(t, f.Medium)
	below.Large, all.Large = scheduler.PrefixSum(t, f.Large)
	below.Arcs, all.Arcs = scheduler.PrefixSum(t, f.Arcs)
	return below, all
}

// whole returns the entry of v with the arcs that a push sends along.
func whole(row []uint32, v uint32) entry {
	begin, end := row[v], row[v+1]
	return entry{v, begin, end, end - begin}
}
