package scheduler

import "github.com/weft-gpu/weft/gpu"

// A pair is the number of a vertex and its value, as GPUs of a group send them to each other: one word, or two if the
// value has 8 bytes.

// PairsIn returns the number of pairs.
func PairsIn[V gpu.Num](pairs []uint64) uint32 {
	if Wide[V]() {
		return gpu.Len(pairs) / 2
	}
	return gpu.Len(pairs)
}

// PutPair stores pair i.
func PutPair[V gpu.Num](pairs []uint64, i, v uint32, x V) {
	if Wide[V]() {
		gpu.Store2(pairs, 2*i, [2]uint64{uint64(v), Bits(x)})
	} else {
		pairs[i] = uint64(v)<<32 | Bits(x)
	}
}

// GetPair returns pair i.
func GetPair[V gpu.Num](pairs []uint64, i uint32) (v uint32, x V) {
	if Wide[V]() {
		p := gpu.Load2(pairs, 2*i)
		return uint32(p[0]), FromBits[V](p[1])
	}
	p := pairs[i]
	return uint32(p >> 32), FromBits[V](p & (1<<32 - 1))
}
