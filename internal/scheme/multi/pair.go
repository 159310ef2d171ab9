package multi

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// A pair is the number of a vertex and its value, as an outbox has it: one word, or two if the
// value has 8 bytes.

// pairsIn returns the number of pairs.
func pairsIn[V gpu.Num](pairs []uint64) uint32 {
	if scheduler.Wide[V]() {
		return gpu.Len(pairs) / 2
	}
	return gpu.Len(pairs)
}

// putPair stores pair i.
func putPair[V gpu.Num](pairs []uint64, i, v uint32, x V) {
	if scheduler.Wide[V]() {
		gpu.Store2(pairs, 2*i, [2]uint64{uint64(v), scheduler.Bits(x)})
	} else {
		pairs[i] = uint64(v)<<32 | scheduler.Bits(x)
	}
}

// pair returns pair i.
func pair[V gpu.Num](pairs []uint64, i uint32) (v uint32, x V) {
	if scheduler.Wide[V]() {
		p := gpu.Load2(pairs, 2*i)
		return uint32(p[0]), scheduler.FromBits[V](p[1])
	}
	p := pairs[i]
	return uint32(p >> 32), scheduler.FromBits[V](p & (1<<32 - 1))
}
