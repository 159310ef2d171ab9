package gpu

// FloatSums are sums of float32 to which the warps of a warpgroup add products of matrices with 64 rows ([GroupMMAF16] and the functions
// beside it). They are a local variable of the kernel, zeros at first, and registers of the threads. A thread has as many of them as
// its array type has elements, half as many as there are columns:
//
//	var sums gpu.FloatSums[[32]float32] // 64 rows and 64 columns
//
// A warpgroup is four warps from a multiple of four on. Its warp w has rows 16*w to 16*w+15. If g is Lane()/4 and i is Lane()%4, the
// thread's sums 4*j and 4*j+1 are of columns 8*j+2*i and the next of row g of these, and 4*j+2 and 4*j+3 those of row g+8.
type FloatSums[A FloatArray] struct{ of A }

// IntSums are [FloatSums] of int32, as products of integers and bits have.
type IntSums[A IntArray] struct{ of A }

// HalfSums are [FloatSums] of f16, of which a word has two: words 2*j of a thread are the sums of columns 8*j+2*i, in the lower bits, and the
// next of row g, and 2*j+1 those of row g+8.
type HalfSums[A HalfArray] struct{ of A }

// FloatArray are the numbers of sums of a thread: for 8 columns, 16 and so on up to 256.
type FloatArray interface {
	[4]float32 | [8]float32 | [12]float32 | [16]float32 | [20]float32 | [24]float32 | [28]float32 | [32]float32 |
		[36]float32 | [40]float32 | [44]float32 | [48]float32 | [52]float32 | [56]float32 | [60]float32 | [64]float32 |
		[68]float32 | [72]float32 | [76]float32 | [80]float32 | [84]float32 | [88]float32 | [92]float32 | [96]float32 |
		[100]float32 | [104]float32 | [108]float32 | [112]float32 | [116]float32 | [120]float32 | [124]float32 | [128]float32
}

// IntArray are the numbers of integer sums of a thread: for 8, 16 and 24 columns, and multiples of 16 up to 256.
type IntArray interface {
	[4]int32 | [8]int32 | [12]int32 | [16]int32 | [24]int32 | [32]int32 | [40]int32 | [48]int32 | [56]int32 | [64]int32 |
		[72]int32 | [80]int32 | [88]int32 | [96]int32 | [104]int32 | [112]int32 | [120]int32 | [128]int32
}

// HalfArray are the numbers of words of a thread with sums of f16: for 8 columns, 16 and so on up to 256.
type HalfArray interface {
	[2]uint32 | [4]uint32 | [6]uint32 | [8]uint32 | [10]uint32 | [12]uint32 | [14]uint32 | [16]uint32 |
		[18]uint32 | [20]uint32 | [22]uint32 | [24]uint32 | [26]uint32 | [28]uint32 | [30]uint32 | [32]uint32 |
		[34]uint32 | [36]uint32 | [38]uint32 | [40]uint32 | [42]uint32 | [44]uint32 | [46]uint32 | [48]uint32 |
		[50]uint32 | [52]uint32 | [54]uint32 | [56]uint32 | [58]uint32 | [60]uint32 | [62]uint32 | [64]uint32
}

// At returns a sum. It must be known at compile time which one: i is a constant, or counts in a loop with a constant number of iterations.
// Of sums to which a product may still be added, none may be read or set: see [Thread.WaitSums].
func (s *FloatSums[A]) At(i uint32) float32 { return s.words()[i] }

// Set sets a sum. Which one is known as for At.
func (s *FloatSums[A]) Set(i uint32, x float32) { s.words()[i] = x }

// Len returns how many sums a thread has.
func (s *FloatSums[A]) Len() uint32 { return uint32(len(s.words())) }

// At is [FloatSums.At].
func (s *IntSums[A]) At(i uint32) int32 { return s.words()[i] }

// Set is [FloatSums.Set].
func (s *IntSums[A]) Set(i uint32, x int32) { s.words()[i] = x }

