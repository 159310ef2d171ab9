package sim

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/race"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// A cluster of blocks is placed at once, on the SMs of one group (a GPC). Its blocks reach each other's shared memory over a network
// between SMs, which each SM has a port to, and meet at a barrier of their own. What that takes was measured on an H100:
// results/hw/clusters. An access takes effect when it issues, as one to the block's own shared memory does.

// cluster is a cluster that runs.
type cluster struct {
	simt.Cluster
	blocks []*block      // by rank; the slot of one that has ended may hold another block
	last   timing.Tick   // when the last arrival is counted, and what its SM has stored is there
	opens  uint64        // cycle in which the barrier opened last
	races  *race.Cluster // nil if races are not looked for
}

// clusterBarrier stands for the barrier of the cluster in seldom.named; those of the block have smaller numbers.
const clusterBarrier = ir.Barriers

// clusterTimes are the parameters of clusters in ticks.
type clusterTimes struct {
	latency timing.Tick
	each    [3]timing.Tick // for each packet, by what a warp does: load, store, atomic
}

func newClusterTimes(c *config.Cluster) clusterTimes {
	return clusterTimes{latency: timing.Ticks(float64(c.Latency)), each: [3]timing.Tick{timing.Ticks(c.Load), timing.Ticks(c.Store), timing.Ticks(c.Atomic)}}
}

// The indices of clusterTimes.each.
const (
	remoteLoad = iota
	remoteStore
	remoteAtomic
)

// fitsCluster returns the error of a launch whose clusters do not fit the machine.
func fitsCluster(d *Device, grid *simt.Grid, occ *device.Occupancy) error {
	fail := func(format string, args ...any) error {
		return &device.ArgError{Kernel: grid.Kernel.Name, What: fmt.Sprintf(format, args...)}
	}
	largest := 0
	d.m.dispatcher.eachGroup(func(sms int) { largest = max(largest, sms) })
	switch most := largest * occ.BlocksPerSM; {
	case grid.Cluster == 1:
		return nil
	case grid.Cluster > most:
		return fail("a cluster of %d blocks of %d threads; at most %d fit a group of %d SMs at once (%d an SM, by %s)", grid.Cluster, grid.Threads, most, largest, occ.BlocksPerSM, occ.Limit)
	}
	return nil
}

// groupEnd returns the number behind that of the last SM of the group in which an SM is.
func (d *dispatcher) groupEnd(sm int) int {
	groups, pairs := uint64(d.cfg.Xbar.Groups), uint64(len(d.sms)+1)/2
	if groups <= 1 {
		return len(d.sms)
	}
	end := sm + 1
	for end < len(d.sms) && groupOf(uint64(end), groups, pairs) == groupOf(uint64(sm), groups, pairs) {
		end++
	}
	return end
}

// eachGroup calls visit for the number of SMs of each group.
func (d *dispatcher) eachGroup(visit func(sms int)) {
	for first := 0; first < len(d.sms); {
		end := d.groupEnd(first)
		visit(end - first)
		first = end
	}
}

// roomForClusters returns how many blocks fit on the machine at once in whole clusters, each of which is in one group.
func (d *dispatcher) roomForClusters(size, perSM int) (blocks int) {
	d.eachGroup(func(sms int) { blocks += sms * perSM / size * size })
	return blocks
}

// placeCluster places the cluster of a job that begins with block id, on the first group of SMs that has room for all, beginning with the one
// behind that of the last cluster. It reports whether there is one.
//
// A registered policy chooses the SM whose group is tried first.
func (d *dispatcher) placeCluster(job *job, id int) bool {
	if d.policy != nil && d.full < len(d.sms) {
		d.placing = job
		to := d.chosen()
		if to == nil {
			return false
		}
		for d.turn = 0; d.groupEnd(d.turn) <= int(to.id); {
			d.turn = d.groupEnd(d.turn)
		}
	}
	for tried := 0; tried < len(d.sms); {
		first := d.turn % len(d.sms)
		end := d.groupEnd(first)
		d.turn, tried = end%len(d.sms), tried+end-first
		if to := d.roomInGroup(job, first, end); to != nil {
			c := &cluster{}
			var members []*simt.Block
			for k, unit := range to {
				slot := d.place(job, unit, id+k)
				slot.cluster = c
				c.blocks, members = append(c.blocks, slot), append(members, &slot.Block)
			}
			c.Start(members...)
			c.met(d.hooks.races())
			job.next += len(to)
			return true
		}
	}
	return false
}

