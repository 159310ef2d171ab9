package lock

import "github.com/weft-gpu/weft/gpu"

// Role says which blocks of Exchange produce.
type Role interface {
	// Part returns the pair to which the block belongs, and whether it produces.
	Part(t gpu.Thread, arrived *uint32) (pair uint32, produces bool)
}

// ConsumersFirst has the consumers in the first half of the grid. A machine starts blocks in
// the order of their numbers, so consumers may fill it, and no producer ever starts.
type ConsumersFirst struct{}

// Part depends on the number of the block.
func (ConsumersFirst) Part(t gpu.Thread, _ *uint32) (pair uint32, produces bool) {
	pairs := t.GridDim() / 2
	return t.Block() % pairs, t.Block() >= pairs
}

// ProducersFirst has the producers in the first half of the grid. They fill their rings, and
// then wait for consumers.
type ProducersFirst struct{}

// Part depends on the number of the block.
func (ProducersFirst) Part(t gpu.Thread, _ *uint32) (pair uint32, produces bool) {
	pairs := t.GridDim() / 2
	return t.Block() % pairs, t.Block() < pairs
}

// InOrderOfArrival gives the roles to blocks as they start, by a counter: the two blocks of a
// pair start one after the other, whatever their numbers are, so at most one block waits for
// one that has not started.
type InOrderOfArrival struct{}

// Part depends on how many blocks have started before.
func (InOrderOfArrival) Part(_ gpu.Thread, arrived *uint32) (pair uint32, produces bool) {
	n := gpu.AtomicAdd(arrived, 1)
	return n / 2, n%2 == 0
}

// ring is a bounded buffer of one producer and one consumer (Lamport, "Specifying Concurrent
// Program Modules", ACM TOPLAS 1983).
type ring struct {
	slots       []uint32
	made, taken *uint32 // how many items were put in and taken out
}

// put waits for a free slot and stores an item, which is number i.
func (r ring) put(i, item uint32) {
	for i-gpu.LoadAcquire(r.taken) >= gpu.Len(r.slots) {
	}
	gpu.Store(&r.slots[i%gpu.Len(r.slots)], item)
	gpu.StoreRelease(r.made, i+1)
}

// take waits for item number i.
func (r ring) take(i uint32) uint32 {
	for gpu.LoadAcquire(r.made) <= i {
	}
	item := gpu.Load(&r.slots[i%gpu.Len(r.slots)])
	gpu.StoreRelease(r.taken, i+1)
	return item
}

// Exchange pairs the blocks of a grid. The producer of a pair passes the numbers 1 to items to
// the consumer through a ring of the given capacity, and the consumer stores their sum to
// sums[pair]. rings has the slots of all pairs, ends two words for each pair.
func Exchange[R Role](t gpu.Thread, rings []uint32, capacity uint32, ends []uint32, arrived *uint32, items uint32, sums []uint32) {
	if t.Idx() != 0 {
		return
	}
	var role R
	pair, produces := role.Part(t, arrived)
	r := ring{rings[pair*capacity : (pair+1)*capacity], &ends[2*pair], &ends[2*pair+1]}
	if produces {
		for i := range items {
			r.put(i, i+1)
		}
		return
	}
	sum := uint32(0)
	for i := range items {
		sum += r.take(i)
	}
	gpu.Store(&sums[pair], sum)
}

// The kernels of Exchange.
var (
	ExchangeConsumersFirst = Exchange[ConsumersFirst]
	ExchangeProducersFirst = Exchange[ProducersFirst]
	ExchangeByArrival      = Exchange[InOrderOfArrival]
)
