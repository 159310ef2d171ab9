package policy

import "slices"

// moduloHash deals consecutive chunks to the slots in turn.
type moduloHash struct{}

// Slot is the chunk's number modulo n.
func (moduloHash) Slot(chunk uint64, n int) int { return int(chunk % uint64(n)) }

// fifo replaces the line that has been there longest.
type fifo struct {
	next []int // by set: the way to replace next
	ways int
}

// Reset starts every set at way 0.
func (f *fifo) Reset(sets, ways int) {
	f.next = slices.Grow(f.next[:0], sets)[:sets]
	clear(f.next)
	f.ways = ways
}

// Used does nothing: only the order of arrival counts.
func (f *fifo) Used(int, int, bool) {}

// Victim is the way after the last one replaced.
func (f *fifo) Victim(set int) int {
	way := f.next[set]
	f.next[set] = (way + 1) % f.ways
	return way
}
