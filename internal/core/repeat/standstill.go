package repeat

import "github.com/weft-gpu/weft/internal/compiler/ir"

// Standstill looks for a sign that a program does not get on although no state of its machine can be shown to recur, such
// as where delays are drawn at random, a clock is read, or many warps go round with periods of their own. It proves
// nothing: it says that the program looks like a livelock.
//
// The state of the program is looked at now and then, without all that only takes time: the contents of memory; the shared
// memory of each block; and of each warp, where its lanes are, with the rows that decide what it does as long as it stays
// in the loops around it. The program stands still if each of these has come back, for long, only to states in which it
// was before. Whatever gets on shows in one of them: a loop that counts in a register, a search in the contents of memory,
// a word that is written once.
//
// A number whose digits are spread over several parts, one in the registers of each warp, is the case in which all parts
// have had all their states long before the end. Its next digit first changes at the latest when as much time again has
// passed as until all lower ones had had all values. So long counts from the time that the launch had taken before.
//
// A warp in whose loop a value matters that was computed from a clock is not compared, but for those moments at which no
// such value is alive: a wait for a time ends by itself, and one that begins again and again does not.
type Standstill struct {
	// Least is the least time for which nothing new must have been seen.
	Least uint64

	began   bool
	start   uint64 // when the launch began
	last    uint64 // when something new was seen
	at      uint64 // of the last sample
	spent   uint64
	size    int
	fresh   bool
	samples int
	seen    map[uint64]struct{}
	warps   []standing
	record  Record
	live    ir.Rows
	places  []int32
}

// standing is what is known of a warp.
type standing struct {
	repeats uint32 // samples since the last new state of anything in which it was in a known one that no clock decides
	at      uint64 // of the last sample in which there was a warp of this number
}

const (
	standstillShare = 100     // the inverse of the part of the effort that samples take
	standstillTimes = 4       // nothing new must have been seen for so many times the time before
	standstillLeast = 32      // samples of each warp
	standstillMost  = 1 << 19 // states that are remembered
	samplesPerLeast = 1 << 14 // samples in the least time
)

// Begin forgets everything: a launch begins at a time, with about so many words of state.
func (s *Standstill) Begin(now uint64, words int) {
	*s = Standstill{Least: s.Least, began: true, start: now, last: now, at: now, size: words, warps: s.warps[:0]}
}

// Began reports whether Begin was called.
func (s *Standstill) Began() bool { return s.began }

// Due reports whether the program is to be looked at; now is the time, and effort how much the machine has done so far, in
// about the time that it takes to encode a word.
func (s *Standstill) Due(now, effort uint64) bool {
	return now-s.start >= s.Least/16 && now-s.at >= s.Least/samplesPerLeast && effort-s.spent >= standstillShare*uint64(s.size)
}

// Sample begins to look at the program.
func (s *Standstill) Sample(now, effort uint64) {
	s.at, s.spent, s.fresh, s.size = now, effort, false, 0
	if s.seen == nil || len(s.seen) > standstillMost {
		s.seen, s.fresh = map[uint64]struct{}{}, true
	}
}

// Part adds the contents of a part of the state, with a number of its own.
func (s *Standstill) Part(number int, encode func(*Record)) {
	s.record.Hash()
	encode(&s.record)
	s.size += s.record.Words()
	s.note(mix(s.record.Digest()[0]+uint64(number), 0x9e3779b97f4a7c15))
}

func (s *Standstill) note(state uint64) {
	if _, ok := s.seen[state]; !ok {
		s.seen[state] = struct{}{}
		s.fresh = true
	}
}

// WarpState is a State with what it has beside its rows.
type WarpState interface {
	State
	// Local is its local memory.
	Local() []byte
}

// Warp adds the state of a warp, with a number of its own.
func (s *Standstill) Warp(number int, f *Flow, w WarpState) {
	for number >= len(s.warps) {
		s.warps = append(s.warps, standing{})
	}
	s.places = w.AppendPlaces(s.places[:0])
	c := f.cycles()
	if len(s.live) != len(c.clock) {
		s.live = make(ir.Rows, len(c.clock))
	}
	clear(s.live)
	f.mergeLive(s.live, s.places)
	s.record.Hash()
	s.record.Word(w.Position())
	s.record.Bytes(w.Local())
	clock := false
	for row := range s.live.All() {
		matters := false
		for _, pc := range s.places {
			matters = matters || int(pc) < len(c.of) && c.rows[c.of[pc]].Has(row)
		}
		if !matters {
			continue
		}
		hash, _ := w.Row(row) // a reply that is on its way is memory's, not the warp's
		s.record.Word(hash)
		clock = clock || c.clock.Has(row)
	}
	s.size += s.record.Words()
	state := mix(s.record.Digest()[0]+uint64(number), 0xbf58476d1ce4e5b9)
	at := &s.warps[number]
	at.at = s.at
	if clock {
		return
	}
	if _, known := s.seen[state]; known {
		at.repeats++
	}
	s.note(state)
}

// Stands ends the look at the program, and reports whether it stands still.
func (s *Standstill) Stands() bool {
	if s.fresh {
		s.last, s.samples = s.at, 0
		for i := range s.warps {
			s.warps[i].repeats = 0
		}
		return false
	}
	s.samples++
	for i := range s.warps {
		if w := &s.warps[i]; w.at == s.at && w.repeats < standstillLeast { // one that has ended has no state now
			return false
		}
	}
	gap := s.at - s.last
	return s.samples >= standstillLeast && gap >= s.Least && gap >= standstillTimes*(s.last-s.start)
}

// Gap returns for how long nothing new has been seen.
func (s *Standstill) Gap() uint64 { return s.at - s.last }
