package litmus

import "github.com/weft-gpu/weft/gpu"

// Shape is what the threads of a test do: Thread performs the part of one role on x and y
// and returns what it read.
type Shape interface {
	Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32)
}

// MP is message passing: the writer stores the data to x and then the flag to y; the reader
// loads the flag and then the data. Weak outcome: the reader sees the flag (1) and not the
// data (0).
type MP[M Mode] struct{}

// Thread is the writer (role 0) or the reader.
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

// SB is store buffering: each thread stores to its own word and then loads the other's.
// Weak outcome: both read 0.
type SB[M Mode] struct{}

// Thread is one of the two threads.
func (SB[M]) Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32) {
	var m M
	if role != 0 {
		x, y = y, x
	}
	m.Signal(x, 1)
	m.Between()
	return m.Await(y), 0
}

// LB is load buffering: each thread loads its own word and then stores to the other's. Weak
// outcome: both read 1.
type LB[M Mode] struct{}

// Thread is one of the two threads.
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

// IRIW is independent reads of independent writes: two threads store to one word each, two
// threads load both words in opposite order. Weak outcome: the readers disagree on the
// order of the stores.
type IRIW[M Mode] struct{}

// Thread is a writer (roles 0 and 1) or a reader.
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

// WRC is write-to-read causality: the first reader loads the data and then stores the flag;
// the second reader loads the flag and then the data. Weak outcome: the second reader sees
// the flag and not the data.
type WRC[M Mode] struct{}

// Thread is the writer, the first reader or the second reader.
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

// RWC is read-to-write causality: the first thread stores x, the second loads x and then y,
// the third stores y and then loads x. Weak outcome: the second thread sees x and not y,
// and the third does not see x.
type RWC[M Mode] struct{}

// Thread is the writer, the reader or the third thread.
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

// MPSync is message passing between two blocks of two warps each. In the first block one
// warp stores the data and, after a Sync, the other stores the flag. In the second block
// one warp loads the flag and, after a Sync, the other loads the data. Weak outcome: the
// flag (1) is seen and the data (0) is not.
type MPSync[M Mode] struct{}

// Thread is a warp of the writer's block (roles 0 and 1) or of the reader's block.
func (MPSync[M]) Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32) {
	var m M
	switch role {
	case 0:
		m.Put(x, 1)
	case 2:
		r0 = m.Await(y)
		m.Between()
	}
	t.Sync()
	switch role {
	case 1:
		m.Between()
		m.Signal(y, 1)
	case 3:
		r1 = m.Get(x)
	}
	return r0, r1
}

// LBSync is load buffering between two blocks of two warps each. In the first block one
// warp loads the data and, after a Sync, the other stores the flag. In the second block one
// warp loads the flag and, after a Sync, the other stores the data. Weak outcome: the data
// were read before they were written.
type LBSync[M Mode] struct{}

// Thread is a warp of the reader's block (roles 0 and 1) or of the writer's block.
func (LBSync[M]) Thread(t gpu.Thread, role uint32, x, y *uint32) (r0, r1 uint32) {
	var m M
	switch role {
	case 0:
		r0 = m.Get(x)
	case 2:
		r0 = m.Await(y)
		m.Between()
	}
	t.Sync()
	switch role {
	case 1:
		m.Between()
		m.Signal(y, 1)
	case 3:
		m.Put(x, 1)
	}
	return r0, r1
}

// CoRR loads one word twice while another thread stores to it. Weak outcome: the new value,
// then the old one.
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

// CoWW stores 1 and then 2 to one word, which another thread loads in between. Weak
// outcome: the word is 1 in the end.
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

// CoWR stores 1 and then loads the word, while another thread stores 2. Weak outcome: it
// reads 0.
type CoWR[M Mode] struct{}

// Thread is the thread that loads, or the other one.
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

// CoRW loads a word and then stores 1 to it, while another thread stores 2. Weak outcome:
// it reads its own 1.
type CoRW[M Mode] struct{}

// Thread is the thread that loads, or the other one.
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

// Run runs instances of a test. The first lane of each warp performs the part that cast
// assigns to the warp: part = instance*threads + role. The words x and y of instance i are
// cells[where[2*i]] and cells[where[2*i+1]].
//
// For its part a warp first reads the word beside x if bit 0 of warm is set, and the word
// beside y if bit 1 is set, so that its SM caches their lines. Then it waits for the other
// warps of its instance, waits delay cycles, and performs its role. It stores what it read
// to out[2*part] and out[2*part+1].
//
// A warp whose cast is n more than the number of parts is a bystander: it stores rounds
// times to the sector of cells[where[n]], so that the accesses of others queue there. If n
// is too large, it exits.
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
	wait := uint64(delay[part]) + uint64(seen) // the words beside x and y contain 0
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
