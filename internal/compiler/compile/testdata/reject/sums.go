package reject

import "github.com/weft-gpu/weft/gpu"

// Sums of warpgroups: they are registers of their own, and matrices are in shared memory with a layout that is known.

func SumsOfField(t gpu.Thread, out []float32) {
	var s struct{ sums gpu.FloatSums[[8]float32] }
	out[t.Idx()] = s.sums.At(1)
}

func SumsCopied(t gpu.Thread, out []float32) {
	var sums gpu.FloatSums[[8]float32]
	other := sums
	out[t.Idx()] = other.At(1)
}

func SumsBeyond(t gpu.Thread, out []int32) {
	var sums gpu.IntSums[[8]int32]
	out[t.Idx()] = sums.At(8)
}

func SumsTooMany(t gpu.Thread, out []float32) {
	var sums, others gpu.FloatSums[[128]float32]
	out[t.Idx()] = sums.At(0) + others.At(0)
}

func MatrixInBuffer(t gpu.Thread, in []uint32, out []float32) {
	var sums gpu.FloatSums[[8]float32]
	m := gpu.SharedMatrix{Data: in, Stride: 256, Swizzle: 32}
	gpu.GroupMMAF16(t, &sums, m, m)
	out[t.Idx()] = sums.At(0)
}

func MatrixOfStride(t gpu.Thread, stride uint32, out []float32) {
	s := gpu.Shared[[512]uint32](t)
	var sums gpu.FloatSums[[8]float32]
	m := gpu.SharedMatrix{Data: s[:], Stride: stride, Swizzle: 32}
	gpu.GroupMMAF16(t, &sums, m, m)
	out[t.Idx()] = sums.At(0)
}

func MatrixOfLayout(t gpu.Thread, out []float32) {
	s := gpu.Shared[[512]uint32](t)
	var sums gpu.FloatSums[[8]float32]
	gpu.GroupMMAF16From(t, &sums, [4]uint32{}, gpu.SharedMatrix{Data: s[:], Stride: 256, Swizzle: 48})
	out[t.Idx()] = sums.At(0)
}

func MatrixOfSteps(t gpu.Thread, out []float32) {
	s := gpu.Shared[[512]uint32](t)
	var sums gpu.FloatSums[[8]float32]
	gpu.GroupMMAF16From(t, &sums, [4]uint32{}, gpu.SharedMatrix{Data: s[:], Stride: 200})
	out[t.Idx()] = sums.At(0)
}

func SumsOfGroups(t gpu.Thread, n uint32) { t.WaitSums(n) }

func SumsOfManyGroups(t gpu.Thread) { t.WaitSums(8) }

func MatrixOfIntegersAcross(t gpu.Thread) {
	s := gpu.Shared[[512]uint32](t)
	var sums gpu.IntSums[[8]int32]
	gpu.GroupMMAS8From(t, &sums, [4]uint32{}, gpu.SharedMatrix{Data: s[:], Stride: 256, Swizzle: 32, Transposed: true})
}

func MatrixOfIntegersNegated(t gpu.Thread) {
	s := gpu.Shared[[512]uint32](t)
	var sums gpu.IntSums[[8]int32]
	m := gpu.SharedMatrix{Data: s[:], Stride: 256, Swizzle: 32}
	gpu.GroupMMAAnd(t, &sums, gpu.SharedMatrix{Data: s[:], Stride: 256, Swizzle: 32, Negated: true}, m)
}

func MatrixPerhapsNegated(t gpu.Thread, n uint32) {
	s := gpu.Shared[[512]uint32](t)
	var sums gpu.FloatSums[[8]float32]
	gpu.GroupMMATF32From(t, &sums, [4]uint32{}, gpu.SharedMatrix{Data: s[:], Stride: 256, Swizzle: 32, Negated: n == 1})
}
