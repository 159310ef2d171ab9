package sim

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// running is the work on the machine: one launch, which is the embedded job, or several concurrent ones.
type running struct {
	job
	jobs   []*job      // in launch order; the first is the embedded one until it is taken out
	count  int         // jobs so far
	left   int         // jobs that have not ended
	free   timing.Tick // when the dispatcher can place the next block
	called bool        // an evDispatch is scheduled
	turn   int         // SM to try first
	full   int         // SMs without room
	placed uint64
	start  uint64    // cycle
	since  time.Time // when it began, on this computer
	// doomed are lanes that were found to be unable to end, and doomedAt is the cycle of the launch after which that is
	// asked again.
	doomed   []waitfor.Doomed
	doomedAt uint64
	recurs   bool // its state has been shown to recur
	// changed is the last cycle with an event that a spinning warp may wait for: a value in memory changed, a warp
	// ended, a barrier opened, or a block was placed.
	changed  uint64
	changes  uint64 // how often that was, without steps that a schedule let go on
	clocks   uint64 // how often a warp has read a clock
	search   search
	livelock *livelock // nil: the search for a recurrence of the whole state has not begun
	// standstill looks for a sign that the launches do not get on, and stands says that it was there at the last look.
	standstill repeat.Standstill
	stands     bool
	shares     bool // another GPU has changed its memory, or it has used that of another GPU
	finished   bool // a launch has ended since the group looked
	over       bool
	err        error

	lineTime timing.Tick
	sendTime timing.Tick
	recvTime timing.Tick
	headTime timing.Tick // of an answer at the receiving port
	hitTime  uint64
	shared   sharedTimes
	// localStride is the size of a warp's local memory in bytes.
	localStride uint64
	placing     *job // the job whose block is to be placed, for a registered dispatch policy
}

// begin puts launches on the idle machine.
func (m *machine) begin(jobs ...job) {
	c := m.cfg
	if m.group == nil {
		m.wheel.Reset()
	}
	r := &running{since: time.Now(),
		job: jobs[0], count: len(jobs), left: len(jobs), start: m.now, changed: m.now, free: timing.At(m.now),
		lineTime: timing.Ticks(c.LSU.Line), sendTime: timing.Ticks(c.Xbar.SendFlit), recvTime: timing.Ticks(c.Xbar.RecvFlit), headTime: timing.Ticks(c.Xbar.RecvHead),
		hitTime: uint64(max(c.L1.Latency-c.LSU.Issue, 1)),
		shared:  newSharedTimes(&c.Shared),
	}
	m.run = r
	if h := m.hooks; h != nil {
		h.begin()
	}
	r.jobs = append(r.jobs, &r.job)
	for i := range jobs[1:] {
		r.jobs = append(r.jobs, &jobs[i+1])
	}
	slots, blocks, carve := 0, 0, 0
	for _, j := range r.jobs {
		j.size(&c.SM)
		j.put = m.now
		slots, blocks = slots+j.occ.BlocksPerSM, blocks+j.grid.Blocks
		carve = max(carve, j.carveOut(c))
		r.localStride = max(r.localStride, localStride(j.grid))
	}
	blocks = m.roomFor(blocks, slots)
	for i := range m.sms {
		if s := &m.sms[i]; i < blocks || s.l1.Sets() > 0 {
			s.l1.configure(&c.L1, carve)
		}
	}
	m.progress()
	m.callDispatch(m.now + 1)
}

// localStride returns the size of the local memory of a warp in bytes, in whole lines.
func localStride(g *simt.Grid) uint64 {
	return uint64((g.Prog.LocalBytes*simt.Lanes + lineBytes - 1) / lineBytes * lineBytes)
}

// roomFor gives as many SMs as blocks need an L1 and slots for blocks, and returns their number.
func (m *machine) roomFor(blocks, slots int) int {
	c := m.cfg
	slots = min(slots, c.SM.Blocks)
	if m.policy != nil {
		blocks = len(m.sms) // a registered policy may begin with any SM
	}
	blocks = min(blocks, len(m.sms))
	roomForL1(m.sms[:blocks], &c.L1)
	for i := range m.sms[:blocks] {
		s := &m.sms[i]
		for len(s.blocks) < slots {
			b := &block{id: int32(len(m.slots)), sm: s}
			b.NewRows = m.regs.take
			m.slots = append(m.slots, b)
			s.blocks = append(s.blocks, b)
		}
	}
	return blocks
}

