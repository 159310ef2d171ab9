package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/async"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/race"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// sm is a multiprocessor: sub-cores that issue, and what they share. Its state is its own, and so are its counters. It
// touches memory and other SMs only through its port (lsu.send), and hears from them only by answers (lsu.answer) and by
// blocks that the dispatcher places.
type sm struct {
	*chip
	id         int32
	subs       []subcore
	slots      []warp // of all sub-cores
	lsu        lsu
	l1         l1
	port       port
	order      accessOrder
	shared     sharedMemory
	barrier    barrierUnit
	remote     remotePort
	copies     copyUnit
	stats      counter.Raw // since the launches on the machine began
	net        *crossbar
	dispatcher *dispatcher

	scratch  simt.Row // of its blocks
	blocks   []*block // slots
	resident int
	warps    int // resident warps
	used     usage

	// While it runs by itself; see windows.
	notes   notes
	events  []event // of the current cycle
	handled int     // of these
	inCycle bool    // not all of the current cycle is done
	granted bool    // it may take a step that depends on others
	// waitsFor is the last cycle of the arrivals for which it waits.
	waitsFor uint64
	// failed is the error with which it has ended the launch, which takes effect at the end of the window, and failedIn the
	// cycle of it.
	failed   error
	failedIn uint64

	split      bool   // lanes of a warp have gone on by themselves since the launches began
	ran        bool   // it has had a block since the launches began
	activeFrom uint64 // cycle since which blocks have been resident
	warpsFrom  uint64 // cycle of the last change of warps
}

// init connects an SM that has its sub-cores and slots.
func (s *sm) init(c *chip, id int, net *crossbar, to *dispatcher, times *sharedTimes, flight inFlight) {
	cfg := c.cfg
	s.chip, s.id, s.net, s.dispatcher = c, int32(id), net, to
	s.port = newPort(&cfg.Xbar)
	s.lsu.sm, s.lsu.inFlight = s, flight
	s.lsu.queue = make([]lsuEntry, cfg.LSU.Queue)
	s.lsu.lineTime, s.lsu.hitTime = timing.Ticks(cfg.LSU.Line), uint64(max(cfg.L1.Latency-cfg.LSU.Issue, 1))
	s.l1.chip, s.l1.packets = c, &s.lsu.packets
	s.l1.release()
	s.order = newAccessOrder(cfg.SM.Warps)
	s.shared = sharedMemory{sm: s, times: times, locks: newLockTable(&cfg.Shared)}
	s.barrier.sm, s.copies.sm = s, s
}

// runAlone simulates the SM up to a cycle, which it does not reach, or until a step of its load-store unit depends on
// others; see lsu.asks. Then it goes on when it is called again. waits says that it has to wait for the arrival of a packet to
// take effect.
func (s *sm) runAlone(until uint64) (waits bool) {
	for s.failed == nil {
		if !s.inCycle {
			cycle, ok := s.chip.next()
			if !ok || cycle >= until {
				return false
			}
			s.wheel.Advance(cycle)
			s.now = cycle
			s.events, s.handled, s.inCycle = s.wheel.Take(), 0, true
		}
		for ; s.handled < len(s.events); s.handled++ {
			event := s.events[s.handled]
			// The step is tried again from the same event: nothing of it has been done.
			if event&^eventPayload == evLSU && !s.granted && s.lsu.asks() {
				return false
			}
			if mustWait(s, event) {
				return true
			}
			s.handle(event)
			s.granted = false
		}
		s.inCycle = false
		for i, word := range s.active {
			for ; word != 0; word &= word - 1 {
				s.subs[i<<6+bits.TrailingZeros64(word)].issue()
			}
		}
	}
	return false
}

// mustWait reports whether an event, of this cycle, has to wait for arrivals to take effect: that of the packet that it is about, or
// all, if what they are written to might move.
func mustWait(s *sm, event event) bool {
	switch event &^ eventPayload {
	case evArrive:
		s.waitsFor = s.now
	case evLSU:
		if s.lsu.room() >= mostPackets {
			return false
		}
		s.waitsFor = never - 1
	default:
		return false
	}
	return s.waitsFor >= s.arrivals.reached.Load()
}

// fault ends the launch with an error caused by a thread. In a window, it does so at the end of it: the other SMs have gone
// on until then.
func (s *sm) fault(fault *device.Fault) {
	if !s.search.spread {
		s.fail(fault)
	} else if s.failed == nil {
		s.failed, s.failedIn, s.broken = fault, s.now, true
	}
}

// handle executes an event of the SM.
func (s *sm) handle(event event) {
	who := int32(event & eventPayload)
	switch event &^ eventPayload {
	case evWake:
		s.wake(&s.lsu.warps[who])
	case evSuspended:
		s.lsu.warps[who].lookAgain()
	case evSubcore:
		s.subs[who-s.subs[0].id].rouse()
	case evLSU:
		s.lsu.step()
	case evArrive:
		s.lsu.accepted(int32(uint32(event)))
	case evReply, evAnswer:
		s.lsu.answer(int32(uint32(event)))
	case evAcked:
		s.acked(&s.lsu.warps[who])
	case evCopied:
		s.copies.arrive(&s.lsu.warps[who])
	case evBarrier:
		s.barrier.open(s.dispatcher.slots[who])
	case evNamed:
		s.barrier.openNamed(s.dispatcher.slots[who])
	}
}