// Len is [FloatSums.Len].
func (s *IntSums[A]) Len() uint32 { return uint32(len(s.words())) }

// At is [FloatSums.At] of two sums; see [FromF16].
func (s *HalfSums[A]) At(i uint32) uint32 { return s.words()[i] }

// Set is [FloatSums.Set] of two sums; see [PackF16].
func (s *HalfSums[A]) Set(i uint32, x uint32) { s.words()[i] = x }

// Len returns how many words with sums a thread has.
func (s *HalfSums[A]) Len() uint32 { return uint32(len(s.words())) }

// SharedMatrix is where a matrix is in shared memory of which a step of a warpgroup's product takes 32 bytes of each row, or of each column
// for the second factor: 16 numbers of f16 or bf16, 8 of tf32, 32 of 8 bits, also of 8-bit floats, 256 bits. PTX calls it a matrix descriptor. Rows are in
// groups of 8, Stride bytes apart.
//
// With a Swizzle of 32, 64 or 128, the 8 rows of a group are as many bytes apart, and the bytes of the group lie where [Swizzle32], [Swizzle64]
// or [Swizzle128] of their offsets say, as tensor maps bring them. Data then begins at a multiple of 8 times Swizzle, and Offset, which is
// less than Swizzle, is where the 32 bytes of the rows begin. Without a swizzle, Swizzle is 0: a group has 8 pieces of 16 bytes, the first
// halves of the 32 bytes, and Leading bytes on the second halves.
//
// A matrix of f16 or bf16 may be Transposed (PTX imm-trans-a, imm-trans-b, MN-major): 16 bytes are then one number of each of 8 rows, or columns
// of the second factor, and not 8 numbers of a row. With a Swizzle, lines of as many bytes have one number of each of Swizzle/2 rows. Eight
// lines are a group, in which the bytes lie as said above; the group with the other 8 numbers is Stride bytes on, and those of the next
// Swizzle/2 rows are Leading bytes on. All rows fit in the Swizzle bytes behind an Offset. Without a swizzle, a group is the 8 pieces of 16
// bytes of 8 rows; Leading bytes on are the other 8 numbers of these, and Stride bytes on the next 8 rows.
//
// A matrix of floating-point numbers may be Negated (imm-scale-a and imm-scale-b, -1): the product has its numbers with the other sign. Rows in
// registers are not negated by themselves; negate the other factor.
//
// Leading, Stride, Swizzle, Transposed and Negated must be constants. The numbers, and Offset, are multiples of 16. Variables of [Shared] that
// are used so begin at a multiple of 1,024, or of 128 if they are shorter.
type SharedMatrix struct {
	Data                     []uint32
	Offset                   uint32 // bytes
	Leading, Stride, Swizzle uint32
	Transposed, Negated      bool
}

// GroupMMAF16 adds the product of two matrices of f16 to the sums of a warpgroup: of a with 64 rows and b with as many columns as the
// sums have, both with 16 numbers in each (PTX wgmma.mma_async.sync.aligned.m64nNk16.f32.f16.f16). It does not wait for that, and several products
// may be on their way to the same sums:
//
//	t.FenceAsync()              // what threads have stored to shared memory; not needed behind copies in bulk
//	t.Sync()
//	t.FenceSums()               // before the first product, and behind Set
//	gpu.GroupMMAF16(t, &sums, a, b)
//	gpu.GroupMMAF16(t, &sums, nextA, nextB)
//	t.CommitSums()              // the two are a group
//	t.WaitSums(0)               // until no group is on its way
//
// All threads of the four warps call it, each warp together; a warp that has diverged, or of which threads have exited, is an error, and so are
// warps of a warpgroup that do not call the same products in the same order. Until the wait, a thread neither reads nor sets these sums, and the
// matrices in shared memory stay as they are.
//
// How products are added is said at [MMA16x8x8F16]; an H200 adds more of them at once. GPUs have the functions since compute capability 9.0.
func GroupMMAF16[A FloatArray](t Thread, sums *FloatSums[A], a, b SharedMatrix) {
	groupProduct(t, "GroupMMAF16", sums.bits(), nil, &a, &b)
}

