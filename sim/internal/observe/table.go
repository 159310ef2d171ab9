package observe

import "github.com/weft-gpu/weft/sim/profile"

// table tracks the addresses with the most operations in bounded space (the space-saving algorithm of Metwally,
// Agrawal and El Abbadi, 2005): a new address replaces the one with the fewest operations, and inherits its count as
// an upper bound on the operations that were missed. Equal histories give equal tables.
type table struct {
	entries []profile.Address
	keys    []uint64
	queues  []queue
	weight  []uint64 // operations recorded, plus those that may have been missed
	heap    []int32  // entries, the lightest first
	place   []int32  // position of each entry in heap
	index   map[uint64]int32
}

// queue holds the operations on an address that are not done, in order.
type queue struct {
	ring    []waiting // its length is a power of two
	head    int
	n       int
	pending uint32 // operations in it
}

type waiting struct {
	done uint64 // tick
	n    uint32
}

func newTable(n int) table {
	return table{
		entries: make([]profile.Address, 0, n), keys: make([]uint64, 0, n), queues: make([]queue, 0, n), weight: make([]uint64, 0, n),
		heap: make([]int32, 0, n), place: make([]int32, 0, n), index: make(map[uint64]int32, n),
	}
}

// begin empties all queues: nothing waits between launches.
func (t *table) begin() {
	for i := range t.queues {
		q := &t.queues[i]
		q.head, q.n, q.pending = 0, 0, 0
	}
}

// find returns the entry of an address; a new entry has no buffer yet.
func (t *table) find(key uint64) (*profile.Address, int32) {
	if i, ok := t.index[key]; ok {
		return &t.entries[i], i
	}
	var i int32
	if len(t.entries) < cap(t.entries) {
		i = int32(len(t.entries))
		t.entries = append(t.entries, profile.Address{})
		t.keys = append(t.keys, key)
		t.queues = append(t.queues, queue{})
		t.weight = append(t.weight, 0)
		t.place = append(t.place, i)
		t.heap = append(t.heap, i)
		t.up(int(i))
	} else {
		i = t.heap[0]
		delete(t.index, t.keys[i])
		t.entries[i] = profile.Address{Missed: t.weight[i]}
		t.keys[i] = key
		q := &t.queues[i]
		q.head, q.n, q.pending = 0, 0, 0
	}
	t.index[key] = i
	return &t.entries[i], i
}

// grew records n more operations of an entry.
func (t *table) grew(i int32, n int) {
	t.weight[i] += uint64(n)
	for at := int(t.place[i]); ; {
		child := 2*at + 1
		if child >= len(t.heap) {
			return
		}
		if child+1 < len(t.heap) && t.lighter(child+1, child) {
			child++
		}
		if !t.lighter(child, at) {
			return
		}
		t.swap(at, child)
		at = child
	}
}

func (t *table) up(at int) {
	for at > 0 {
		parent := (at - 1) / 2
		if !t.lighter(at, parent) {
			return
		}
		t.swap(at, parent)
		at = parent
	}
}

func (t *table) lighter(a, b int) bool {
	x, y := t.heap[a], t.heap[b]
	return t.weight[x] < t.weight[y] || t.weight[x] == t.weight[y] && x < y
}

func (t *table) swap(a, b int) {
	t.heap[a], t.heap[b] = t.heap[b], t.heap[a]
	t.place[t.heap[a]], t.place[t.heap[b]] = int32(a), int32(b)
}

// arrive adds operations of lanes that are done at tick done to the queue of an entry, and returns how many operations the
// queue holds.
func (t *table) arrive(i int32, lanes int, now, done uint64) uint32 {
	line := &t.queues[i]
	for line.n > 0 && line.ring[line.head].done <= now {
		line.pending -= line.ring[line.head].n
		line.head = (line.head + 1) & (len(line.ring) - 1)
		line.n--
	}
	if line.n == len(line.ring) {
		line.grow()
	}
	line.ring[(line.head+line.n)&(len(line.ring)-1)] = waiting{done, uint32(lanes)}
	line.n++
	line.pending += uint32(lanes)
	return line.pending
}

// grow doubles the ring; it never needs more entries than the machine has warps.
func (q *queue) grow() {
	ring := make([]waiting, max(2*len(q.ring), 4))
	for k := range q.n {
		ring[k] = q.ring[(q.head+k)&(len(q.ring)-1)]
	}
	q.ring, q.head = ring, 0
}
