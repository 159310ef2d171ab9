package opt

import "slices"

// time returns the cycles that the region takes in its current order.
func (s *scheduler) time() int32 {
	clock := int32(0)
	end := int32(0)
	for i := range s.nodes {
		s.nodes[i].ready = s.nodes[i].early
	}
	for i := range s.nodes {
		clock, end = s.issue(int32(i), clock, end)
	}
	return end
}

// issue advances the clock over node i and records for the instructions that
// read its result when the result is available; end is when the last result is.
func (s *scheduler) issue(i, clock, end int32) (nextClock, nextEnd int32) {
	this := &s.nodes[i]
	done := this.ready
	if this.real {
		// One instruction per cycle, in order: a stalled instruction also
		// delays those behind it.
		at := max(clock, this.ready)
		clock, done = at+1, at+this.lat
	}
	for link := this.first; link >= 0; link = s.edges[link].next {
		if s.edges[link].data {
			to := &s.nodes[s.edges[link].to]
			to.ready = max(to.ready, done)
		}
	}
	return clock, max(end, done)
}

// list fills order by list scheduling within the pressure limit, starting from
// the current pressure, with instructions that are less than reach behind the
// first one that is left. It returns the cycles and the peak pressure, which may
// exceed the limit if no instruction fitted.
func (s *scheduler) list(limit pressure, reach int) (cycles int32, peak pressure) {
	s.order, s.ready = s.order[:0], s.ready[:0]
	for i := range s.nodes {
		this := &s.nodes[i]
		this.ready, this.wait, this.issued = this.early, this.deps, false
		if this.deps == 0 {
			s.ready = append(s.ready, int32(i))
		}
		// left counts the reads that are still to come: the register is free
		// after its last one.
		if this.real {
			s.m.uses(this.v, func(reg int32) { s.left[reg]++ })
		}
	}
	clock, end := int32(0), int32(0)
	peak = s.now
	first := int32(0)
	for len(s.ready) > 0 {
		for s.nodes[first].issued {
			first++
		}
		at := s.choose(clock, limit, first+int32(reach))
		i := s.ready[at]
		s.ready = slices.Delete(s.ready, at, at+1)
		s.order = append(s.order, i)
		this := &s.nodes[i]
		this.issued = true
		clock, end = s.issue(i, clock, end)
		if this.real {
			var most pressure
			s.now, most = s.pressureWith(i)
			peak = peak.max(most)
			s.m.uses(this.v, func(reg int32) { s.left[reg]-- })
		}
		for link := this.first; link >= 0; link = s.edges[link].next {
			to := s.edges[link].to
			if s.nodes[to].wait--; s.nodes[to].wait == 0 {
				s.ready = append(s.ready, to)
			}
		}
	}
	return end, peak
}

// choose returns the index in ready of the next instruction: one that needs no
// issue slot; else, of those that stay within the register limit, the one that
// can start first and has the longest dependent chain; else the one that frees
// most registers. Those from node end on have to wait.
func (s *scheduler) choose(clock int32, limit pressure, end int32) int {
	free := -1
	for j, i := range s.ready {
		// Such a node only renames a value, so it costs nothing and makes
		// others ready. The lowest number keeps source order.
		if !s.nodes[i].real && (free < 0 || i < s.ready[free]) {
			free = j
		}
	}
	if free >= 0 {
		return free
	}
	best, bestFits := -1, false
	bestRows := 0
	for j, i := range s.ready {
		if i >= end {
			continue
		}
		then, most := s.pressureWith(i)
		fits := most.within(limit)
		if best >= 0 {
			// One that fits beats one that does not, however early it could
			// start: a register above the limit costs resident warps.
			if fits != bestFits {
				if !fits {
					continue
				}
			} else if !fits && then.rows != bestRows {
				// If none fits, what frees most registers brings the pressure
				// back under the limit soonest.
				if then.rows > bestRows {
					continue
				}
			} else if !s.before(i, s.ready[best], clock) {
				continue
			}
		}
		best, bestFits, bestRows = j, fits, then.rows
	}
	return best
}

// before reports whether node i should be issued before node j, which is also
// ready.
func (s *scheduler) before(i, j, clock int32) bool {
	left, right := &s.nodes[i], &s.nodes[j]
	// An operand that is ready before the clock is as good as one that is ready
	// now.
	if x, y := max(left.ready, clock), max(right.ready, clock); x != y {
		return x < y
	}
	if left.height != right.height {
		return left.height > right.height
	}
	return i < j
}

// pressureWith returns the pressure after node i if it is issued next, and the
// peak while it executes.
func (s *scheduler) pressureWith(i int32) (then, most pressure) {
	value := s.nodes[i].v
	then = s.now
	s.d = s.d[:0]
	s.m.uses(value, func(reg int32) {
		// An instruction may read the same register twice; its last reads all
		// happen here.
		times := int32(1)
		for _, seen := range s.d {
			if seen == reg {
				times++
			}
		}
		s.d = append(s.d, reg)
		if s.left[reg] == times && !s.after.has(reg) {
			then = s.plus(then, reg, -1)
		}
	})
	s.d = s.m.defs(value, s.d[:0])
	for _, reg := range s.d {
		then = s.plus(then, reg, 1)
	}
	// The operands that die here and the results may share rows, since an
	// instruction reads before it writes.
	most = s.now.max(then)
	for _, reg := range s.d {
		// A result that nobody reads takes its register only for this
		// instruction.
		if s.left[reg] == 0 && !s.after.has(reg) {
			then = s.plus(then, reg, -1)
		}
	}
	return then, most
}
