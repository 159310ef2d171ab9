package testkernels

import "github.com/weft-gpu/weft/gpu"

// placeAcross returns where a word of a transposed matrix lies: lines of so many words, two rows in each, are numbers of 64 of each row. The
// rows are in panels that are as wide as the swizzle.
func placeAcross(line, word, swizzle uint32) uint32 {
	switch swizzle {
	case 32:
		return word/8*512 + gpu.Swizzle32(line*32+word%8*4)/4
	case 64:
		return word/16*1024 + gpu.Swizzle64(line*64+word%16*4)/4
	case 128:
		return word/32*2048 + gpu.Swizzle128(line*128+word%32*4)/4
	}
	return word/4*256 + line/8*32 + line%8*4 + word%4
}

// stepAcross returns 16 lines of a transposed matrix.
func stepAcross(data []uint32, k, swizzle uint32) gpu.SharedMatrix {
	switch swizzle {
	case 32:
		return gpu.SharedMatrix{Data: data[k*128:], Leading: 2048, Stride: 256, Swizzle: 32, Transposed: true}
	case 64:
		return gpu.SharedMatrix{Data: data[k*256:], Leading: 4096, Stride: 512, Swizzle: 64, Transposed: true}
	case 128:
		return gpu.SharedMatrix{Data: data[k*512:], Leading: 8192, Stride: 1024, Swizzle: 128, Transposed: true}
	}
	return gpu.SharedMatrix{Data: data[k*64:], Leading: 128, Stride: 1024, Transposed: true}
}

// negated returns a matrix whose numbers have the other sign.
func negated(m gpu.SharedMatrix) gpu.SharedMatrix {
	m.Negated = true
	return m
}

// GroupForms adds the product of 64 rows of a and the columns of b, at most 128, of 32 words each, to 3, with factors that are transposed in
// memory or negated. Bits of across say which of a and b are transposed, of which there are lines of 32 words, or half as many as columns. out
// has the sums of each thread.
func GroupForms[A gpu.FloatArray, L Rows](t gpu.Thread, which, across uint32, a, b []uint32, out []float32) {
	as := gpu.Shared[[64 * 32]uint32](t)
	bs := gpu.Shared[[128 * 32]uint32](t)
	var layout L
	var sums gpu.FloatSums[A]
	swizzle, columns := layout.Swizzle(), 2*sums.Len()
	for i := t.Idx(); i < 64*32; i += t.BlockDim() {
		if across&1 != 0 {
			as[placeAcross(i/32, i%32, swizzle)] = a[i]
		} else {
			as[place(i/32, i%32, 64, swizzle)] = a[i]
		}
	}
	for i := t.Idx(); i < columns*32; i += t.BlockDim() {
		if across&2 != 0 {
			bs[placeAcross(i/(columns/2), i%(columns/2), swizzle)] = b[i]
		} else {
			bs[place(i/32, i%32, columns, swizzle)] = b[i]
		}
	}
	t.FenceAsync()
	t.Sync()
	for i := range sums.Len() {
		sums.Set(i, 3)
	}
	row := t.Warp()%4*16 + t.Lane()/4
	t.FenceSums()
	for k := range uint32(4) {
		left, right := step(as[:], k, 64, swizzle), step(bs[:], k, columns, swizzle)
		leftAcross, rightAcross := stepAcross(as[:], k, swizzle), stepAcross(bs[:], k, swizzle)
		at := func(row, half uint32) uint32 { return as[place(row, k*8+half*4+t.Lane()%4, 64, swizzle)] }
		var registers [4]uint32
		if across&1 == 0 {
			registers = [4]uint32{at(row, 0), at(row+8, 0), at(row, 1), at(row+8, 1)}
		}
		switch which {
		case 0:
			gpu.GroupMMAF16(t, &sums, leftAcross, right)
		case 1:
			gpu.GroupMMAF16(t, &sums, left, rightAcross)
		case 2:
			gpu.GroupMMAF16(t, &sums, leftAcross, rightAcross)
		case 3:
			gpu.GroupMMAF16(t, &sums, negated(leftAcross), rightAcross)
		case 4:
			gpu.GroupMMAF16(t, &sums, left, negated(rightAcross))
		case 5:
			gpu.GroupMMABF16(t, &sums, leftAcross, rightAcross)
		case 6:
			gpu.GroupMMABF16(t, &sums, negated(left), negated(right))
		case 7:
			gpu.GroupMMAF16From(t, &sums, registers, negated(rightAcross))
		case 8:
			gpu.GroupMMABF16From(t, &sums, registers, rightAcross)
		case 9:
			gpu.GroupMMATF32(t, &sums, negated(left), right)
		case 10:
			gpu.GroupMMATF32From(t, &sums, registers, negated(right))
		}
		t.CommitSums()
		t.WaitSums(0) // the registers change
		t.FenceSums()
	}
	for i := range sums.Len() {
		out[t.Idx()*sums.Len()+i] = sums.At(i)
	}
}

// GroupHalves adds the product of 64 rows of a and the columns of b, at most 128, of 128 bytes each, to 3, with sums in f16. The second factor is
// negated if which is odd, and a comes from registers if bit 1 is set. The numbers are of f16, and from 4 on of 8 bits: e4m3, or e5m2 if which is odd. out has the words with the sums of each thread.
func GroupHalves[A gpu.HalfArray](t gpu.Thread, which uint32, a, b, out []uint32) {
	as := gpu.Shared[[64 * 32]uint32](t)
	bs := gpu.Shared[[128 * 32]uint32](t)
	var sums gpu.HalfSums[A]
	columns := 4 * sums.Len()
	for i := t.Idx(); i < 64*32; i += t.BlockDim() {
		as[place(i/32, i%32, 64, 128)] = a[i]
	}
	for i := t.Idx(); i < columns*32; i += t.BlockDim() {
		bs[place(i/32, i%32, columns, 128)] = b[i]
	}
	t.FenceAsync()
	t.Sync()
	for i := range sums.Len() {
		sums.Set(i, gpu.PackF16(3, 3))
	}
	row := t.Warp()%4*16 + t.Lane()/4
	t.FenceSums()
	for k := range uint32(4) {
		left, right := step(as[:], k, 64, 128), step(bs[:], k, columns, 128)
		at := func(row, half uint32) uint32 { return as[place(row, k*8+half*4+t.Lane()%4, 64, 128)] }
		registers := [4]uint32{at(row, 0), at(row+8, 0), at(row, 1), at(row+8, 1)}
		switch which {
		case 0:
			gpu.GroupMMAF16F16(t, &sums, left, right)
		case 1:
			gpu.GroupMMAF16F16(t, &sums, left, negated(right))
		case 2:
			gpu.GroupMMAF16F16From(t, &sums, registers, right)
		case 3:
			gpu.GroupMMAF16F16From(t, &sums, registers, negated(right))
		case 4:
			gpu.GroupMMAE4M3F16(t, &sums, left, right)
		case 5:
			gpu.GroupMMAE5M2F16(t, &sums, left, negated(right))
		case 6:
			gpu.GroupMMAE4M3F16From(t, &sums, registers, right)
		case 7:
			gpu.GroupMMAE5M2F16From(t, &sums, registers, negated(right))
		}
		t.CommitSums()
		t.WaitSums(0) // the registers change
		t.FenceSums()
	}
	for i := range sums.Len() {
		out[t.Idx()*sums.Len()+i] = sums.At(i)
	}
}
