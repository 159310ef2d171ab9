package repeat

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// State is the state of a warp at a loop head.
type State interface {
	// Position returns a hash of the positions of all its lanes.
	Position() uint64
	// AppendPlaces appends the instructions that the lanes execute next: those in place, and the others.
	AppendPlaces(to []int32) []int32
	// Row returns a hash of a row (see Flow), or of the request whose reply will fill it. It is false if the value is
	// not known: a reply is on its way to a request that was made before the search began.
	Row(i int) (hash uint64, ok bool)
}

// Loop searches for a repetition in the states that a warp has at loop heads, while nothing changes that it reads. Each
// state is compared with one kept state. That is replaced when the number of visits is a power of two, so that periods
// of any length are found (R. P. Brent, An improved Monte Carlo factorization algorithm, BIT 20, 1980, section 2).
//
// Only registers are compared that a lane may read before it writes them, and of these only those that decide what the warp
// does; see Flow.
//
// The zero Loop is ready for use. It allocates memory when it keeps its first state.
type Loop struct {
	visits, renew uint64
	kept          bool
	grew          bool // an instruction has been executed for the first time since the relevant rows were determined
	clock         bool // a clock feeds a relevant row
	witness       int32
	position      uint64
	rows          []uint64 // hashes of the kept rows that are live; unknown for one that was not known
	live          ir.Rows  // rows that a lane may read before it writes them
	rel           []bool
	flow          *Flow // for which rel was determined, with the instructions relFor
	relFor        []uint64
	list          []uint16 // the live rows of rel
	executed      []uint64 // since the state was kept: a bit for each group of instructions
	places        []int32  // scratch
}

const unknown = 0

// Reset forgets everything: something has changed.
func (l *Loop) Reset() { l.visits, l.renew, l.kept, l.witness = 0, 2, false, -1 }

// Searching reports whether a state is kept, so that calls of Executed count.
func (l *Loop) Searching() bool { return l.kept }

// Executed records that the warp executes the instruction at pc.
func (l *Loop) Executed(f *Flow, pc int32) {
	if !l.kept {
		return
	}
	g := uint32(pc) >> f.shift
	if w := &l.executed[g>>6]; *w>>(g&63)&1 == 0 {
		*w |= 1 << (g & 63)
		l.grew = true
	}
}

// Visit compares the state of the warp at a loop head with the kept one. same reports that they agree in all that
// decides what the warp does, and that no clock does; kept that the state replaces the kept one.
func (l *Loop) Visit(f *Flow, s State) (same, kept bool) {
	l.visits++
	if l.kept && l.same(f, s) {
		return true, false
	}
	if l.visits < l.renew {
		return false, false
	}
	l.keep(f, s)
	return false, true
}

func (l *Loop) same(f *Flow, s State) bool {
	if s.Position() != l.position {
		return false
	}
	if l.grew {
		l.grew = false
		if !slices.Equal(l.executed, l.relFor) {
			copy(l.relFor, l.executed)
			l.clock = f.relevant(l.executed, l.rel)
		}
		l.list = l.list[:0]
		for i := range l.live.All() {
			if l.rel[i] {
				l.list = append(l.list, uint16(i))
			}
		}
	}
	if l.clock {
		return false
	}
	// In a loop that counts, the row that differed last time differs again.
	if l.witness >= 0 && l.rel[l.witness] && l.live.Has(int(l.witness)) && !l.sameRow(s, int(l.witness)) {
		return false
	}
	for _, i := range l.list {
		if !l.sameRow(s, int(i)) {
			l.witness = int32(i)
			return false
		}
	}
	return true
}

func (l *Loop) sameRow(s State, i int) bool {
	h, ok := s.Row(i)
	return ok && h == l.rows[i] && h != unknown
}

func (l *Loop) keep(f *Flow, s State) {
	l.renew = 2 * l.visits
	if l.rows == nil || len(l.rows) != f.rows || len(l.executed) != words(f) {
		l.rows, l.rel, l.live = make([]uint64, f.rows), make([]bool, f.rows), make(ir.Rows, (f.rows+63)/64)
		l.executed, l.relFor = make([]uint64, words(f)), make([]uint64, words(f))
	}
	if l.flow != f {
		clear(l.relFor)
		clear(l.rel)
		l.flow, l.clock = f, false
	}
	clear(l.executed)
	l.kept, l.grew, l.position = true, true, s.Position()
	l.places = s.AppendPlaces(l.places[:0])
	clear(l.live)
	f.mergeLive(l.live, l.places)
	for i := range l.live.All() {
		h, ok := s.Row(i)
		if !ok {
			h = unknown
		}
		l.rows[i] = h
	}
}

// Encode adds everything that determines what Visit will find.
func (l *Loop) Encode(r *Record) {
	r.Word(l.visits)
	r.Word(l.renew)
	r.Bool(l.kept)
	if !l.kept {
		return
	}
	r.Word(l.position)
	for i := range l.live.All() {
		r.Word(l.rows[i])
	}
	for _, word := range l.executed {
		r.Word(word)
	}
}

// words returns how many words the record of executed instructions takes.
func words(f *Flow) int { return (len(f.insts)>>f.shift + 64) / 64 }
