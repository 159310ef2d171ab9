package policy

// Stateful is implemented by policies whose state can be compared. If all policies of a machine implement it, the
// simulator can find out that the whole state of the machine recurs, and that a kernel never ends; see
// device.Livelock. A policy that draws random numbers does not implement it: its generator never returns to an earlier
// state.
type Stateful interface {
	// AppendState appends everything that determines what the policy does from now on, besides the arguments of its
	// methods, and returns the extended slice.
	AppendState(to []uint64) []uint64
}

// AppendState appends the slot that issued last.
func (g *greedyThenOldest) AppendState(to []uint64) []uint64 { return append(to, uint64(g.last)) }

// AppendState appends the slot that is next.
func (r *looseRoundRobin) AppendState(to []uint64) []uint64 { return append(to, uint64(r.next)) }

// AppendState appends nothing.
func (oldestFirst) AppendState(to []uint64) []uint64 { return to }

// AppendState appends nothing.
func (moduloHash) AppendState(to []uint64) []uint64 { return to }

// AppendState appends the way of each set that is evicted next.
func (f *fifo) AppendState(to []uint64) []uint64 {
	for _, way := range f.next {
		to = append(to, uint64(way))
	}
	return to
}
