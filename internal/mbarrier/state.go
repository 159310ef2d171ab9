package mbarrier

import "fmt"

// State is an mbarrier object:
//
//	bits  0..19         arrivals that are still missing in the current phase
//	bits 20..30, 32..40 MaxCount less the arrivals that a phase takes, so that no memory is an mbarrier by a few bits alone
//	bits 41..61         bytes that copies still have to bring in the current phase, a signed number (the tx-count)
//	bits 31, 62         0 and 1 for a valid object; both are 1, or bit 31 is, in memory that was not written yet
//	bit  63             the parity of the current phase
type State uint64

// The limits of PTX: counts are 1 to MaxCount, and the tx-count is -MaxBytes to MaxBytes (PTX ISA, "Contents of the mbarrier
// object").
const (
	MaxCount = 1<<20 - 1
	MaxBytes = 1<<20 - 1
)

const (
	pendingMask = 1<<20 - 1
	lowShift    = 20
	lowMask     = 1<<11 - 1
	highShift   = 32
	highMask    = 1<<9 - 1
	countMask   = lowMask<<lowShift | highMask<<highShift
	txShift     = 41
	txBits      = 21
	zero        = 1 << 31
	mark        = 1 << 62
	// PhaseShift is the bit that is the parity of the current phase.
	PhaseShift = 63
)

// Pending returns how many arrivals the current phase still waits for.
func (s State) Pending() int { return int(s & pendingMask) }

// Count returns how many arrivals a phase takes; 0 if all have dropped out.
func (s State) Count() int { return MaxCount - int(s>>lowShift&lowMask|s>>highShift&highMask<<11) }

// taking returns the object for phases of count arrivals, from the next one on.
func (s State) taking(count int) State {
	left := State(MaxCount - count)
	return s&^countMask | left&lowMask<<lowShift | left>>11<<highShift
}

// Bytes returns how many bytes copies still have to bring in the current phase; it is negative if more have come than were
// expected so far.
func (s State) Bytes() int { return int(int64(s<<(64-txShift-txBits)) >> (64 - txBits)) }

// Parity returns the parity of the current phase: 0 for the first one.
func (s State) Parity() uint32 { return uint32(s >> PhaseShift) }

// Valid reports whether the word is an mbarrier: initialised and not invalidated since. A phase that misses nothing is one at an mbarrier
// from which all have dropped out.
func (s State) Valid() bool {
	return s&(mark|zero) == mark && (s.Pending() > 0 || s.Bytes() != 0 || s.Count() == 0)
}

// with returns the object with other numbers; it goes on to the next phase if the current one is complete.
func (s State) with(pending, bytes int) State {
	parity := s >> PhaseShift
	if pending == 0 && bytes == 0 {
		pending, parity = s.Count(), parity^1
	}
	return parity<<PhaseShift | mark | State(bytes)<<(64-txBits)>>(64-txBits-txShift) | s&countMask | State(pending)
}

// Init returns a new object for phases of count arrivals. Like the functions below it also says what PTX leaves undefined; the
// word is then unchanged.
func (s State) Init(count uint64) (State, string) {
	switch {
	case s.Valid():
		return s, "init of an mbarrier that is in use: Inval must come first, when no thread waits at it any more"
	case count == 0 || count > MaxCount:
		return s, fmt.Sprintf("init of an mbarrier for %d arrivals; want 1 to %d", count, MaxCount)
	}
	return State(mark | count).taking(int(count)), ""
}

// Inval makes the word an ordinary one.
func (s State) Inval() (State, string) {
	if !s.Valid() {
		return s, s.invalid("inval")
	}
	return 0, ""
}

// Arrive counts n arrivals.
func (s State) Arrive(n uint64) (State, string) {
	switch {
	case !s.Valid():
		return s, s.invalid("arrival")
	case n == 0:
		return s, "an arrival that counts as 0 at an mbarrier"
	case n > uint64(s.Pending()):
		return s, fmt.Sprintf("%d more arrivals at an mbarrier whose phase waits for %d of %d, and for %d bytes", n, s.Pending(), s.Count(), s.Bytes())
	}
	return s.with(s.Pending()-int(n), s.Bytes()), ""
}