// GroupMMAF16F16 is [GroupMMAF16] with sums in f16, which each product rounds (f16.f16.f16).
func GroupMMAF16F16[A HalfArray](t Thread, sums *HalfSums[A], a, b SharedMatrix) {
	groupProduct(t, "GroupMMAF16F16", sums.words(), nil, &a, &b)
}

// GroupMMABF16 is [GroupMMAF16] on bf16.
func GroupMMABF16[A FloatArray](t Thread, sums *FloatSums[A], a, b SharedMatrix) {
	groupProduct(t, "GroupMMABF16", sums.bits(), nil, &a, &b)
}

// GroupMMATF32 is [GroupMMAF16] on tf32, 8 numbers of 32 bits; see [ToTF32].
func GroupMMATF32[A FloatArray](t Thread, sums *FloatSums[A], a, b SharedMatrix) {
	groupProduct(t, "GroupMMATF32", sums.bits(), nil, &a, &b)
}

// GroupMMAE4M3 is [GroupMMAF16] on e4m3, 32 numbers of 8 bits; see [MMA16x8x16E4M3].
func GroupMMAE4M3[A FloatArray](t Thread, sums *FloatSums[A], a, b SharedMatrix) {
	groupProduct(t, "GroupMMAE4M3", sums.bits(), nil, &a, &b)
}

// GroupMMAE4M3F16 is [GroupMMAE4M3] with sums in f16.
func GroupMMAE4M3F16[A HalfArray](t Thread, sums *HalfSums[A], a, b SharedMatrix) {
	groupProduct(t, "GroupMMAE4M3F16", sums.words(), nil, &a, &b)
}

// GroupMMAE5M2 is [GroupMMAE4M3] on e5m2.
func GroupMMAE5M2[A FloatArray](t Thread, sums *FloatSums[A], a, b SharedMatrix) {
	groupProduct(t, "GroupMMAE5M2", sums.bits(), nil, &a, &b)
}

// GroupMMAE5M2F16 is [GroupMMAE5M2] with sums in f16.
func GroupMMAE5M2F16[A HalfArray](t Thread, sums *HalfSums[A], a, b SharedMatrix) {
	groupProduct(t, "GroupMMAE5M2F16", sums.words(), nil, &a, &b)
}

// GroupMMAS8 is [GroupMMAF16] on int8, 32 numbers; sums wrap around.
func GroupMMAS8[A IntArray](t Thread, sums *IntSums[A], a, b SharedMatrix) {
	groupProduct(t, "GroupMMAS8", sums.bits(), nil, &a, &b)
}

// GroupMMAU8 is [GroupMMAS8] on uint8.
func GroupMMAU8[A IntArray](t Thread, sums *IntSums[A], a, b SharedMatrix) {
	groupProduct(t, "GroupMMAU8", sums.bits(), nil, &a, &b)
}

// GroupMMAAnd is [GroupMMAF16] on 256 bits: it counts the places where a row of a and a column of b both have a bit.
func GroupMMAAnd[A IntArray](t Thread, sums *IntSums[A], a, b SharedMatrix) {
	groupProduct(t, "GroupMMAAnd", sums.bits(), nil, &a, &b)
}

// GroupMMAF16From is [GroupMMAF16] with the rows of a in registers: each warp has its 16 rows, as for [MMA16x8x16F16]. The registers may
// not change before the wait, and [Thread.FenceSums] is behind what computes them. So a loop computes its next rows behind the wait.
func GroupMMAF16From[A FloatArray](t Thread, sums *FloatSums[A], a [4]uint32, b SharedMatrix) {
	groupProduct(t, "GroupMMAF16", sums.bits(), &a, nil, &b)
}

