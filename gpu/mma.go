package gpu

// MMA16x8x8F16 multiplies matrices of f16 (16 rows, 8 columns, inner dimension 8), and adds in float32.
//
// The functions MMAMxNxK multiply matrices on the tensor cores (mma.sync, PTX ISA, "Matrix multiply-accumulate operation using
// mma instruction"): the result is A times B plus C, of M rows and N columns, where A has K columns.
//
// All 32 lanes of a warp call the function together; a warp that has diverged, or of which threads have exited, is an error. Each
// lane passes its part of the matrices in registers and gets its part of the result. If g is Lane()/4 and i is Lane()%4, and a
// register holds e elements of A or B, the lowest first (e is 2 for f16 and bf16, 4 for 8-bit numbers, 32 for bits, else 1):
//
//   - a[0] has elements i*e to i*e+e-1 of row g. With 16 rows, a[1] has those of row g+8. Further registers have the same rows,
//     4*e columns on.
//   - b, or b[0], has elements i*e to i*e+e-1 of column g, and b[1] those 4*e rows on.
//   - c[0] and c[1], and the same of the result, are elements 2*i and 2*i+1 of row g; c[2] and c[3] those of row g+8. In f16, two
//     neighbors share a register.
//
// Products of f16, bf16, tf32 and 8-bit floats are exact. Groups of 8 of them, or 4 for tf32, are added to the sum at once: bits far below the
// largest term are cut off, and the sum is rounded towards zero to float32, once for each group, and at last to nearest if it is
// f16. GPUs differ in the last bits (RATIONALE.md). Float64 is multiplied and added one by one in the order of k, each time rounded
// once. Integers are exact.
//
// GPUs have these functions since compute capability 8.0, those of 8-bit floats since 8.9, and those of float64 with 16 rows since 9.0.
func MMA16x8x8F16(t Thread, a [2]uint32, b uint32, c [4]float32) [4]float32 {
	return product(t, "MMA16x8x8F16", a, b, c)
}

// MMA16x8x16F16 is MMA16x8x8F16 with an inner dimension of 16.
func MMA16x8x16F16(t Thread, a [4]uint32, b [2]uint32, c [4]float32) [4]float32 {
	return product(t, "MMA16x8x16F16", a, b, c)
}

// MMA16x8x8F16F16 is MMA16x8x8F16 with c and the result in f16, two to a register.
func MMA16x8x8F16F16(t Thread, a [2]uint32, b uint32, c [2]uint32) [2]uint32 {
	return product(t, "MMA16x8x8F16F16", a, b, c)
}

// MMA16x8x16F16F16 is MMA16x8x16F16 with c and the result in f16, two to a register.
func MMA16x8x16F16F16(t Thread, a [4]uint32, b [2]uint32, c [2]uint32) [2]uint32 {
	return product(t, "MMA16x8x16F16F16", a, b, c)
}

// MMA16x8x8BF16 is MMA16x8x8F16 on bf16.
func MMA16x8x8BF16(t Thread, a [2]uint32, b uint32, c [4]float32) [4]float32 {
	return product(t, "MMA16x8x8BF16", a, b, c)
}

// MMA16x8x16BF16 is MMA16x8x16F16 on bf16.
func MMA16x8x16BF16(t Thread, a [4]uint32, b [2]uint32, c [4]float32) [4]float32 {
	return product(t, "MMA16x8x16BF16", a, b, c)
}

// MMA16x8x4TF32 multiplies matrices of tf32, one to a register, whose lower 13 bits are not used; see [ToTF32].
func MMA16x8x4TF32(t Thread, a [2]uint32, b uint32, c [4]float32) [4]float32 {
	return product(t, "MMA16x8x4TF32", a, b, c)
}

// MMA16x8x8TF32 is MMA16x8x4TF32 with an inner dimension of 8.
func MMA16x8x8TF32(t Thread, a [4]uint32, b [2]uint32, c [4]float32) [4]float32 {
	return product(t, "MMA16x8x8TF32", a, b, c)
}

// MMA8x8x4F64 multiplies matrices of float64.
func MMA8x8x4F64(t Thread, a float64, b float64, c [2]float64) [2]float64 {
	return product(t, "MMA8x8x4F64", a, b, c)
}

// MMA16x8x4F64 is MMA8x8x4F64 with 16 rows.
func MMA16x8x4F64(t Thread, a [2]float64, b float64, c [4]float64) [4]float64 {
	return product(t, "MMA16x8x4F64", a, b, c)
}

// MMA16x8x8F64 is MMA8x8x4F64 with 16 rows and an inner dimension of 8. Two of them are PTX's m16n8k16.
func MMA16x8x8F64(t Thread, a [4]float64, b [2]float64, c [4]float64) [4]float64 {
	return product(t, "MMA16x8x8F64", a, b, c)
}

