package repeat

// Memory follows the contents of a memory without looking at all of it: it is told of each word that changes.
type Memory struct {
	sum     uint64
	changes uint64
	first   map[uint64]uint64 // by address: the word before its first change since Mark; nil before Mark
}

// Changed records that the aligned 8-byte word at an address changes from old to new.
func (m *Memory) Changed(addr uint64, old, new uint64) {
	m.sum += weigh(addr, new) - weigh(addr, old)
	m.changes++
	if m.first != nil {
		if _, ok := m.first[addr]; !ok {
			m.first[addr] = old
		}
	}
}

// weigh returns what a word contributes to the sum.
func weigh(addr, v uint64) uint64 { return mix(mix(v, 0x9e3779b97f4a7c15)+addr, 0xbf58476d1ce4e5b9) }

// Sum returns a number that is the same whenever the memory has the same contents. Others give the same number by
// chance only.
func (m *Memory) Sum() uint64 { return m.sum }

// Changes returns how many words have changed so far.
func (m *Memory) Changes() uint64 { return m.changes }

// Mark makes Restored compare with the present contents.
func (m *Memory) Mark() { m.first = map[uint64]uint64{} }

// Unmark ends what Mark began.
func (m *Memory) Unmark() { m.first = nil }

// Restored reports whether all words have the values that they had when Mark was called; read returns a word.
func (m *Memory) Restored(read func(addr uint64) uint64) bool {
	for addr, v := range m.first {
		if read(addr) != v {
			return false
		}
	}
	return true
}
