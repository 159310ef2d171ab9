package opt

// bitset is a set of small non-negative integers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

// newBitsets returns count sets for numbers below n, in one allocation.
func newBitsets(count, n int) []bitset {
	w := (n + 63) / 64
	room := make(bitset, count*w)
	sets := make([]bitset, count)
	for i := range sets {
		sets[i] = room[i*w : (i+1)*w : (i+1)*w]
	}
	return sets
}

func (s bitset) has(i int32) bool { return s[i>>6]&(1<<(i&63)) != 0 }
func (s bitset) add(i int32)      { s[i>>6] |= 1 << (i & 63) }
func (s bitset) remove(i int32)   { s[i>>6] &^= 1 << (i & 63) }

func (s bitset) union(t bitset) {
	for i, w := range t {
		s[i] |= w
	}
}

func (s bitset) equal(t bitset) bool {
	for i, w := range t {
		if s[i] != w {
			return false
		}
	}
	return true
}

// liveSet is a set of registers. Clearing it and iterating over it take time
// proportional to its size, not to the number of registers of the kernel.
type liveSet struct {
	list []int32
	at   []int32 // by register: index in list, or -1
}

func newLiveSet(n int) *liveSet { return &liveSet{at: index(n)} }

func (s *liveSet) has(r int32) bool { return s.at[r] >= 0 }

// add adds reg and reports whether it was not in the set before.
func (s *liveSet) add(reg int32) bool {
	if s.at[reg] >= 0 {
		return false
	}
	s.at[reg] = int32(len(s.list))
	s.list = append(s.list, reg)
	return true
}

func (s *liveSet) remove(reg int32) {
	i := s.at[reg]
	if i < 0 {
		return
	}
	last := s.list[len(s.list)-1]
	s.list[i], s.at[last] = last, i
	s.list, s.at[reg] = s.list[:len(s.list)-1], -1
}

// set replaces the contents of the set by list.
func (s *liveSet) set(list []int32) {
	for _, r := range s.list {
		s.at[r] = -1
	}
	s.list = s.list[:0]
	for _, r := range list {
		s.add(r)
	}
}
