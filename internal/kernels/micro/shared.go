package micro

import "github.com/weft-gpu/weft/gpu"

// The accesses of SharedAccess.
const (
	SharedLoad      uint32 = iota // 4 bytes a lane
	SharedLoad8                   // 8 bytes
	SharedLoad16                  // 16 bytes
	SharedAddOne                  // atomic add of 1, no result
	SharedAdd                     // atomic add of a number of each lane, no result
	SharedAddResult               // the same, with result
	SharedMin                     // atomic minimum, no result
	SharedCAS                     // compare and swap
	SharedExch8                   // 8 bytes
	SharedCAS8                    // 8 bytes
	SharedAdd8                    // atomic add of 8 bytes, no result
	SharedAddFloat                // atomic add of float32, no result
	NumSharedAccesses
)

// sharedWords is the size of the arrays of SharedAccess: 32 rows of all banks.
const sharedWords = 1024

// SharedAccess makes steps accesses of one kind, which is bound at compile time, from every lane of a block: lane l to
// word at[l] of shared memory, which is a multiple of the width. Loads are chains: every element holds its own index.
func SharedAccess(t gpu.Thread, access uint32, at []uint32, steps uint32, cycles []uint64, end []uint32) {
	words := gpu.Shared[[sharedWords]uint32](t)
	wide := gpu.Shared[[sharedWords / 2]uint64](t)
	floats := gpu.Shared[[sharedWords]float32](t)
	for i := t.Idx(); i < sharedWords; i += t.BlockDim() {
		words[i], floats[i] = i, 0
		wide[i/2] = uint64(i / 2)
	}
	t.Sync()
	p, x := at[t.Lane()], t.Idx()*7+3
	end[t.Idx()] = p // waits for the load
	t.Sync()
	start := t.Clock()
	for range steps / 8 {
		p, x = accessShared(access, words[:], wide[:], floats[:], p, x)
		p, x = accessShared(access, words[:], wide[:], floats[:], p, x)
		p, x = accessShared(access, words[:], wide[:], floats[:], p, x)
		p, x = accessShared(access, words[:], wide[:], floats[:], p, x)
		p, x = accessShared(access, words[:], wide[:], floats[:], p, x)
		p, x = accessShared(access, words[:], wide[:], floats[:], p, x)
		p, x = accessShared(access, words[:], wide[:], floats[:], p, x)
		p, x = accessShared(access, words[:], wide[:], floats[:], p, x)
	}
	t.Sync()
	took := t.Clock() - start
	if t.Idx() == 0 {
		cycles[0] = took
	}
	end[t.Idx()] = p + x
}

// accessShared makes an access to word p, and returns the place of the next one and a number that the next one uses.
func accessShared(access uint32, words []uint32, wide []uint64, floats []float32, p, x uint32) (uint32, uint32) {
	switch access {
	case SharedLoad:
		p = words[p]
	case SharedLoad8:
		v := gpu.Load2(words, p)
		p = (v[0] + v[1]) >> 1
	case SharedLoad16:
		v := gpu.Load4(words, p)
		p = (v[0] + v[1] + v[2] + v[3] - 6) >> 2
	case SharedAddOne:
		gpu.AtomicAdd(&words[p], 1)
	case SharedAdd:
		gpu.AtomicAdd(&words[p], x)
	case SharedAddResult:
		x += gpu.AtomicAdd(&words[p], 3)
	case SharedMin:
		gpu.AtomicMin(&words[p], x)
	case SharedCAS:
		x += gpu.AtomicCAS(&words[p], p, p+1)
	case SharedExch8:
		x += uint32(gpu.AtomicExch(&wide[p/2], uint64(p)))
	case SharedCAS8:
		x += uint32(gpu.AtomicCAS(&wide[p/2], uint64(p), uint64(p)+1))
	case SharedAdd8:
		gpu.AtomicAdd(&wide[p/2], uint64(x))
	case SharedAddFloat:
		gpu.AtomicAdd(&floats[p], 1.5)
	}
	return p, x
}

// The accesses of DataStage besides loads of shared memory.
const (
	StageL1      uint32 = iota // 16 bytes a lane that L1 holds
	StageShuffle               // a shuffle
	StageNothing
)