// GroupMMAF16F16From is [GroupMMAF16From] with sums in f16.
func GroupMMAF16F16From[A HalfArray](t Thread, sums *HalfSums[A], a [4]uint32, b SharedMatrix) {
	groupProduct(t, "GroupMMAF16F16", sums.words(), &a, nil, &b)
}

// GroupMMABF16From is [GroupMMAF16From] on bf16.
func GroupMMABF16From[A FloatArray](t Thread, sums *FloatSums[A], a [4]uint32, b SharedMatrix) {
	groupProduct(t, "GroupMMABF16", sums.bits(), &a, nil, &b)
}

// GroupMMATF32From is [GroupMMAF16From] on tf32, as for [MMA16x8x8TF32].
func GroupMMATF32From[A FloatArray](t Thread, sums *FloatSums[A], a [4]uint32, b SharedMatrix) {
	groupProduct(t, "GroupMMATF32", sums.bits(), &a, nil, &b)
}

// GroupMMAE4M3From is [GroupMMAF16From] on e4m3, as for [MMA16x8x32E4M3].
func GroupMMAE4M3From[A FloatArray](t Thread, sums *FloatSums[A], a [4]uint32, b SharedMatrix) {
	groupProduct(t, "GroupMMAE4M3", sums.bits(), &a, nil, &b)
}

// GroupMMAE4M3F16From is [GroupMMAE4M3From] with sums in f16.
func GroupMMAE4M3F16From[A HalfArray](t Thread, sums *HalfSums[A], a [4]uint32, b SharedMatrix) {
	groupProduct(t, "GroupMMAE4M3F16", sums.words(), &a, nil, &b)
}

// GroupMMAE5M2From is [GroupMMAE4M3From] on e5m2.
func GroupMMAE5M2From[A FloatArray](t Thread, sums *FloatSums[A], a [4]uint32, b SharedMatrix) {
	groupProduct(t, "GroupMMAE5M2", sums.bits(), &a, nil, &b)
}

// GroupMMAE5M2F16From is [GroupMMAE5M2From] with sums in f16.
func GroupMMAE5M2F16From[A HalfArray](t Thread, sums *HalfSums[A], a [4]uint32, b SharedMatrix) {
	groupProduct(t, "GroupMMAE5M2F16", sums.words(), &a, nil, &b)
}

// GroupMMAS8From is [GroupMMAF16From] on int8, as for [MMA16x8x32S8].
func GroupMMAS8From[A IntArray](t Thread, sums *IntSums[A], a [4]uint32, b SharedMatrix) {
	groupProduct(t, "GroupMMAS8", sums.bits(), &a, nil, &b)
}

// GroupMMAU8From is [GroupMMAS8From] on uint8.
func GroupMMAU8From[A IntArray](t Thread, sums *IntSums[A], a [4]uint32, b SharedMatrix) {
	groupProduct(t, "GroupMMAU8", sums.bits(), &a, nil, &b)
}

// GroupMMAAndFrom is [GroupMMAF16From] on bits, as for [MMA16x8x256And].
func GroupMMAAndFrom[A IntArray](t Thread, sums *IntSums[A], a [4]uint32, b SharedMatrix) {
	groupProduct(t, "GroupMMAAnd", sums.bits(), &a, nil, &b)
}

// FenceSums lets the products that the warp begins behind it see what its threads have set before: sums, and registers of a (PTX
// wgmma.fence). It stands before the first product, and behind each Set. All threads of a warp execute it together.
func (t Thread) FenceSums() {}

// CommitSums makes the products that the warp has begun since the last call a group (PTX wgmma.commit_group).
func (t Thread) CommitSums() {}

// WaitSums waits until at most pending of the latest groups of the warp have not been added, at most 7 (PTX wgmma.wait_group): 0 waits
// for all. pending must be a constant.
func (t Thread) WaitSums(pending uint32) {}
