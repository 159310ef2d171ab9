package cluster

// MaxBlocks is the largest number of blocks in a cluster: 8 on every GPU that has clusters, and 16 where the kernel asks for it (CUDA
// C++ Programming Guide, "Thread Block Clusters").
const MaxBlocks = 16

// Barrier is the barrier of a cluster: a place for each warp of its blocks.
type Barrier []place

// place is where a warp is in a round.
type place uint8

const (
	away    place = iota // it has not come
	arrived              // it has come, others have not
	passes               // all have come, and it has not waited yet
)

// Start begins with no arrivals, for so many warps. It reuses b's memory.
func (b *Barrier) Start(warps int) {
	if cap(*b) < warps {
		*b = make(Barrier, warps)
	}
	*b = (*b)[:warps]
	clear(*b)
}

// Arrive counts a warp. It returns what is undefined of that in PTX; then nothing changes.
func (b Barrier) Arrive(warp int) (misuse string) {
	if b[warp] != away {
		return "the warp has not waited since it arrived at the barrier of the cluster before"
	}
	b[warp] = arrived
	return ""
}

// Wait reports whether a warp that waits goes on; if not, it is to ask again when the barrier has opened.
func (b Barrier) Wait(warp int) (goes bool, misuse string) {
	switch b[warp] {
	case away:
		return false, "the warp has not arrived at the barrier of the cluster"
	case passes:
		b[warp] = away
		return true, ""
	}
	return false, ""
}

// Open opens the barrier if all warps have come that have threads left, and one has; whether one has threads left, left says. Those
// that have left are not waited for (PTX ISA, barrier.cluster: "all non-exited threads").
func (b Barrier) Open(left func(warp int) bool) bool {
	any := false
	for warp, at := range b {
		switch {
		case !left(warp):
		case at != arrived:
			return false
		default:
			any = true
		}
	}
	if !any {
		return false
	}
	for warp, at := range b {
		if at == arrived {
			b[warp] = passes
		}
	}
	return true
}

// Arrived reports whether a warp has come in a round that is not complete.
func (b Barrier) Arrived(warp int) bool { return b[warp] == arrived }

// Append appends where so many warps are, from one on, as one byte each.
func (b Barrier) Append(state []byte, first, warps int) []byte {
	for _, at := range b[first : first+warps] {
		state = append(state, byte(at))
	}
	return state
}

// Restore puts warps, from one on, where Append found them. It returns what follows them in the text.
func (b Barrier) Restore(text string, first, warps int) (rest string) {
	for i := range warps {
		b[first+i] = place(text[i])
	}
	return text[warps:]
}