// DataStage makes steps pairs of accesses from every warp of a block: loads of 16 bytes a lane of shared memory, rows
// of them, and another access. Both are bound at compile time. All loads are chains; every element of global holds the
// first index of its four.
func DataStage(t gpu.Thread, other, rows uint32, global []uint32, steps uint32, cycles []uint64, end []uint32) {
	words := gpu.Shared[[128]uint32](t)
	for i := t.Idx(); i < 128; i += t.BlockDim() {
		words[i] = i
	}
	p, q, x := t.Lane()*4, t.Lane()*4, t.Idx()
	if other == StageL1 { // brings the lines into L1
		q = loadFour(global, q)
	}
	t.Sync()
	start := t.Clock()
	for range steps {
		if other == StageL1 {
			q = loadFour(global, q)
		}
		if other == StageShuffle {
			x = gpu.ShflXor(t, gpu.FullMask, x, 1) + 1
		}
		for range rows {
			v := gpu.Load4(words[:], p)
			p = (v[0] + v[1] + v[2] + v[3] - 6) >> 2
		}
	}
	t.Sync()
	took := t.Clock() - start
	if t.Idx() == 0 {
		cycles[0] = took
	}
	end[t.Idx()] = p + q + x
}

// loadFour loads four elements that hold the same number and returns it.
func loadFour(s []uint32, i uint32) uint32 {
	v := gpu.Load4(s, i)
	return (v[0] + v[1] + v[2] + v[3]) >> 2
}

// Histogram counts the bytes of a part of in, four in each word, in shared memory.
func Histogram(t gpu.Thread, in []uint32, cycles []uint64, bins []uint32) {
	count := gpu.Shared[[256]uint32](t)
	if t.Idx() < 256 {
		count[t.Idx()] = 0
	}
	sum := uint32(0)
	for i := t.Idx(); i < uint32(len(in)); i += t.BlockDim() { // brings the bytes into L1
		sum += in[i]
	}
	bins[t.Idx()] = sum
	t.Sync()
	start := t.Clock()
	for i := t.Idx() * 4; i < uint32(len(in)); i += t.BlockDim() * 4 {
		for _, w := range gpu.Load4(in, i) {
			gpu.AtomicAdd(&count[w&255], 1)
			gpu.AtomicAdd(&count[w>>8&255], 1)
			gpu.AtomicAdd(&count[w>>16&255], 1)
			gpu.AtomicAdd(&count[w>>24], 1)
		}
	}
	t.Sync()
	took := t.Clock() - start
	if t.Idx() == 0 {
		cycles[0] = took
	}
	if t.Idx() < 256 {
		bins[t.Idx()] = count[t.Idx()]
	}
}

// The accesses of AtomicPackets.
const (
	PacketAdd       uint32 = iota // no result
	PacketAddResult               // with result
	PacketCAS                     // two operands and a result
	PacketExch
)

// packet makes an access and returns what it adds to a sum.
func packet[T gpu.Int](access uint32, p *T, x T) T {
	switch access {
	case PacketAdd:
		gpu.AtomicAdd(p, x)
		return 0
	case PacketAddResult:
		return gpu.AtomicAdd(p, x)
	case PacketCAS:
		return gpu.AtomicCAS(p, x, x+1)
	}
	return gpu.AtomicExch(p, x)
}

// atomicPackets makes steps accesses from every warp of a block, each warp to its own lines: the time is what the
// packets of an SM take at its ports to the crossbar. A step goes on by stride elements, and lane l accesses element
// l/degree.
func atomicPackets[T gpu.Int](t gpu.Thread, access, degree uint32, cells []T, steps, stride uint32, cycles []uint64, end []uint32) {
	first := t.Idx()/gpu.WarpSize*stride*4 + t.Lane()/degree
	p, q, r, s := &cells[first], &cells[first+stride], &cells[first+2*stride], &cells[first+3*stride]
	x := T(t.Lane() + 7)
	var a, b, c, d T
	t.Sync()
	start := t.Clock()
	for range steps / 4 { // each result is used in the next round
		a = packet(access, p, x+a&1)
		b = packet(access, q, x+b&1)
		c = packet(access, r, x+c&1)
		d = packet(access, s, x+d&1)
	}
	gpu.Fence()
	t.Sync()
	took := t.Clock() - start
	if t.Idx() == 0 {
		cycles[0] = took
	}
	end[t.Idx()] = uint32(a + b + c + d)
}

// AtomicPackets is atomicPackets on words, AtomicPackets8 on values of 8 bytes.
func AtomicPackets(t gpu.Thread, access, degree uint32, cells []uint32, steps, stride uint32, cycles []uint64, end []uint32) {
	atomicPackets(t, access, degree, cells, steps, stride, cycles, end)
}

// AtomicPackets8 is atomicPackets on values of 8 bytes.
func AtomicPackets8(t gpu.Thread, access, degree uint32, cells []uint64, steps, stride uint32, cycles []uint64, end []uint32) {
	atomicPackets(t, access, degree, cells, steps, stride, cycles, end)
}