// MMA16x8x16E4M3 multiplies matrices of e4m3, four to a register: 8-bit floats with 4 bits of exponent and 3 of mantissa, no infinities, and 0x7F and 0xFF for
// what is no number.
func MMA16x8x16E4M3(t Thread, a [2]uint32, b uint32, c [4]float32) [4]float32 {
	return product(t, "MMA16x8x16E4M3", a, b, c)
}

// MMA16x8x16E4M3F16 is MMA16x8x16E4M3 with c and the result in f16, two to a register.
func MMA16x8x16E4M3F16(t Thread, a [2]uint32, b uint32, c [2]uint32) [2]uint32 {
	return product(t, "MMA16x8x16E4M3F16", a, b, c)
}

// MMA16x8x32E4M3 is MMA16x8x16E4M3 with an inner dimension of 32.
func MMA16x8x32E4M3(t Thread, a [4]uint32, b [2]uint32, c [4]float32) [4]float32 {
	return product(t, "MMA16x8x32E4M3", a, b, c)
}

// MMA16x8x32E4M3F16 is MMA16x8x32E4M3 with c and the result in f16, two to a register.
func MMA16x8x32E4M3F16(t Thread, a [4]uint32, b [2]uint32, c [2]uint32) [2]uint32 {
	return product(t, "MMA16x8x32E4M3F16", a, b, c)
}

// MMA16x8x16E5M2 is MMA16x8x16E4M3 on e5m2, which is the upper half of f16.
func MMA16x8x16E5M2(t Thread, a [2]uint32, b uint32, c [4]float32) [4]float32 {
	return product(t, "MMA16x8x16E5M2", a, b, c)
}

// MMA16x8x16E5M2F16 is MMA16x8x16E5M2 with c and the result in f16, two to a register.
func MMA16x8x16E5M2F16(t Thread, a [2]uint32, b uint32, c [2]uint32) [2]uint32 {
	return product(t, "MMA16x8x16E5M2F16", a, b, c)
}

// MMA16x8x32E5M2 is MMA16x8x16E5M2 with an inner dimension of 32.
func MMA16x8x32E5M2(t Thread, a [4]uint32, b [2]uint32, c [4]float32) [4]float32 {
	return product(t, "MMA16x8x32E5M2", a, b, c)
}

// MMA16x8x32E5M2F16 is MMA16x8x32E5M2 with c and the result in f16, two to a register.
func MMA16x8x32E5M2F16(t Thread, a [4]uint32, b [2]uint32, c [2]uint32) [2]uint32 {
	return product(t, "MMA16x8x32E5M2F16", a, b, c)
}

// MMA16x8x16S8 multiplies matrices of int8, four to a register; sums wrap around.
func MMA16x8x16S8(t Thread, a [2]uint32, b uint32, c [4]int32) [4]int32 {
	return product(t, "MMA16x8x16S8", a, b, c)
}

// MMA16x8x32S8 is MMA16x8x16S8 with an inner dimension of 32.
func MMA16x8x32S8(t Thread, a [4]uint32, b [2]uint32, c [4]int32) [4]int32 {
	return product(t, "MMA16x8x32S8", a, b, c)
}

// MMA16x8x16U8 is MMA16x8x16S8 on uint8.
func MMA16x8x16U8(t Thread, a [2]uint32, b uint32, c [4]int32) [4]int32 {
	return product(t, "MMA16x8x16U8", a, b, c)
}

// MMA16x8x32U8 is MMA16x8x32S8 on uint8.
func MMA16x8x32U8(t Thread, a [4]uint32, b [2]uint32, c [4]int32) [4]int32 {
	return product(t, "MMA16x8x32U8", a, b, c)
}

// MMA8x8x128And multiplies matrices of bits, 32 to a register: it counts the places where a row of a and a column of b both have a bit.
func MMA8x8x128And(t Thread, a uint32, b uint32, c [2]int32) [2]int32 {
	return product(t, "MMA8x8x128And", a, b, c)
}

// MMA16x8x128And is MMA8x8x128And with 16 rows.
func MMA16x8x128And(t Thread, a [2]uint32, b uint32, c [4]int32) [4]int32 {
	return product(t, "MMA16x8x128And", a, b, c)
}

// MMA16x8x256And is MMA16x8x128And with an inner dimension of 256.
func MMA16x8x256And(t Thread, a [4]uint32, b [2]uint32, c [4]int32) [4]int32 {
	return product(t, "MMA16x8x256And", a, b, c)
}

