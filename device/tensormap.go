package device

// TensorMap1, TensorMap2 and TensorMap3 are the arguments for parameters of types gpu.TensorMap1, gpu.TensorMap2 and gpu.TensorMap3, which
// say what the fields are: sizes, pitches and boxes in elements of the buffer.
type (
	TensorMap1 struct {
		Data    Buffer
		Sizes   [1]uint32
		Pitches [0]uint32
		Box     [1]uint32
		Swizzle uint32
		Bytes   uint32
	}
	TensorMap2 struct {
		Data    Buffer
		Sizes   [2]uint32
		Pitches [1]uint32
		Box     [2]uint32
		Swizzle uint32
		Bytes   uint32
	}
	TensorMap3 struct {
		Data    Buffer
		Sizes   [3]uint32
		Pitches [2]uint32
		Box     [3]uint32
		Swizzle uint32
		Bytes   uint32
	}
)

// NewTensorMap1 returns a map of a whole buffer with boxes of so many elements.
func NewTensorMap1(data Buffer, box, swizzle uint32) TensorMap1 {
	return TensorMap1{Data: data, Sizes: [1]uint32{uint32(data.Len)}, Box: [1]uint32{box}, Swizzle: swizzle, Bytes: box * uint32(data.Elem.Bytes())}
}

// NewTensorMap2 returns a map of a tensor whose rows follow each other in a buffer.
func NewTensorMap2(data Buffer, sizes, box [2]uint32, swizzle uint32) TensorMap2 {
	return TensorMap2{Data: data, Sizes: sizes, Pitches: [1]uint32{sizes[0]}, Box: box, Swizzle: swizzle, Bytes: box[0] * box[1] * uint32(data.Elem.Bytes())}
}

// NewTensorMap3 is NewTensorMap2 of three dimensions.
func NewTensorMap3(data Buffer, sizes, box [3]uint32, swizzle uint32) TensorMap3 {
	return TensorMap3{Data: data, Sizes: sizes, Pitches: [2]uint32{sizes[0], sizes[0] * sizes[1]}, Box: box, Swizzle: swizzle,
		Bytes: box[0] * box[1] * box[2] * uint32(data.Elem.Bytes())}
}
