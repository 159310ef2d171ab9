package litmus

import "github.com/weft-gpu/weft/gpu"

// Shape is what the threads of a test do: thread role works on x and y and
// returns what it read.
type Shape interface {
	Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32)
}

// MP is message passing: data in x, then the signal in y; the reader who has
// the signal looks for the data. Weak: 1, then 0.
type MP[M Mode] struct{}

// Thread is the writer or the reader.
func (MP[M]) Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32) {
	var m M
	if role == 0 {
		m.Put(x, 1)
		m.Between()
		m.Signal(y, 1)
		return 0, 0
	}
	r0 = m.Await(y)
	m.Between()
	r1 = m.Get(x)
	return r0, r1
}

// SB is store buffering: each thread stores to its own word and reads the
// other's. Weak: both read 0.
type SB[M Mode] struct{}

// Thread is one of the two.
func (SB[M]) Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32) {
	var m M
	if role != 0 {
		x, y = y, x
	}
	m.Signal(x, 1)
	m.Between()
	return m.Await(y), 0
}

// LB is load buffering: each thread reads its own word and then stores to the
// other's. Weak: both read 1.
type LB[M Mode] struct{}

// Thread is one of the two.
func (LB[M]) Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32) {
	var m M
	if role != 0 {
		x, y = y, x
	}
	r0 = m.Await(x)
	m.Between()
	m.Signal(y, 1)
	return r0, 0
}

// IRIW is independent reads of independent writes: two write, two read both
// words in opposite order. Weak: the readers see the writes in different order.
type IRIW[M Mode] struct{}

// Thread is a writer (0 and 1) or a reader.
func (IRIW[M]) Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32) {
	var m M
	if role&1 != 0 {
		x, y = y, x
	}
	if role < 2 {
		m.Signal(x, 1)
		return 0, 0
	}
	r0 = m.Await(x)
	m.Between()
	r1 = m.Await(y)
	return r0, r1
}

// WRC is write-to-read causality: who has read the data signals, and who has that
// signal looks for the data. Weak: the second reader does not see it.
type WRC[M Mode] struct{}

// Thread is the writer, the first reader or the second.
func (WRC[M]) Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32) {
	var m M
	switch role {
	case 0:
		m.Signal(x, 1)
	case 1:
		r0 = m.Await(x)
		m.Between()
		m.Signal(y, 1)
	default:
		r0 = m.Await(y)
		m.Between()
		r1 = m.Get(x)
	}
	return r0, r1
}

// RWC is read-to-write causality: one writes x, one has seen that and looks for y,
// one writes y and looks for x. Weak: the second sees no y and the third no x.
type RWC[M Mode] struct{}

// Thread is the writer, the reader or the third.
func (RWC[M]) Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32) {
	var m M
	switch role {
	case 0:
		m.Signal(x, 1)
	case 1:
		r0 = m.Await(x)
		m.Between()
		r1 = m.Await(y)
	default:
		m.Signal(y, 1)
		m.Between()
		r0 = m.Await(x)
	}
	return r0, r1
}

// MPSync is message passing between two blocks of two warps: one writes the data
// and the other signals, one has the signal and the other reads the data, with a
// Sync between the two. Weak: 1, then 0.
type MPSync[M Mode] struct{}

// Thread is one of the writer's block (0 and 1) or of the reader's.
func (MPSync[M]) Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32) {
	var m M
	switch role {
	case 0:
		m.Put(x, 1)
		t.Sync()
	case 1:
		t.Sync()
		m.Between()
		m.Signal(y, 1)
	case 2:
		r0 = m.Await(y)
		m.Between()
		t.Sync()
	default:
		t.Sync()
		r1 = m.Get(x)
	}
	return r0, r1
}

// LBSync is load buffering between two blocks of two warps: one reads the data and
// the other signals, one has the signal and the other writes the data, with a Sync
// between the two. Weak: the data were read before they were written.
type LBSync[M Mode] struct{}

// Thread is one of the reader's block (0 and 1) or of the writer's.
func (LBSync[M]) Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32) {
	var m M
	switch role {
	case 0:
		r0 = m.Get(x)
		t.Sync()
	case 1:
		t.Sync()
		m.Between()
		m.Signal(y, 1)
	case 2:
		r0 = m.Await(y)
		m.Between()
		t.Sync()
	default:
		t.Sync()
		m.Put(x, 1)
	}
	return r0, r1
}