// block is a block slot of an SM.
type block struct {
	simt.Block
	id      int32 // of the slot, in the machine
	sm      *sm
	job     *job
	warps   []*warp
	longest uint64 // warp instructions of a warp that has ended
	pieces  int    // of the grid that were not simulated, before it was placed
	running int    // warps that have not ended
	insts   uint64 // warp instructions
	live    int    // threads that have not exited
	arrived int    // threads that wait at the barrier
	kind    ir.Op  // kind of barrier at which the first of them waits
	mixed   bool   // others wait at a different kind
	opening bool
	named   simt.Named
	cluster *cluster       // nil if it is alone and has no instruction for clusters
	meeting simt.Meeting   // used if chip.strict is set
	written simt.Written   // the same
	pending *async.Pending // nil if nobody wants to know; see follows
	race    race.Block     // used by hooks.race
	began   uint64         // cycle at which it was placed
	ended   uint64         // the mbarrier of which a phase was complete last
	knownAt uint64         // the cycle from which warps may know of that; 0 if there was none
	phases  uint32         // how many phases have ended; what an access has ended is the difference
}

// leave ends what is left of a block.
func (b *block) leave() {
	for _, wp := range b.warps {
		if wp.block == b { // it has not ended
			b.insts += wp.insts
			wp.insts = 0
		}
	}
	if b.job != nil {
		b.job.insts += b.insts
	}
	b.running, b.insts = 0, 0
}

// usage is what the resident blocks of an SM use.
type usage struct{ warps, regs, shared int }

// take accounts for n blocks of a job that are placed on an SM, or that leave it if n is negative.
func (s *sm) take(j *job, n int) {
	s.used.warps += n * j.grid.Warps
	s.used.regs += n * j.regsPerBlock
	s.used.shared += n * j.perBlock
}

// fits returns how many more blocks of a job fit on an SM beside those of other jobs.
func (s *sm) fits(c *config.SM, j *job) int {
	n := min(c.Blocks-s.resident, j.occ.BlocksPerSM)
	n = min(n, (min(c.Warps, c.Threads/simt.Lanes)-s.used.warps)/j.grid.Warps)
	n = min(n, (c.Registers-s.used.regs)/j.regsPerBlock)
	if j.perBlock > 0 {
		n = min(n, (c.SharedBytes-s.used.shared)/j.perBlock)
	}
	return max(n, 0)
}

// countWarps accounts for the resident warps up to cycle t.
func (s *sm) countWarps(t uint64) {
	s.stats.WarpCycles += uint64(s.warps) * (t - s.warpsFrom)
	s.warpsFrom = t
}

// counted returns the counters, including what residents have come to by now.
func (s *sm) counted() counter.Raw {
	c := s.stats
	c.WarpCycles += uint64(s.warps) * (s.now - s.warpsFrom)
	if s.resident > 0 {
		c.SMActive += s.now - s.activeFrom
	}
	for i := range s.subs {
		if sub := &s.subs[i]; sub.resident != 0 {
			c.SubActive += s.now - sub.activeFrom
		}
	}
	return c
}

// abandon removes everything of launches that did not end.
func (s *sm) abandon() {
	s.countWarps(s.now)
	if s.resident > 0 {
		s.stats.SMActive += s.now - s.activeFrom
	}
	s.resident, s.warps, s.used = 0, 0, usage{}
	s.lsu.abandon()
	s.lsu.inFlight.abandon()
	s.failed = nil
	s.l1.release()
	s.order.reset()
	s.remote.unsure = false
	s.copies.fences, s.copies.stores, s.copies.starts = 0, 0, 0
	for _, b := range s.blocks {
		b.leave()
	}
	for i := range s.subs {
		sub := &s.subs[i]
		if sub.resident != 0 {
			s.stats.SubActive += s.now - sub.activeFrom
		}
		sub.ready, sub.resident, sub.wakeAt = 0, 0, 0
	}
	for i := range s.slots {
		if wp := &s.slots[i]; wp.state != warpFree {
			s.charge(wp, s.now, counter.StallStart)
			wp.state, wp.w = warpFree, nil
		}
	}
}

// encode adds the state of a block and of its warps.
func (b *block) encode(e *encoder) {
	state := e.r
	// Differs: what follows is of no use when the states are known to be different.
	state.Int(b.running)
	if b.running == 0 || state.Differs() {
		return
	}
	state.Int(b.ID)
	state.Int(b.arrived)
	state.Int(int(b.kind))
	state.Bool(b.mixed)
	state.Int(b.live)
	state.Bool(b.opening)
	for _, n := range b.named.Barriers {
		state.Word(uint64(n.Threads)<<32 | uint64(n.Arrived))
	}
	state.Int(int(b.named.Free))
	state.Bytes(b.named.Held[:])
	if b.knownAt != 0 {
		state.Word(b.ended)
		e.time(b.knownAt)
	}
	if c := b.cluster; c != nil {
		for _, at := range c.Barrier {
			state.Int(int(at))
		}
		e.tick(c.last)
		e.time(c.opens)
		e.tick(b.sm.remote.free)
		e.tick(b.sm.remote.served)
		e.tick(b.sm.remote.arrives)
		e.r.Bool(b.sm.remote.unsure)
	}
	state.Bytes(b.Shared)
	for _, wp := range b.warps {
		if wp.block == b && wp.state != warpFree {
			wp.encode(e)
		}
	}
}

// encode adds the state of the SM but for its sub-cores and blocks.
func (s *sm) encode(e *encoder) {
	state := e.r
	state.Int(s.resident)
	if s.resident == 0 {
		return
	}
	e.tick(s.shared.stage.Free())
	e.tick(s.port.send)
	e.tick(s.port.recv)
	e.tick(s.barrier.free)
	for _, t := range s.shared.locks.held {
		e.time(t)
	}
	for _, t := range s.shared.locks.banks {
		e.time(t)
	}
	e.time(s.copies.fences)
	e.time(s.copies.stores)
	e.time(s.copies.starts)
	s.order.encode(e)
	s.lsu.encode(e)
	s.l1.encode(e)
}
