package testkernels

import "github.com/weft-gpu/weft/gpu"

// CopyStages copies words, pairs and quads by asynchronous copies in three groups, waits for one group after the other, and writes
// for each thread what its neighbour copied. What the thread found before the wait is not used.
func CopyStages(t gpu.Thread, words []uint32, pairs [][2]uint32, quads [][4]uint32, out []uint32) {
	w := gpu.Shared[[64]uint32](t)
	p := gpu.Shared[[64][2]uint32](t)
	q := gpu.Shared[[64][4]uint32](t)
	i, next, n := t.Idx(), (t.Idx()+1)%t.BlockDim(), t.BlockDim()
	gpu.CopyAsync(&w[i], &words[t.Global()])
	t.CommitCopies()
	gpu.CopyAsync(&p[i], &pairs[t.Global()])
	t.CommitCopies()
	gpu.CopyAsync(&q[i], &quads[t.Global()])
	t.CommitCopies()
	to := t.Block() * n * 7
	t.WaitCopies(2)
	t.Sync()
	out[to+i] = w[next]
	t.WaitCopies(1)
	t.Sync()
	out[to+n+2*i], out[to+n+2*i+1] = p[next][0], p[next][1]
	t.WaitCopies(0)
	t.Sync()
	for k := range uint32(4) {
		out[to+3*n+4*i+k] = q[next][k]
	}
}

// CopyRing lets the first warp copy rounds of words to a ring of two buffers, and the others add what they find there. The barrier
// that says that a buffer is full waits for the copies: as arrivals of its own, or, if tracked is not 0, beside those of the threads.
func CopyRing(t gpu.Thread, words []uint32, rounds, tracked uint32, out []uint32) {
	ring := gpu.Shared[[2][32]uint32](t)
	full := gpu.Shared[[2]gpu.MBarrier](t)
	free := gpu.Shared[[2]gpu.MBarrier](t)
	if t.Idx() == 0 {
		for i := range full {
			full[i].Init(32)
			free[i].Init(t.BlockDim() - 32)
		}
	}
	t.Sync()
	sum := uint32(0)
	for r := range rounds {
		i, parity := r&1, r>>1&1
		if t.Warp() == 0 {
			for !free[i].TestWaitParity(parity ^ 1) {
			}
			gpu.CopyAsync(&ring[i][t.Lane()], &words[r*32+t.Lane()])
			if tracked != 0 {
				full[i].TrackCopies()
				full[i].Arrive()
			} else {
				full[i].ArriveCopied()
			}
		} else {
			for !full[i].TestWaitParity(parity) {
			}
			sum += ring[i][t.Lane()]
			free[i].Arrive()
		}
	}
	out[t.Global()] = sum
}

// CopyDiverged copies in some lanes of a warp, in another order and in groups of other sizes than in the others.
func CopyDiverged(t gpu.Thread, words, out []uint32) {
	w := gpu.Shared[[2][64]uint32](t)
	i := t.Idx()
	w[0][i], w[1][i] = 0, 0
	if i%3 == 0 {
		gpu.CopyAsync(&w[0][i], &words[i])
		t.CommitCopies()
		gpu.CopyAsync(&w[1][i], &words[i+1])
		t.CommitCopies()
		t.CommitCopies()
		t.WaitCopies(1)
	} else if i%3 == 1 {
		gpu.CopyAsync(&w[1][i], &words[i+2])
		t.WaitAllCopies()
	}
	out[2*i], out[2*i+1] = w[0][i], w[1][i]
}

// CopyMisuse does what PTX leaves undefined, by number.
func CopyMisuse(t gpu.Thread, what uint32, words, out []uint32) {
	w := gpu.Shared[[64]uint32](t)
	b := gpu.Shared[gpu.MBarrier](t)
	i := t.Idx()
	w[i] = 7
	if i == 0 {
		b.Init(1)
	}
	t.Sync()
	gpu.CopyAsync(&w[i], &words[i])
	t.CommitCopies()
	sum := uint32(0)
	switch what {
	case 0:
		sum = w[i^1] // read too early
	case 1:
		w[i] = 8 // written too early
	case 2:
		words[i] = 9 // its source written too early
	case 3:
		gpu.CopyAsync(&w[i^1], &words[i]) // copied to twice
	case 4:
		gpu.AtomicAdd(&w[i], 1) // updated too early
	case 5:
		gpu.CopyAsync(&w[i&31], &words[i+4096]) // out of range
	case 6:
		gpu.CopyAsync(&w[i+4096], &words[i]) // to where nothing is
	case 7:
		if i == 0 {
			b.ArriveCopied()
			b.Inval() // while copies are going to arrive
			t.WaitAllCopies()
		}
	}
	t.WaitAllCopies()
	out[i] = sum + w[i]
}

// CopyTimes writes how many cycles a copy takes, from before its issue until the thread knows that it has landed: of a quad that is
// nowhere yet, of the same quad again, and the same of a word.
func CopyTimes(t gpu.Thread, words []uint32, quads [][4]uint32, out []uint64) {
	w := gpu.Shared[[32]uint32](t)
	q := gpu.Shared[[32][4]uint32](t)
	i := t.Lane()
	for k := range 2 {
		from := t.Clock()
		gpu.CopyAsync(&q[i], &quads[i])
		t.WaitAllCopies()
		out[k] = t.Clock() - from
	}
	for k := range 2 {
		from := t.Clock()
		gpu.CopyAsync(&w[i], &words[i])
		t.WaitAllCopies()
		out[2+k] = t.Clock() - from
	}
}

// CopyAhead begins two copies in groups of their own, of which the second one is of much data that is nowhere yet, and writes how many
// cycles it takes until the first one has landed, and until both have.
func CopyAhead(t gpu.Thread, near, far []uint32, out []uint64) {
	w := gpu.Shared[[2][32]uint32](t)
	i := t.Lane()
	gpu.CopyAsync(&w[0][i], &near[i])
	t.WaitAllCopies() // now it is in L1
	from := t.Clock()
	gpu.CopyAsync(&w[0][i], &near[i])
	t.CommitCopies()
	gpu.CopyAsync(&w[1][i], &far[i*1024])
	t.CommitCopies()
	t.WaitCopies(1)
	first := t.Clock()
	t.WaitCopies(0)
	out[0], out[1] = first-from, t.Clock()-from
}
