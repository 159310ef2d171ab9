package repeat

// Machine decides whether the whole state of a machine recurs. The machine is deterministic: if its state was the same
// at an earlier time, it is so again and again, and what it runs never ends.
//
// A state is large, so it is looked at in four steps, each only if the one before found a repetition: a mark (memory
// and one warp, by hashes), a hash of the core of the state (what goes on where, and what is scheduled when), a hash of
// 128 bits of everything, and at last everything, word by word, one period later. In each, the present state is compared
// with one earlier state, which is replaced when the number of visits is a power of two, as in Loop.
//
// The caller visits at times that recur if the state does, such as each time that a certain warp is at a certain place.
type Machine struct {
	Memory Memory
	// Scan is the effort to encode a state beside that for its words; see Visit.
	Scan int

	visits, renew uint64
	stage         stage
	record        Record
	size          int // words of the last state
	core          Digest
	coreSize      int
	coreSpent     uint64 // effort at which the last core was looked at
	digest        Digest
	compared      uint64 // states compared with digest
	redigest      uint64
	at            uint64 // visit at which the state was kept that is compared word by word
	until         uint64 // the visit by which it must have recurred
	last          uint64 // visit of the state with the same digest
	spent         uint64 // effort at which the last whole state was looked at
}

type stage uint8

const (
	marked   stage = iota // only a mark is kept
	digested              // a digest is kept
	kept                  // the whole state is kept
)

// Subject is the machine that a Machine looks at.
type Subject interface {
	// Mark records a few things about the state that are compared fast: the sum of the memory above all.
	Mark()
	// Marked reports whether they are the same as when Mark was called.
	Marked() bool
	// Core adds the part of the state that is small and differs most.
	Core(r *Record)
	// Encode adds the whole state to a record, except the memory of which Changed was called. It may stop once
	// r.Differs.
	Encode(r *Record)
	// Kept is called when the state has been kept that a repetition is compared with word by word.
	Kept()
	// Read returns the word of memory at an address.
	Read(addr uint64) uint64
}

// Expect tells how many words a state has, before the first one has been looked at.
func (m *Machine) Expect(words int) { m.size = words }

// Restart forgets all states.
func (m *Machine) Restart() {
	m.visits, m.renew = 0, 1
	m.forget()
}

func (m *Machine) forget() {
	m.stage = marked
	m.Memory.Unmark()
}

// Visit looks at the machine. effort is how much the machine has done so far, in about the time that it takes to encode a word; whole states are looked at
// so seldom that it costs a small part of that. Visit reports whether the state is one that the machine has been in.
func (m *Machine) Visit(s Subject, effort uint64) bool {
	m.visits++
	if m.visits >= m.renew {
		m.renew = 2 * m.visits
		m.forget()
		s.Mark()
		m.core, m.coreSpent = m.coreOf(s), effort
		return false
	}
	if !s.Marked() {
		return false
	}
	if m.stage == kept {
		return m.confirm(s)
	}
	if effort-m.coreSpent < coreShare*uint64(m.coreSize) {
		return false
	}
	m.coreSpent = effort
	if m.coreOf(s) != m.core || effort-m.spent < share*uint64(m.Scan+m.size) {
		return false
	}
	m.spent = effort
	m.record.Hash()
	s.Encode(&m.record)
	d := m.record.Digest()
	m.size = m.record.Words()
	switch {
	case m.stage == marked:
		m.stage, m.digest, m.compared, m.redigest, m.last = digested, d, 0, 2, m.visits
	case d == m.digest:
		m.keep(s)
	default:
		if m.compared++; m.compared >= m.redigest {
			m.digest, m.redigest, m.last = d, 2*m.redigest, m.visits
		}
	}
	return false
}

func (m *Machine) coreOf(s Subject) Digest {
	m.record.Hash()
	s.Core(&m.record)
	m.coreSize = m.record.Words()
	return m.record.Digest()
}

// The inverse of the part of the effort that looking at cores and at whole states takes.
const (
	coreShare = 30
	share     = 50
)

// keep keeps the state, whose digest has recurred.
func (m *Machine) keep(s Subject) {
	m.stage, m.at, m.until = kept, m.visits, 2*m.visits-m.last
	m.renew = max(m.renew, m.until+1)
	m.record.Keep()
	s.Encode(&m.record)
	m.Memory.Mark()
	s.Kept()
}

// Period returns the number of visits from one occurrence of the state to the next, after Visit has returned true.
func (m *Machine) Period() uint64 { return m.visits - m.at }

// confirm compares with the state that is kept.
func (m *Machine) confirm(s Subject) bool {
	m.record.Compare()
	s.Encode(&m.record)
	if m.record.Same() && m.Memory.Restored(s.Read) {
		return true
	}
	if m.visits >= m.until { // the digests were the same by chance
		m.forget()
	}
	return false
}