// met tells the race detector, unless that is nil, of the blocks of the cluster, which have just been placed.
func (c *cluster) met(detector *race.Detector) {
	if detector == nil {
		return
	}
	list := make([]*race.Block, len(c.blocks))
	for i, b := range c.blocks {
		list[i] = &b.race
	}
	c.races = race.Meet(list...)
}

// roomInGroup returns the SMs for the blocks of a cluster, by rank; nil if the SMs from first to end, without end, do not have room.
// An SM gets a second block of the cluster only when all others have one or no room: on an H100 the blocks of a cluster are on
// different SMs, which follow each other (results/hw/clusters, "places"). Of these, those with the fewest blocks are taken.
func (d *dispatcher) roomInGroup(job *job, first, end int) []*sm {
	to, given := make([]*sm, 0, job.grid.Cluster), make([]int, end-first)
	for len(to) < job.grid.Cluster {
		best := -1
		for i := range given {
			unit := &d.sms[first+i]
			room := d.run.occ.BlocksPerSM - unit.resident
			if d.run.count > 1 {
				room = unit.fits(&d.cfg.SM, job)
			}
			if given[i] >= room {
				continue
			}
			if best < 0 || cmp.Or(cmp.Compare(given[i], given[best]), cmp.Compare(unit.resident, d.sms[first+best].resident)) < 0 {
				best = i
			}
		}
		if best < 0 {
			return nil
		}
		given[best]++
		to = append(to, &d.sms[first+best])
	}
	return to
}

// blockEnded records that a block has ended.
func (c *cluster) blockEnded(b *block) {
	c.End(&b.Block)
	b.cluster, b.Cluster = nil, nil
}

// atCluster executes an instruction of the barrier of a cluster. It reports whether the warp waits or has failed; else the warp goes
// on with the next instruction.
func (u *barrierUnit) atCluster(wp *warp, in *ir.Inst, mask uint32) (waits bool) {
	c := wp.block.cluster
	if in.Op == ir.OpClusterArrive {
		if fault := c.Arrive(wp.w, in, mask); fault != nil {
			u.sm.fault(fault)
			return true
		}
		u.sm.progress()
		if c.races != nil {
			c.races.Arrive(&wp.block.race, wp.w.Index)
		}
		u.free = max(u.free, timing.At(u.sm.now)) + timing.Tick(u.sm.cfg.Barrier.Warp)*timing.TicksPerCycle
		c.last = max(c.last, u.free, u.sm.remote.arrives)
		wp.w.Next()
		c.open(u.sm.chip)
		return false
	}
	goes, fault := c.Wait(wp.w, in, mask)
	if fault != nil {
		u.sm.fault(fault)
		return true
	}
	// What follows must not hit lines of L1 that are older than what others did before they came.
	wp.acquire = true
	if !goes {
		wp.named = clusterBarrier
		u.sm.pause(wp, warpBarrier, counter.StallBarrier)
		return true
	}
	if c.races != nil {
		c.races.Pass(&wp.block.race, wp.w.Index)
	}
	wp.w.Next()
	u.sm.pause(wp, warpTimed, counter.StallBarrier)
	u.sm.at(max(c.opens, u.sm.now+1), evWake|event(wp.id))
	return true
}

