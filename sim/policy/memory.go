package policy

import "slices"

// moduloHash assigns consecutive chunks to the slots in turn.
type moduloHash struct{}

// Slot returns the chunk's number modulo n.
func (moduloHash) Slot(chunk uint64, n int) int { return int(chunk % uint64(n)) }

// fifo evicts the line that has been in the set for the longest time.
type fifo struct {
	next []int // by set: the way to evict next
	ways int
}

// Reset makes every set start at way 0.
func (f *fifo) Reset(sets, ways int) {
	f.next = slices.Grow(f.next[:0], sets)[:sets]
	clear(f.next)
	f.ways = ways
}

// Used does nothing: only the order in which lines were filled counts.
func (f *fifo) Used(int, int, bool) {}

// Victim returns the way after the last one evicted.
func (f *fifo) Victim(set int) int {
	way := f.next[set]
	f.next[set] = (way + 1) % f.ways
	return way
}
