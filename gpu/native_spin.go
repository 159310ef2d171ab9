package gpu

import "math/bits"

// A launch is given up if all threads repeat themselves. What a thread has in variables of
// its own is hidden in Go's stack, so that a thread counts as repeating itself if its
// operations do: the same ones at the same addresses with the same values. A thread that
// reads one word after another, such as the arcs of a vertex, makes progress, also if no
// value changes. A loop that counts how often it reads the same word cannot be told from
// one that waits for it, so that no launch is given up before it did patience operations.
const (
	patience = 1 << 21 // about half a second
	// longPatience is for operations that repeat neither themselves nor change anything.
	longPatience = 1 << 28 // about a minute
)

// spin finds whether the operations of a thread repeat themselves. It cuts them into windows:
// each begins with the same operation after the same ones before. If a window has the same
// operations as the one before it, the thread repeats itself.
type spin struct {
	before  uint64 // the last operations, a byte each
	mark    uint64 // before, where windows begin
	window  uint64 // hash of the operations of this window
	last    uint64 // hash of the window before
	length  uint32 // of this window, in operations
	lastLen uint32
	since   uint32 // operations since the mark was chosen
	limit   uint32 // operations without a repetition after which another mark is chosen
	repeats bool
}

// observe takes the next operation into account. value is what it read or left.
func (s *spin) observe(address uintptr, value uint64) {
	// Each bit depends on every other: neighbouring words must not have similar hashes.
	op := (uint64(address) ^ bits.RotateLeft64(value, 32)) * 0x9e3779b97f4a7c15
	op = (op ^ op>>32) * 0x94d049bb133111eb
	op ^= op >> 29
	s.before = s.before<<8 | op>>56
	s.window = (s.window ^ op) * 0xbf58476d1ce4e5b9
	s.length++
	s.since++
	if s.before == s.mark {
		if s.repeats = s.window == s.last && s.length == s.lastLen; s.repeats {
			s.since = 0
		}
		s.last, s.lastLen = s.window, s.length
		s.window, s.length = 0, 0
	} else if s.length > s.lastLen {
		s.repeats = false
	}
	if s.since > s.limit {
		s.limit = 2*s.limit + 62 // even, so that marks are odd numbers apart and move within a period
		s.mark, s.since, s.repeats = s.before, 0, false
		s.window, s.length, s.last, s.lastLen = 0, 0, 0, 0
	}
}

// observe records an operation of the thread. While operations do not repeat themselves, the
// launch makes progress. Nothing needs to be known, and no time is spent, while values change.
func (th *thread) observe(address uintptr, value uint64) {
	if th.l.unchanged.rounds < th.l.rounds/2 {
		return
	}
	th.spin.observe(address, value)
	if !th.spin.repeats {
		th.l.fresh = true
	}
}

// idle counts rounds without progress, and the operations in them.
type idle struct{ rounds, steps int }

// count adds a round; it starts again if there was progress.
func (i *idle) count(progress bool, steps int) {
	if progress {
		*i = idle{}
		return
	}
	i.rounds++
	i.steps += steps
}

// stands counts a round of so many steps, and reports whether the launch is to be given up, with the number
// of rounds without progress.
func (l *launch) stands(steps int) (rounds int, giveUp bool) {
	l.still.count(l.changed || l.passed || l.fresh, steps)
	l.unchanged.count(l.changed, steps)
	patient, long := patience, longPatience
	if l.exact {
		patient, long = 0, 0
	}
	switch {
	case l.still.rounds >= l.rounds && l.still.steps >= patient:
		return l.still.rounds, true
	case l.unchanged.rounds >= l.rounds*barrierRounds && (l.unchanged.steps >= long || !l.fresh && l.unchanged.steps >= patient):
		return l.unchanged.rounds, true
	}
	return 0, false
}
