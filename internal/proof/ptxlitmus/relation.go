package ptxlitmus

import "math/bits"

// maxEvents is how many events an execution can have: a set of events is one word.
const maxEvents = 64

// set is a set of events.
type set = uint64

// all iterates over the events of a set.
func all(s set) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(bits.TrailingZeros64(s)) {
				return
			}
		}
	}
}

// relation is a relation between events: row i has the events to which i is related.
type relation [maxEvents]set

func (r *relation) add(i, j int)      { r[i] |= 1 << j }
func (r *relation) has(i, j int) bool { return r[i]>>j&1 != 0 }

// union adds the pairs of s.
func (r *relation) union(s *relation) {
	for i := range r {
		r[i] |= s[i]
	}
}

// and returns the pairs that are in both.
func (r *relation) and(s *relation) *relation {
	var t relation
	for i := range r {
		t[i] = r[i] & s[i]
	}
	return &t
}

// then returns the composition: r, and after it s.
func (r *relation) then(s *relation) *relation {
	var t relation
	for i := range r {
		for j := range all(r[i]) {
			t[i] |= s[j]
		}
	}
	return &t
}

// between returns the pairs from one set to another.
func (r *relation) between(from, to set) *relation {
	var t relation
	for i := range all(from) {
		t[i] = r[i] & to
	}
	return &t
}

// close makes the relation transitive (Warshall).
func (r *relation) close() {
	for k := range r {
		if r[k] == 0 {
			continue
		}
		for i := range r {
			if r.has(i, k) {
				r[i] |= r[k]
			}
		}
	}
}

// reflexive reports whether some event is related to itself.
func (r *relation) reflexive() bool {
	for i := range r {
		if r.has(i, i) {
			return true
		}
	}
	return false
}

// cyclic reports whether the relation has a cycle.
func (r *relation) cyclic() bool {
	t := *r
	t.close()
	return t.reflexive()
}

// meets reports whether some pair (i, j) is in r while (j, i) is in s.
func (r *relation) meets(s *relation) bool {
	for i := range r {
		for j := range all(r[i]) {
			if s.has(j, i) {
				return true
			}
		}
	}
	return false
}
