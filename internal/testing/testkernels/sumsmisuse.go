package testkernels

import "github.com/weft-gpu/weft/gpu"

// SumsMisuse uses sums of a warpgroup in ways that PTX leaves undefined, one for each what.
func SumsMisuse(t gpu.Thread, what uint32, out []float32) {
	as := gpu.Shared[[64 * 8]uint32](t)
	bs := gpu.Shared[[16 * 8]uint32](t)
	var sums gpu.FloatSums[[8]float32]
	for i := t.Idx(); i < 64*8; i += t.BlockDim() {
		as[i] = 0
	}
	for i := t.Idx(); i < 16*8; i += t.BlockDim() {
		bs[i] = 0
	}
	if what != 6 {
		t.FenceAsync()
	}
	t.Sync()
	if what == 3 && t.Lane() == 9 {
		return
	}
	if what != 7 {
		t.FenceSums()
	}
	if what == 8 {
		sums.Set(5, 1) // behind the fence
	}
	a, b := gpu.SharedMatrix{Data: as[:], Stride: 256, Swizzle: 32}, gpu.SharedMatrix{Data: bs[:], Stride: 256, Swizzle: 32}
	switch what {
	case 0:
		a.Offset = 8
		gpu.GroupMMAF16(t, &sums, a, b) // at no multiple of 16 bytes
	case 1:
		b.Offset = 32
		gpu.GroupMMAF16(t, &sums, a, b) // beside the pattern
	case 2:
		b.Data = bs[4*t.Idx():]
		gpu.GroupMMAF16(t, &sums, a, b) // of other matrices in each lane
	case 4:
		b.Data = bs[8*8:]
		gpu.GroupMMAF16(t, &sums, a, b) // beyond the end
	case 11:
		if t.Warp() == 2 {
			gpu.GroupMMAF16(t, &sums, a, b) // without the other warps
		}
	case 12:
		if t.Warp() == 2 {
			gpu.GroupMMAF16(t, &sums, a, b) // one
		} else {
			gpu.GroupMMABF16(t, &sums, a, b) // another one
		}
	case 13:
		b.Transposed, b.Offset = true, 16
		gpu.GroupMMAF16(t, &sums, a, b) // across the pattern
	default:
		gpu.GroupMMAF16(t, &sums, a, b) // as it is
	}
	t.CommitSums()
	if what == 9 {
		out[t.Idx()] = sums.At(2) // too early
	}
	if what == 10 && t.Warp() == 3 {
		bs[77] = 1 // may still be read
	}
	t.WaitSums(0)
	if what != 3 {
		t.Sync()
	}
	out[t.Idx()] = sums.At(0)
}