// Drop takes n arrivals off all later phases, and counts them in this one.
func (s State) Drop(n uint64) (State, string) {
	if s.Valid() && n > uint64(s.Count()) {
		return s, fmt.Sprintf("%d more drop out of an mbarrier whose phases take %d arrivals", n, s.Count())
	}
	if _, why := s.Arrive(n); why != "" {
		return s, why
	}
	return s.taking(s.Count() - int(n)).Arrive(n)
}

// ArrivePart counts n arrivals that must not complete the phase.
func (s State) ArrivePart(n uint64) (State, string) { return s.part(s.Arrive(n)) }

// DropPart is Drop of arrivals that must not complete the phase.
func (s State) DropPart(n uint64) (State, string) { return s.part(s.Drop(n)) }

func (s State) part(next State, why string) (State, string) {
	if why == "" && next.Parity() != s.Parity() {
		return s, "an arrival without completion (.noComplete) that completes the phase of an mbarrier"
	}
	return next, why
}

// Track makes the current phase wait for one arrival more: that of copies, when they have landed.
func (s State) Track() (State, string) {
	switch {
	case !s.Valid():
		return s, s.Tracked()
	case s.Pending() == MaxCount:
		return s, fmt.Sprintf("one arrival more for a phase of an mbarrier that waits for %d; the most is %d", s.Pending(), MaxCount)
	}
	return s.with(s.Pending()+1, s.Bytes()), ""
}

// Tracked says whether an arrival of copies may be announced.
func (s State) Tracked() string {
	if !s.Valid() {
		return s.invalid("an arrival of copies")
	}
	return ""
}

// Expect makes the current phase wait for more bytes.
func (s State) Expect(bytes uint64) (State, string) {
	switch {
	case !s.Valid():
		return s, s.invalid("expect_tx")
	case bytes > MaxBytes || s.Bytes()+int(bytes) > MaxBytes:
		return s, fmt.Sprintf("expect_tx of %d bytes at an mbarrier that expects %d; the most is %d", bytes, s.Bytes(), MaxBytes)
	}
	return s.with(s.Pending(), s.Bytes()+int(bytes)), ""
}

// Complete counts bytes that a copy has brought.
func (s State) Complete(bytes uint64) (State, string) {
	switch {
	case !s.Valid():
		return s, s.invalid("the end of a copy")
	case bytes > MaxBytes || s.Bytes()-int(bytes) < -MaxBytes:
		return s, fmt.Sprintf("a copy of %d bytes at an mbarrier that expects %d; the most beyond is %d", bytes, s.Bytes(), MaxBytes)
	}
	return s.with(s.Pending(), s.Bytes()-int(bytes)), ""
}

// ArriveExpect is Expect and then an arrival.
func (s State) ArriveExpect(bytes uint64) (State, string) { return s.expecting(bytes, State.Arrive) }

// DropExpect is Expect and then Drop of one arrival.
func (s State) DropExpect(bytes uint64) (State, string) { return s.expecting(bytes, State.Drop) }

func (s State) expecting(bytes uint64, arrive func(State, uint64) (State, string)) (State, string) {
	// The arrival alone must not complete the phase that the bytes belong to.
	if s.Valid() && s.Pending() == 0 {
		return arrive(s, 1)
	}
	next, why := s.Expect(bytes)
	if why != "" {
		return s, why
	}
	if next, why = arrive(next, 1); why != "" {
		return s, why
	}
	return next, ""
}

// Wait says whether a wait is allowed.
func (s State) Wait() string {
	if !s.Valid() {
		return s.invalid("a wait")
	}
	return ""
}

func (s State) invalid(what string) string {
	return what + " at an mbarrier that is not initialised, or was invalidated"
}
