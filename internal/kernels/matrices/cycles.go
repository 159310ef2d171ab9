package matrices

import "github.com/weft-gpu/weft/gpu"

// FloatCycles measures products of warpgroups with sums of float32: in cycles, by warp, how many pass from the first of n products that follow
// each other, all added to the same sums, until they are done. which is 0 for f16, 1 for bf16, 2 for tf32, and 3 more if the first factor is in
// registers. All numbers are zeros.
func FloatCycles[A gpu.FloatArray](t gpu.Thread, which, n uint32, cycles []uint32, end []float32) {
	as := gpu.Shared[[64 * 8]uint32](t)
	bs := gpu.Shared[[256 * 8]uint32](t)
	a, b := zeros(t, as[:], bs[:])
	var sums gpu.FloatSums[A]
	count(t, n, cycles, func() { addFloats(t, which, &sums, a, b) })
	for i := range sums.Len() {
		end[t.Global()*sums.Len()+i] = sums.At(i)
	}
}

// addFloats begins a product of FloatCycles.
func addFloats[A gpu.FloatArray](t gpu.Thread, which uint32, sums *gpu.FloatSums[A], a, b gpu.SharedMatrix) {
	switch which {
	case 0:
		gpu.GroupMMAF16(t, sums, a, b)
	case 1:
		gpu.GroupMMABF16(t, sums, a, b)
	case 2:
		gpu.GroupMMATF32(t, sums, a, b)
	case 3:
		gpu.GroupMMAF16From(t, sums, [4]uint32{}, b)
	case 4:
		gpu.GroupMMABF16From(t, sums, [4]uint32{}, b)
	default:
		gpu.GroupMMATF32From(t, sums, [4]uint32{}, b)
	}
}

// IntCycles is FloatCycles with sums of int32: which is 0 for int8, 1 for uint8, 2 for bits.
func IntCycles[A gpu.IntArray](t gpu.Thread, which, n uint32, cycles []uint32, end []int32) {
	as := gpu.Shared[[64 * 8]uint32](t)
	bs := gpu.Shared[[256 * 8]uint32](t)
	a, b := zeros(t, as[:], bs[:])
	var sums gpu.IntSums[A]
	count(t, n, cycles, func() { addInts(t, which, &sums, a, b) })
	for i := range sums.Len() {
		end[t.Global()*sums.Len()+i] = sums.At(i)
	}
}

// addInts begins a product of IntCycles.
func addInts[A gpu.IntArray](t gpu.Thread, which uint32, sums *gpu.IntSums[A], a, b gpu.SharedMatrix) {
	switch which {
	case 0:
		gpu.GroupMMAS8(t, sums, a, b)
	case 1:
		gpu.GroupMMAU8(t, sums, a, b)
	case 2:
		gpu.GroupMMAAnd(t, sums, a, b)
	case 3:
		gpu.GroupMMAS8From(t, sums, [4]uint32{}, b)
	case 4:
		gpu.GroupMMAU8From(t, sums, [4]uint32{}, b)
	default:
		gpu.GroupMMAAndFrom(t, sums, [4]uint32{}, b)
	}
}

// count measures how many cycles a warp takes for n products, each of which product begins, until they are done.
func count(t gpu.Thread, n uint32, cycles []uint32, product func()) {
	t.FenceSums()
	begin := uint64(0)
	for range 2 { // the first round loads the code
		t.Sync()
		begin = t.Clock()
		for range n / 4 {
			for range uint32(4) {
				product()
			}
		}
		for range n % 4 {
			product()
		}
		t.CommitSums()
		t.WaitSums(0)
	}
	passed := uint32(t.Clock() - begin)
	if t.Lane() == 0 {
		cycles[t.Global()/32] = passed
	}
}

// zeros clears matrices of rows and columns of 32 bytes, and returns them with a swizzle of 32 bytes.
func zeros(t gpu.Thread, as, bs []uint32) (a, b gpu.SharedMatrix) {
	for i := t.Idx(); i < gpu.Len(as); i += t.BlockDim() {
		as[i] = 0
	}
	for i := t.Idx(); i < gpu.Len(bs); i += t.BlockDim() {
		bs[i] = 0
	}
	t.FenceAsync()
	return gpu.SharedMatrix{Data: as, Stride: 256, Swizzle: 32}, gpu.SharedMatrix{Data: bs, Stride: 256, Swizzle: 32}
}
