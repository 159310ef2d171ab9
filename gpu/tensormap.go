package gpu

// TensorMap1 describes a tensor of one dimension in a buffer, and the boxes of it that [CopyTensor1] and [StoreTensor1] copy. It is a
// parameter of a kernel. The host passes a device.TensorMap1 for it, and plain Go a value of NewTensorMap1: see [TensorMap2], of which
// all holds.
type TensorMap1[T Num] struct {
	Data    []T
	Sizes   [1]uint32
	Pitches [0]uint32
	Box     [1]uint32
	Swizzle uint32
	Bytes   uint32
}

// TensorMap2 describes a tensor of two dimensions in a buffer, and the boxes of it that [CopyTensor2] and [StoreTensor2] copy: PTX calls
// it a tensor map. It is a parameter of a kernel, whose fields the kernel may read. The host passes a device.TensorMap2 for it, and plain Go
// a value of NewTensorMap2.
//
// Element (x, y) is Data[x + y*Pitches[0]]. A box has Box[0] elements along x, which are consecutive, and Box[1] along y, each at
// most 256. The address of Data, each pitch, and a row of a box, Box[0] elements, are a multiple of 16 bytes. With a Swizzle of 32, 64 or 128,
// which is also the length of a row of a box in bytes, the elements of a box lie where [Swizzle32], [Swizzle64] or [Swizzle128] of their
// offset is; 0 is none.
type TensorMap2[T Num] struct {
	Data    []T
	Sizes   [2]uint32 // elements of the tensor
	Pitches [1]uint32 // elements from one row to the next
	Box     [2]uint32 // elements of a box
	Swizzle uint32
	Bytes   uint32 // of a box, as many as a copy brings to its mbarrier
}

// TensorMap3 is a [TensorMap2] of three dimensions: element (x, y, z) is Data[x + y*Pitches[0] + z*Pitches[1]].
type TensorMap3[T Num] struct {
	Data    []T
	Sizes   [3]uint32
	Pitches [2]uint32
	Box     [3]uint32
	Swizzle uint32
	Bytes   uint32
}

// CopyTensor2 begins an asynchronous copy of a box of a tensor to dst on, in shared memory of the block: PTX cp.async.bulk.tensor.2d. x and
// y are the coordinates of the first element of the box; x is a multiple of 16 bytes. Elements outside of the tensor, at negative coordinates also, are zeros. The box is
// dense, row after row, but for the swizzle of the map. All else is as of [CopyBulk]: one thread begins the copy, which brings m.Bytes
// bytes to b, also where some of them are zeros.
//
// dst must be at a multiple of 128 bytes of shared memory, and with a swizzle at a multiple of 8 times that. Variables of [Shared] that
// are copied so begin at a multiple of 128, and those of 1,024 bytes and more at one of 1,024.
func CopyTensor2[T Num](dst *T, m TensorMap2[T], x, y int32, b *MBarrier) {
	beginTensor(dst, mapOf2(m), x, y, 0, "CopyTensor2", &b.state)
}

// CopyTensor1 is [CopyTensor2] of one dimension.
func CopyTensor1[T Num](dst *T, m TensorMap1[T], x int32, b *MBarrier) {
	beginTensor(dst, mapOf1(m), x, 0, 0, "CopyTensor1", &b.state)
}

// CopyTensor3 is [CopyTensor2] of three dimensions.
func CopyTensor3[T Num](dst *T, m TensorMap3[T], x, y, z int32, b *MBarrier) {
	beginTensor(dst, mapOf3(m), x, y, z, "CopyTensor3", &b.state)
}

// MulticastTensor2 is [CopyTensor2] to several blocks of the cluster at once, as [MulticastBulk] is [CopyBulk]: PTX cp.async.bulk.tensor.2d with
// .multicast::cluster.
func MulticastTensor2[T Num](dst *T, m TensorMap2[T], x, y int32, b *MBarrier, blocks uint16) {
	multicastTensor(dst, mapOf2(m), x, y, 0, "MulticastTensor2", &b.state, blocks)
}

// MulticastTensor1 is [MulticastTensor2] of one dimension.
func MulticastTensor1[T Num](dst *T, m TensorMap1[T], x int32, b *MBarrier, blocks uint16) {
	multicastTensor(dst, mapOf1(m), x, 0, 0, "MulticastTensor1", &b.state, blocks)
}

// MulticastTensor3 is [MulticastTensor2] of three dimensions.
func MulticastTensor3[T Num](dst *T, m TensorMap3[T], x, y, z int32, b *MBarrier, blocks uint16) {
	multicastTensor(dst, mapOf3(m), x, y, z, "MulticastTensor3", &b.state, blocks)
}

// StoreTensor2 begins an asynchronous copy from src on, in shared memory of the block, to a box of a tensor. It lies there as
// [CopyTensor2] brings it, and what is outside of the tensor is not stored. Neither coordinate is negative, and the first size of the tensor is
// a multiple of 16 bytes, since a GPU stores as many at once. All else is as of [StoreBulk]: fences, groups, waits.
func StoreTensor2[T Num](src *T, m TensorMap2[T], x, y int32) {
	beginTensorStore(src, mapOf2(m), x, y, 0, "StoreTensor2")
}

// StoreTensor1 is [StoreTensor2] of one dimension.
func StoreTensor1[T Num](src *T, m TensorMap1[T], x int32) {
	beginTensorStore(src, mapOf1(m), x, 0, 0, "StoreTensor1")
}

// StoreTensor3 is [StoreTensor2] of three dimensions.
func StoreTensor3[T Num](src *T, m TensorMap3[T], x, y, z int32) {
	beginTensorStore(src, mapOf3(m), x, y, z, "StoreTensor3")
}