func (m *machine) callDispatch(t uint64) {
	if r := m.run; !r.called && r.waiting() {
		r.called = true
		m.at(t, evDispatch)
	}
}

// dispatch places blocks while there is room, one each time the dispatcher is free: blocks of earlier launches first,
// in order of their number.
func (m *machine) dispatch() {
	r := m.run
	r.called, r.search.due = false, true
	r.free = max(r.free, timing.At(m.now))
	step := timing.Ticks(m.cfg.Launch.Block)
	for _, j := range r.jobs {
		if !r.mayStart(j) {
			continue
		}
		for j.next < j.grid.Blocks && !r.over {
			if r.free >= timing.At(m.now+1) {
				m.callDispatch(r.free.Cycle())
				return
			}
			id, ok := m.choose(j)
			if !ok {
				break // as below
			}
			s := m.room(j)
			if s == nil {
				break // the end of a block calls dispatch again
			}
			m.placeBlock(j, s, id)
			j.next++
			r.free += step
		}
	}
}

// room returns the SM for the next block, or nil if none has room.
func (m *machine) room(j *job) *sm {
	r := m.run
	if r.count > 1 {
		return m.roomAmong(j)
	}
	if r.full == len(m.sms) {
		return nil
	}
	if m.policy != nil {
		return m.chosen()
	}
	for range m.sms {
		s := &m.sms[r.turn]
		if s.resident < r.occ.BlocksPerSM {
			if m.cfg.Launch.Order == "breadth" {
				m.turn()
			}
			return s
		}
		m.turn()
	}
	return nil
}

// chosen returns the SM that a registered dispatch policy selects. If that SM has no room, it ends the launch with an
// error and returns nil.
func (m *machine) chosen() *sm {
	i := m.policy.Place(len(m.sms), m.roomOn)
	if i < 0 || i >= len(m.sms) || m.roomOn(i) <= 0 {
		m.fail(fmt.Errorf("block dispatch %q chose SM %d, which has no room", m.cfg.Launch.Order, i))
		return nil
	}
	return &m.sms[i]
}

// roomOn returns how many more blocks of the launch fit on an SM.
func (m *machine) roomOn(i int) int {
	if r := m.run; r.count > 1 {
		return m.sms[i].fits(&m.cfg.SM, r.placing)
	}
	return m.run.occ.BlocksPerSM - m.sms[i].resident
}

func (m *machine) turn() {
	if m.run.turn++; m.run.turn == len(m.sms) {
		m.run.turn = 0
	}
}

// placeBlock makes block id of a job's grid resident on s.
func (m *machine) placeBlock(j *job, s *sm, id int) {
	r := m.run
	if j.next == 0 {
		j.start = m.now
	}
	if o := j.order; o != nil {
		o.placed[id], o.next = true, -1
	}
	s.take(j, 1)
	b := s.blocks[0]
	for _, c := range s.blocks {
		if c.running == 0 {
			b = c
			break
		}
	}
	m.moreWarps(b, j.grid.Warps)
	b.Start(j.grid, id, int(s.id))
	if b.named = (simt.Named{}); m.strict {
		b.meeting = simt.Meeting{}
		b.written.Reset(j.grid.SharedBytes)
	}
	b.arrived, b.opening, b.live, b.running = 0, false, j.grid.Threads, j.grid.Warps
	b.warps = b.warps[:0]
	b.began, b.job = m.now, j
	begin := m.now + uint64(m.cfg.Launch.Start)
	if h := m.hooks; h != nil {
		begin += h.placed(b)
	}
	m.countWarps(s)
	if s.resident == 0 {
		s.activeFrom, s.ran = m.now, true
	}
	s.resident++
	if s.resident == r.occ.BlocksPerSM {
		r.full++
	}
	s.warps += j.grid.Warps
	m.stats.WarpsLaunched += uint64(j.grid.Warps)
	m.stats.Blocks++
	m.progress()
	for i := range j.grid.Warps {
		wp := m.slotFor(s, i)
		wp.w, wp.block, wp.job = b.Warps[i], b, j
		wp.under, wp.doneAt, wp.fenceEnd, wp.redLine, wp.acquire, wp.drained, wp.awaits, wp.ofSM = 0, 0, 0, 0, false, false, false, false
		wp.named = 0
		wp.steps, wp.pass = 0, 0
		wp.retry, wp.spin = 0, spin{pc: -1}
		wp.watch.restart(0)
		wp.watch.blocked = 0
		wp.board.reset(j.grid.Prog.NumRegs + j.grid.Prog.NumPreds)
		wp.state, wp.reason, wp.since = warpTimed, counter.StallStart, m.now
		b.warps = append(b.warps, wp)
		m.at(begin, evWake|event(wp.id))
	}
}

