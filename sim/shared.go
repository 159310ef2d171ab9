package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/counter"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// sharedTimes are the parameters of shared memory in ticks.
type sharedTimes struct {
	latency, conflict, way                                             timing.Tick
	atomLatency, atomIssue, atomStart, atomConflict, atomBase, atomWay timing.Tick
	banks                                                              uint64
}

func newSharedTimes(c *config.Shared) sharedTimes {
	return sharedTimes{
		latency: timing.Ticks(float64(c.Latency)), conflict: timing.Ticks(c.Conflict), way: timing.Ticks(c.Way),
		atomLatency: timing.Ticks(float64(c.AtomicLatency)), atomIssue: timing.Ticks(c.AtomicIssue), atomStart: timing.Ticks(c.AtomicStart),
		atomConflict: timing.Ticks(c.AtomicConflict), atomBase: timing.Ticks(c.AtomicBase), atomWay: timing.Ticks(c.AtomicWay),
		banks: uint64(c.Banks),
	}
}

// sharedBacklog returns the cycle from which the shared memory pipe of the SM accepts another instruction; its queue
// holds a few.
func (s *sm) sharedBacklog() uint64 {
	c := s.shared.Cycle()
	return c - min(c, sharedQueue)
}

// sharedQueue is how many cycles of work can wait for shared memory.
const sharedQueue = 32

// sharedAccess performs an access to shared memory, in lane order, and reserves its time: different words of one bank
// are serialized, one word is broadcast; atomics on one address are serialized. It returns the cycle in which the
// access is done.
func (m *machine) sharedAccess(s *subcore, wp *warp, d *decoded, mask uint32) uint64 {
	in, t := d.in, &m.run.shared
	for l := mask; l != 0; l &= l - 1 {
		m.access(wp, in, bits.TrailingZeros32(l))
	}
	u := s.sm
	start := max(timing.At(m.now), u.shared)
	st := &m.stats
	st.SharedAccesses++
	var done timing.Tick
	if in.Op.IsAtomic() {
		lanes := acts(d, mask)
		ways := m.sameAddress(lanes)
		further := timing.Tick(ways-1) * t.atomConflict
		u.shared = start + t.atomBase + timing.Tick(ways)*t.atomWay
		s.free[pipeAtomic] = (timing.At(m.now) + max(t.atomIssue, t.atomStart+timing.Tick(ways)*t.atomConflict)).Cycle()
		st.Busy.Pipes[pipeAtomic] += s.free[pipeAtomic] - m.now
		done = start + t.atomLatency + further
		st.SharedAtomics++
		st.SharedAtomWays += uint64(ways)
		st.BankConflicts += uint64(ways - 1)
		if m.prof != nil {
			m.profileShared(wp, lanes, start, t.atomConflict)
		}
	} else {
		ways := m.bankWays(mask, in.Mem.Bytes())
		u.shared = start + timing.Tick(ways)*t.way
		done = start + t.latency + timing.Tick(ways-1)*t.conflict
		least := sharedMinimum(in.Mem.Bytes(), mask)
		if m.prof != nil {
			m.profilePasses(wp, ways, least)
		}
		n := uint64(max(ways-least, 0))
		st.BankConflicts += n
		if in.Op == ir.OpStore {
			st.SharedStores++
			st.ConflictsStore += n
		} else {
			st.SharedLoads++
			st.ConflictsLoad += n
		}
		st.SharedWays += uint64(ways)
	}
	st.Busy.Shared += uint64(u.shared - start)
	if d.numDst > 0 {
		wp.board.set(d, done.Cycle()+uint64(d.latency), counter.StallShort)
	}
	return done.Cycle()
}

// sharedMinimum returns how many passes an access takes without conflicts: wide accesses take two or four.
func sharedMinimum(bytes int, mask uint32) int {
	n := bits.OnesCount32(mask) * bytes
	return max((n+simt.Lanes*4-1)/(simt.Lanes*4), 1)
}

// bankScratch groups the words of an access by bank.
type bankScratch struct {
	head  [256]uint8 // index + 1 of the bank's last word; 0 for none
	count [256]uint8
	word  [4 * simt.Lanes]uint32
	next  [4 * simt.Lanes]uint8
}

// bankWays returns the number of passes that the accesses of the lanes of mask need: the largest number of different
// words in one bank.
func (m *machine) bankWays(mask uint32, bytes int) int {
	b, banks := &m.banks, m.run.shared.banks
	words := uint64(max(bytes/4, 1))
	n, most := 0, uint8(1)
	for l := mask; l != 0; l &= l - 1 {
		first := (m.addrs[bits.TrailingZeros32(l)] &^ ir.SharedWindow) / 4
	next:
		for a := first; a < first+words; a++ {
			bank, word := a&(banks-1), uint32(a)
			for i := b.head[bank]; i != 0; i = b.next[i-1] {
				if b.word[i-1] == word {
					continue next
				}
			}
			b.word[n], b.next[n] = word, b.head[bank]
			n++
			b.head[bank] = uint8(n)
			b.count[bank]++
			most = max(most, b.count[bank])
		}
	}
	for _, w := range b.word[:n] {
		bank := uint64(w) & (banks - 1)
		b.head[bank], b.count[bank] = 0, 0
	}
	return int(most)
}

// sameAddress returns the largest number of lanes of mask that are on one address.
func (m *machine) sameAddress(mask uint32) int {
	most := 1
	for l := mask; l != 0; {
		a := m.addrs[bits.TrailingZeros32(l)]
		n := 0
		for k := l; k != 0; k &= k - 1 {
			i := bits.TrailingZeros32(k)
			if m.addrs[i] == a {
				n++
				l &^= 1 << i
			}
		}
		most = max(most, n)
	}
	return most
}