// open opens the barrier if all have come that it waits for.
func (c *cluster) open(on *chip) {
	if !c.Open() {
		return
	}
	on.progress()
	if c.races != nil {
		c.races.Open()
	}
	c.opens = max(c.last.Cycle(), on.now) + uint64(on.cfg.Cluster.Barrier)
	at := max(c.opens-1, on.now+1) // those that wait go on in the cycle after the event
	for _, b := range c.blocks {
		if b.cluster != c {
			continue // it has ended
		}
		b.sm.stats.Barriers++
		any := false
		for _, wp := range b.warps {
			if wp.block == b && wp.state == warpBarrier && wp.named == clusterBarrier {
				in := &wp.job.grid.Prog.Code[wp.w.PC]
				if _, fault := c.Wait(wp.w, in, wp.w.Mask); fault != nil {
					b.sm.fault(fault)
					return
				}
				if c.races != nil {
					c.races.Pass(&b.race, wp.w.Index)
				}
				wp.named, wp.opens, any = -clusterBarrier, at, true
			}
		}
		if any {
			b.sm.at(at, evNamed|event(b.id))
		}
	}
}

// remotePort is the port of an SM to the network between SMs.
type remotePort struct {
	free    timing.Tick // when it can send the next packet
	served  timing.Tick // when it can serve the next one of another SM
	arrives timing.Tick // when what the SM has stored is there
	unsure  bool        // the SM has stored since its last fence of the device
}

// remoteFence is how many cycles longer a fence of the device takes if the SM has stored to other SMs, or arrived at mbarriers there, since its last one: on an H200
// an arrival with a release at another block takes 314 cycles after one of the same kind, and at the own block 271 (results/hw/asynchronous/arrivals.cu).
const remoteFence = 43

// remoteFrom returns the cycle from which an SM takes an access to other SMs: until the network is as far behind as a load takes, which is an
// estimate.
func (s *sm) remoteFrom() uint64 {
	free, queue := s.remote.free, s.dispatcher.clusters.latency
	return (free - min(free, queue)).Cycle()
}

// serveRemote performs the accesses of lanes to the shared memory of other blocks of the cluster, in lane order, and reserves their
// time at the ports of both SMs: for each packet of up to 32 bytes of one SM, so that scattered words take as long as so many times
// 32 bytes (results/hw/clusters, histograms). It returns the cycle in which the access is done.
func (s *sm) serveRemote(wp *warp, inst *decoded, mask uint32) uint64 {
	in, what := inst.in, remoteLoad
	switch {
	case in.Op.IsAtomic():
		what = remoteAtomic
	case in.Op == ir.OpStore:
		what = remoteStore
	}
	times, now := &s.dispatcher.clusters, timing.At(s.now)
	done := now
	var sent [simt.Lanes]uint64 // the sectors of packets
	n := 0
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left)
		sector := s.addrs[lane] / sectorBytes
		if !slices.Contains(sent[:n], sector) {
			sent[n] = sector
			n++
			rank, _, _ := ir.SharedOf(s.addrs[lane])
			to := wp.block.cluster.blocks[rank].sm
			s.remote.free = max(s.remote.free, now) + times.each[what]
			to.remote.served = max(to.remote.served, s.remote.free-times.each[what]) + times.each[what]
			done = max(done, to.remote.served)
		}
		s.access(wp, in, lane)
	}
	done += times.latency
	s.stats.SharedAccesses++
	if what != remoteLoad {
		s.remote.arrives, s.remote.unsure = max(s.remote.arrives, done), true
	}
	if inst.numDst > 0 {
		wp.board.set(inst, done.Cycle()+uint64(inst.latency), counter.StallShort)
	}
	return done.Cycle()
}

// remoteUnwritten is unwritten for lanes that access the shared memory of other blocks.
func (s *sm) remoteUnwritten(wp *warp, in *ir.Inst, mask uint32, writes bool) *device.Fault {
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left)
		rank, own, _ := ir.SharedOf(s.addrs[lane])
		var row simt.Row
		row[lane] = own
		owner := wp.block.cluster.blocks[rank]
		if writes {
			owner.written.Define(in, &row, 0, 1<<lane)
		} else if f := owner.written.Defined(wp.w, in, &row, 0, 1<<lane); f != nil {
			return f
		}
	}
	return nil
}

// ownAddresses takes the rank off addresses that name the thread's own block.
func ownAddresses(lanes uint32, addrs *simt.Row) {
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes)
		_, addrs[lane], _ = ir.SharedOf(addrs[lane])
	}
}