// MMA8x8x128Xor is MMA8x8x128And for the places where one of them has a bit.
func MMA8x8x128Xor(t Thread, a uint32, b uint32, c [2]int32) [2]int32 {
	return product(t, "MMA8x8x128Xor", a, b, c)
}

// MMA16x8x128Xor is MMA16x8x128And for the places where one of them has a bit.
func MMA16x8x128Xor(t Thread, a [2]uint32, b uint32, c [4]int32) [4]int32 {
	return product(t, "MMA16x8x128Xor", a, b, c)
}

// MMA16x8x256Xor is MMA16x8x256And for the places where one of them has a bit.
func MMA16x8x256Xor(t Thread, a [4]uint32, b [2]uint32, c [4]int32) [4]int32 {
	return product(t, "MMA16x8x256Xor", a, b, c)
}

// Transpose8x8 transposes a matrix of 8 by 8 elements of 16 bits (movmatrix): x has elements 2*i and 2*i+1 of row g of it, where g
// is Lane()/4 and i is Lane()%4, and the result has those of its transpose. All 32 lanes of a warp call it together. GPUs have it
// since compute capability 7.5.
func Transpose8x8(t Thread, x uint32) uint32 { return transposed(t, x) }

// LoadMatrix1, LoadMatrix2 and LoadMatrix4 load 1, 2 or 4 matrices of 8 rows of 16 bytes, 8 elements of 16 bits each, from shared memory
// (ldmatrix). Each of the first 8, 16 or 32 lanes passes a row: lane 8*j+r passes row r of matrix j. What the other lanes pass is not
// used. Element j of the result has elements 2*i and 2*i+1 of row g of matrix j, where g is Lane()/4 and i is Lane()%4: four
// matrices make the four registers of A of [MMA16x8x16F16]. All 32 lanes of a warp call it together.
//
// The rows lie at multiples of 16 bytes, and best in different banks. GPUs have these functions since compute capability 7.5.
func LoadMatrix1(t Thread, row *[4]uint32) uint32 { return loaded(t, row, 1, false)[0] }

// LoadMatrix2 loads two matrices; see [LoadMatrix1].
func LoadMatrix2(t Thread, row *[4]uint32) [2]uint32 { return [2]uint32(loaded(t, row, 2, false)) }

// LoadMatrix4 loads four matrices; see [LoadMatrix1].
func LoadMatrix4(t Thread, row *[4]uint32) [4]uint32 { return [4]uint32(loaded(t, row, 4, false)) }

// LoadTransposed1 is [LoadMatrix1], and transposes the matrix: a lane gets elements 2*i and 2*i+1 of column g.
func LoadTransposed1(t Thread, row *[4]uint32) uint32 { return loaded(t, row, 1, true)[0] }

// LoadTransposed2 is [LoadMatrix2], and transposes the matrices.
func LoadTransposed2(t Thread, row *[4]uint32) [2]uint32 { return [2]uint32(loaded(t, row, 2, true)) }

// LoadTransposed4 is [LoadMatrix4], and transposes the matrices.
func LoadTransposed4(t Thread, row *[4]uint32) [4]uint32 { return [4]uint32(loaded(t, row, 4, true)) }

// StoreMatrix1, StoreMatrix2 and StoreMatrix4 store 1, 2 or 4 matrices of 8 rows of 16 bytes to shared memory (stmatrix), as [LoadMatrix1] and
// those beside it load them: element j of x has elements 2*i and 2*i+1 of row g of matrix j, and lane 8*j+r passes where row r of it goes. All 32
// lanes of a warp call it together. GPUs have these functions since compute capability 9.0.
func StoreMatrix1(t Thread, row *[4]uint32, x uint32) { stored(t, row, false, x) }

// StoreMatrix2 stores two matrices; see [StoreMatrix1].
func StoreMatrix2(t Thread, row *[4]uint32, x [2]uint32) { stored(t, row, false, x[:]...) }

// StoreMatrix4 stores four matrices; see [StoreMatrix1].
func StoreMatrix4(t Thread, row *[4]uint32, x [4]uint32) { stored(t, row, false, x[:]...) }

// StoreTransposed1 is [StoreMatrix1], and transposes the matrix: a lane has elements 2*i and 2*i+1 of column g.
func StoreTransposed1(t Thread, row *[4]uint32, x uint32) { stored(t, row, true, x) }

// StoreTransposed2 is [StoreMatrix2], and transposes the matrices.
func StoreTransposed2(t Thread, row *[4]uint32, x [2]uint32) { stored(t, row, true, x[:]...) }

// StoreTransposed4 is [StoreMatrix4], and transposes the matrices.
func StoreTransposed4(t Thread, row *[4]uint32, x [4]uint32) { stored(t, row, true, x[:]...) }