// moreWarps gives a block room for n warps.
func (m *machine) moreWarps(b *block, n int) {
	have := cap(b.Warps)
	if n <= have {
		return
	}
	more := m.simts.take(n - have)
	all := make([]*simt.Warp, have, have+len(more)) // the capacity is limited, so that other blocks' warps are not overwritten
	copy(all, b.Warps[:have])
	for i := range more {
		all = append(all, &more[i])
	}
	b.Warps = all
}

// slotFor takes a warp slot of the SM for warp i of a block: in the sub-core with the fewest warps, beginning the
// search with a different sub-core for each warp.
func (m *machine) slotFor(s *sm, i int) *warp {
	best := &s.subs[i%len(s.subs)]
	for j := range s.subs {
		sub := &s.subs[(i+j)%len(s.subs)]
		if bits.OnesCount64(sub.resident) < bits.OnesCount64(best.resident) {
			best = sub
		}
	}
	slot := bits.TrailingZeros64(^best.resident)
	if best.resident == 0 {
		best.activeFrom = m.now
	}
	best.resident |= 1 << slot
	m.run.placed++
	best.age[slot] = m.run.placed
	return &best.warps[slot]
}

// blockDone frees the slot of a block that has ended.
func (m *machine) blockDone(b *block) {
	r, s, j := m.run, b.sm, b.job
	s.take(j, -1)
	if s.resident == r.occ.BlocksPerSM {
		r.full--
	}
	if s.resident--; s.resident == 0 {
		m.stats.SMActive += m.now - s.activeFrom
	}
	if h := m.hooks; h != nil {
		h.ended(b)
	}
	m.progress()
	if j.order != nil {
		j.order.Ended(b.ID)
	}
	if j.done++; j.done == j.grid.Blocks {
		j.end = m.now
		r.finished = true
		if r.left--; r.left == 0 {
			r.over = true
			return
		}
	}
	m.callDispatch(m.now + 1)
}

// countWarps accounts for the resident warps of an SM up to now.
func (m *machine) countWarps(s *sm) {
	m.stats.WarpCycles += uint64(s.warps) * (m.now - s.warpsFrom)
	s.warpsFrom = m.now
}

// abandon removes everything of a launch that did not end from the machine.
func (m *machine) abandon() {
	m.wheel.Reset()
	m.ops.reset()
	m.packets.reset()
	m.waiters.reset()
	m.rows.reset()
	clear(m.active)
	for i := range m.sms {
		s := &m.sms[i]
		m.countWarps(s)
		if s.resident > 0 {
			m.stats.SMActive += m.now - s.activeFrom
		}
		s.resident, s.warps, s.used = 0, 0, usage{}
		s.l1.release()
		s.lsu.head, s.lsu.n, s.lsu.stalled = 0, 0, false
		s.order.reset()
		for _, b := range s.blocks {
			b.running = 0
		}
	}
	for i := range m.subs {
		if m.subs[i].resident != 0 {
			m.stats.SubActive += m.now - m.subs[i].activeFrom
		}
		m.subs[i].ready, m.subs[i].resident, m.subs[i].wakeAt = 0, 0, 0
	}
	for i := range m.warps {
		if wp := &m.warps[i]; wp.state != warpFree {
			m.charge(wp, m.now, counter.StallStart)
			wp.state, wp.w = warpFree, nil
		}
	}
}