// CoRR reads one word twice. Weak: the new value, then the old one.
type CoRR[M Mode] struct{}

// Thread is the writer or the reader.
func (CoRR[M]) Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32) {
	var m M
	if role == 0 {
		m.Signal(x, 1)
		return 0, 0
	}
	r0 = m.Await(x)
	m.Between()
	r1 = m.Await(x)
	return r0, r1
}

// CoWW stores 1 and then 2 to one word, which another thread reads in between.
// Weak: 1 remains.
type CoWW[M Mode] struct{}

// Thread is the writer or the reader.
func (CoWW[M]) Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32) {
	var m M
	if role == 0 {
		m.Signal(x, 1)
		m.Between()
		m.Signal(x, 2)
		return 0, 0
	}
	return m.Await(x), 0
}

// CoWR stores 1 and reads, while another thread stores 2. Weak: it reads 0.
type CoWR[M Mode] struct{}

// Thread is the one that reads too, or the other.
func (CoWR[M]) Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32) {
	var m M
	if role != 0 {
		m.Signal(x, 2)
		return 0, 0
	}
	m.Signal(x, 1)
	m.Between()
	return m.Await(x), 0
}

// CoRW reads and then stores 1, while another thread stores 2. Weak: it reads
// its own 1.
type CoRW[M Mode] struct{}

// Thread is the one that reads too, or the other.
func (CoRW[M]) Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32) {
	var m M
	if role != 0 {
		m.Signal(x, 2)
		return 0, 0
	}
	r0 = m.Await(x)
	m.Between()
	m.Signal(x, 1)
	return r0, 0
}

// Run runs instances of a test. The first lane of each warp plays the part
// that cast gives it: instance times threads plus role. Words x and y of
// instance i are cells[where[2*i]] and cells[where[2*i+1]]. A thread reads
// the word beside x where bit 0 of warm is set and the one beside y where bit 1
// is, so that its SM holds their lines; meets the others of its instance; waits
// delay cycles; plays; and stores what it read to out[2*part] and the word after.
//
// A warp whose cast is n more than there are parts stands by and stores rounds
// times to the sector of cells[where[n]], so that others queue there; where n is
// too large, it leaves.
func Run[S Shape](t gpu.Thread, cells, where []uint32, threads uint32, cast, warm, delay, ready, out []uint32, rounds uint32) {
	if t.Lane() != 0 {
		return
	}
	part, parts := cast[t.Block()*(t.BlockDim()/gpu.WarpSize)+t.Warp()], gpu.Len(delay)
	if part >= parts {
		if n := part - parts; n < gpu.Len(where) {
			for r := uint32(0); r < rounds; r++ {
				gpu.Store(&cells[where[n]^2], r)
			}
		}
		return
	}
	i, role := part/threads, part%threads
	at, other := where[2*i], where[2*i+1]
	seen := uint32(0)
	if warm[part]&1 != 0 {
		seen = cells[at^1]
	}
	if warm[part]&2 != 0 {
		seen += cells[other^1]
	}
	wait := uint64(delay[part]) + uint64(seen) // the words beside hold 0
	gpu.AtomicAdd(&ready[i], 1)
	for gpu.Load(&ready[i]) < threads {
	}
	for start := t.Clock(); t.Clock()-start < wait; {
	}
	var s S
	r0, r1 := s.Thread(t, role, &cells[at], &cells[other])
	out[2*part] = r0
	out[2*part+1] = r1
}

