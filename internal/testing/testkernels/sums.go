package testkernels

import "github.com/weft-gpu/weft/gpu"

// Rows says how the rows of matrices lie in shared memory.
type Rows interface {
	Swizzle() uint32
}

// The layouts of matrices for warpgroups.
type (
	Plain      struct{} // pieces of 8 rows of 16 bytes
	Swizzled32 struct{}
	Swizzled64 struct{}
	Swizzled   struct{} // 128 bytes
)

// Swizzle is 0.
func (Plain) Swizzle() uint32 { return 0 }

// Swizzle is 32.
func (Swizzled32) Swizzle() uint32 { return 32 }

// Swizzle is 64.
func (Swizzled64) Swizzle() uint32 { return 64 }

// Swizzle is 128.
func (Swizzled) Swizzle() uint32 { return 128 }

// place returns where a word of a matrix of so many rows, of 32 words each, lies: in panels whose rows are as wide as the swizzle.
func place(row, word, rows, swizzle uint32) uint32 {
	switch swizzle {
	case 32:
		return word/8*rows*8 + gpu.Swizzle32(row*32+word%8*4)/4
	case 64:
		return word/16*rows*16 + gpu.Swizzle64(row*64+word%16*4)/4
	case 128:
		return gpu.Swizzle128(row*128+word*4) / 4
	}
	return row/8*256 + word/4*32 + row%8*4 + word%4
}

// step returns the matrix whose rows are 32 bytes of those of a matrix of so many rows.
func step(data []uint32, k, rows, swizzle uint32) gpu.SharedMatrix {
	switch swizzle {
	case 32:
		return gpu.SharedMatrix{Data: data[k*rows*8:], Stride: 256, Swizzle: 32}
	case 64:
		return gpu.SharedMatrix{Data: data[k/2*rows*16:], Offset: k % 2 * 32, Stride: 512, Swizzle: 64}
	case 128:
		return gpu.SharedMatrix{Data: data, Offset: k * 32, Stride: 1024, Swizzle: 128}
	}
	return gpu.SharedMatrix{Data: data, Offset: k * 256, Leading: 128, Stride: 1024}
}

// GroupProduct multiplies the 64 rows of a with the columns of b, at most 104, of 64 numbers of f16 each, by warpgroups that all have the
// same matrices. out has the sums of each thread.
func GroupProduct[A gpu.FloatArray, L Rows](t gpu.Thread, a, b []uint32, out []float32) {
	as := gpu.Shared[[64 * 32]uint32](t)
	bs := gpu.Shared[[104 * 32]uint32](t)
	groupProduct[A, L](t, a, b, out, as[:], bs[:])
}

// GroupProductWide is GroupProduct of up to 256 columns.
func GroupProductWide[A gpu.FloatArray, L Rows](t gpu.Thread, a, b []uint32, out []float32) {
	as := gpu.Shared[[64 * 32]uint32](t)
	bs := gpu.Shared[[256 * 32]uint32](t)
	groupProduct[A, L](t, a, b, out, as[:], bs[:])
}

func groupProduct[A gpu.FloatArray, L Rows](t gpu.Thread, a, b []uint32, out []float32, as, bs []uint32) {
	var layout L
	var sums gpu.FloatSums[A]
	columns := 2 * sums.Len()
	for i := t.Idx(); i < 64*32; i += t.BlockDim() {
		as[place(i/32, i%32, 64, layout.Swizzle())] = a[i]
	}
	for i := t.Idx(); i < columns*32; i += t.BlockDim() {
		bs[place(i/32, i%32, columns, layout.Swizzle())] = b[i]
	}
	t.FenceAsync()
	t.Sync()
	t.FenceSums()
	for k := range uint32(4) {
		gpu.GroupMMAF16(t, &sums, step(as, k, 64, layout.Swizzle()), step(bs, k, columns, layout.Swizzle()))
	}
	t.CommitSums()
	t.WaitSums(0)
	for i := range sums.Len() {
		out[t.Idx()*sums.Len()+i] = sums.At(i)
	}
}

// GroupProducts adds the product of 64 rows of a and 16 columns of b, of 32 words each, to 3 by one of the functions of package gpu, with a in
// shared memory or in registers. out has the sums of each thread, as words.
func GroupProducts(t gpu.Thread, which uint32, a, b, out []uint32) {
	as := gpu.Shared[[64 * 32]uint32](t)
	bs := gpu.Shared[[16 * 32]uint32](t)
	for i := t.Idx(); i < 64*32; i += t.BlockDim() {
		as[place(i/32, i%32, 64, 128)] = a[i]
	}
	for i := t.Idx(); i < 16*32; i += t.BlockDim() {
		bs[place(i/32, i%32, 16, 128)] = b[i]
	}
	t.FenceAsync()
	t.Sync()
	var sums gpu.FloatSums[[8]float32]
	var counts gpu.IntSums[[8]int32]
	for i := range uint32(8) {
		sums.Set(i, 3)
		counts.Set(i, 3)
	}
	row := t.Warp()%4*16 + t.Lane()/4
	t.FenceSums()
	for k := range uint32(4) {
		left, right := step(as[:], k, 64, 128), step(bs[:], k, 16, 128)
		at := func(row, half uint32) uint32 { return as[place(row, k*8+half*4+t.Lane()%4, 64, 128)] }
		registers := [4]uint32{at(row, 0), at(row+8, 0), at(row, 1), at(row+8, 1)}
		switch which {
		case 0:
			gpu.GroupMMAF16(t, &sums, left, right)
		case 1:
			gpu.GroupMMABF16(t, &sums, left, right)
		case 2:
			gpu.GroupMMATF32(t, &sums, left, right)
		case 3:
			gpu.GroupMMAS8(t, &counts, left, right)
		case 4:
			gpu.GroupMMAU8(t, &counts, left, right)
		case 5:
			gpu.GroupMMAAnd(t, &counts, left, right)
		case 6:
			gpu.GroupMMAF16From(t, &sums, registers, right)
		case 7:
			gpu.GroupMMABF16From(t, &sums, registers, right)
		case 8:
			gpu.GroupMMATF32From(t, &sums, registers, right)
		case 9:
			gpu.GroupMMAS8From(t, &counts, registers, right)
		case 10:
			gpu.GroupMMAU8From(t, &counts, registers, right)
		case 11:
			gpu.GroupMMAAndFrom(t, &counts, registers, right)
		case 12:
			gpu.GroupMMAE4M3(t, &sums, left, right)
		case 13:
			gpu.GroupMMAE5M2(t, &sums, left, right)
		case 14:
			gpu.GroupMMAE4M3From(t, &sums, registers, right)
		case 15:
			gpu.GroupMMAE5M2From(t, &sums, registers, right)
		}
		t.CommitSums()
		t.WaitSums(0) // the registers change
		t.FenceSums()
	}
	for i := range uint32(8) {
		x := uint32(counts.At(i))
		if which%6 < 3 || which >= 12 {
			x = gpu.Float32bits(sums.At(i))
		}
		out[t.Idx()*8+i] = x
	}
}

// Registers lets a warpgroup give registers back that the others take, or, by number, does what PTX leaves undefined.
func Registers(t gpu.Thread, what uint32, out []uint32) {
	t.LaunchRegisters(96)
	switch {
	case what == 1 && t.Warp() < 4:
		t.GiveRegisters(104) // more than it has
	case what == 2 && t.Warp() < 4:
		t.TakeRegisters(88) // fewer
	case t.Warp() < 4:
		t.GiveRegisters(40)
	default:
		t.TakeRegisters(152)
	}
	out[t.Global()] = t.Idx()
}