// Entry points.
var (
	MPPlain        = Run[MP[Plain]]
	MPRelaxed      = Run[MP[Relaxed]]
	MPRelaxedBlock = Run[MP[RelaxedBlock]]
	MPFenced       = Run[MP[Fenced]]
	MPFencedBlock  = Run[MP[FencedBlock]]
	MPFencedData   = Run[MP[FencedData]]
	MPAcqRel       = Run[MP[AcqRel]]
	MPAcqRelBlock  = Run[MP[AcqRelBlock]]

	SBPlain        = Run[SB[Plain]]
	SBRelaxed      = Run[SB[Relaxed]]
	SBRelaxedBlock = Run[SB[RelaxedBlock]]
	SBFenced       = Run[SB[Fenced]]
	SBFencedBlock  = Run[SB[FencedBlock]]
	SBAcqRel       = Run[SB[AcqRel]]
	SBAcqRelBlock  = Run[SB[AcqRelBlock]]

	MPSC           = Run[MP[SC]]
	MPSCBlock      = Run[MP[SCBlock]]
	SBSC           = Run[SB[SC]]
	SBSCBlock      = Run[SB[SCBlock]]
	SBSCPlain      = Run[SB[SCPlain]]
	SBSCPlainBlock = Run[SB[SCPlainBlock]]
	LBSC           = Run[LB[SC]]
	LBSCBlock      = Run[LB[SCBlock]]
	IRIWSC         = Run[IRIW[SC]]
	IRIWSCBlock    = Run[IRIW[SCBlock]]
	WRCSC          = Run[WRC[SC]]
	WRCSCBlock     = Run[WRC[SCBlock]]
	RWCRelaxed     = Run[RWC[Relaxed]]
	RWCFenced      = Run[RWC[Fenced]]
	RWCSC          = Run[RWC[SC]]
	RWCSCBlock     = Run[RWC[SCBlock]]

	LBPlain        = Run[LB[Plain]]
	LBRelaxed      = Run[LB[Relaxed]]
	LBRelaxedBlock = Run[LB[RelaxedBlock]]
	LBFenced       = Run[LB[Fenced]]
	LBFencedBlock  = Run[LB[FencedBlock]]
	LBAcqRel       = Run[LB[AcqRel]]
	LBAcqRelBlock  = Run[LB[AcqRelBlock]]

	IRIWPlain        = Run[IRIW[Plain]]
	IRIWRelaxed      = Run[IRIW[Relaxed]]
	IRIWRelaxedBlock = Run[IRIW[RelaxedBlock]]
	IRIWFenced       = Run[IRIW[Fenced]]
	IRIWFencedBlock  = Run[IRIW[FencedBlock]]
	IRIWAcqRel       = Run[IRIW[AcqRel]]
	IRIWAcqRelBlock  = Run[IRIW[AcqRelBlock]]

	WRCPlain        = Run[WRC[Plain]]
	WRCRelaxed      = Run[WRC[Relaxed]]
	WRCRelaxedBlock = Run[WRC[RelaxedBlock]]
	WRCFenced       = Run[WRC[Fenced]]
	WRCFencedBlock  = Run[WRC[FencedBlock]]
	WRCAcqRel       = Run[WRC[AcqRel]]
	WRCAcqRelBlock  = Run[WRC[AcqRelBlock]]

	MPSyncPlain      = Run[MPSync[Plain]]
	MPSyncRelaxed    = Run[MPSync[Relaxed]]
	MPSyncFenced     = Run[MPSync[Fenced]]
	MPSyncFencedData = Run[MPSync[FencedData]]
	MPSyncAcqRel     = Run[MPSync[AcqRel]]
	LBSyncPlain      = Run[LBSync[Plain]]
	LBSyncRelaxed    = Run[LBSync[Relaxed]]
	LBSyncFenced     = Run[LBSync[Fenced]]
	LBSyncFencedData = Run[LBSync[FencedData]]
	LBSyncAcqRel     = Run[LBSync[AcqRel]]

	CoRRPlain        = Run[CoRR[Plain]]
	CoRRRelaxed      = Run[CoRR[Relaxed]]
	CoRRRelaxedBlock = Run[CoRR[RelaxedBlock]]
	CoWWPlain        = Run[CoWW[Plain]]
	CoWWRelaxed      = Run[CoWW[Relaxed]]
	CoWWRelaxedBlock = Run[CoWW[RelaxedBlock]]
	CoWRPlain        = Run[CoWR[Plain]]
	CoWRRelaxed      = Run[CoWR[Relaxed]]
	CoWRRelaxedBlock = Run[CoWR[RelaxedBlock]]
	CoRWPlain        = Run[CoRW[Plain]]
	CoRWRelaxed      = Run[CoRW[Relaxed]]
	CoRWRelaxedBlock = Run[CoRW[RelaxedBlock]]
)
