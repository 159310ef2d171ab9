package ir

import "slices"

// A TensorMap is a parameter of a kernel that describes a tensor in a buffer, and the boxes of it that are copied. It is a struct of
// ordinary leaves, which follow its buffer's base in this order: the length, as many sizes as it has dimensions, one pitch less, as
// many sizes of a box, the swizzle, and the bytes of a box.

// MaxTensorDims is the largest number of dimensions of a TensorMap here. PTX has five.
const MaxTensorDims = 3

// TensorLeaves are the places of the leaves of a TensorMap, from that of its buffer's base.
type TensorLeaves struct {
	Sizes, Pitches, Box, Swizzle, Bytes int
}

// TensorLeavesOf returns the places of the leaves of a TensorMap of some dimensions.
func TensorLeavesOf(dims int) TensorLeaves {
	return TensorLeaves{Sizes: 2, Pitches: 2 + dims, Box: 1 + 2*dims, Swizzle: 1 + 3*dims, Bytes: 2 + 3*dims}
}

// TensorDims returns how many dimensions the tensor has of which o copies a box; 0 if it copies none.
func (o Op) TensorDims() int {
	switch {
	case o >= OpTensorCopy1 && o <= OpTensorCopy3:
		return int(o-OpTensorCopy1) + 1
	case o >= OpTensorMulticast1 && o <= OpTensorMulticast3:
		return int(o-OpTensorMulticast1) + 1
	case o.ByMap():
		return MaxTensorDims
	case o >= OpTensorStore1 && o <= OpTensorStore3:
		return int(o-OpTensorStore1) + 1
	}
	return 0
}

// BringsBulk reports whether o copies in bulk to shared memory, and completes on an mbarrier.
func (o Op) BringsBulk() bool { return o >= OpBulkCopy && o <= OpMapMulticast }

// SendsValue reports whether o sends values to shared memory of a block of the cluster, and completes on an mbarrier there. Updates says what they do.
// The first one is operand SentValue.
func (o Op) SendsValue() bool { return o >= OpSendStore && o <= OpSendXor }

// SentValue is the number of the operand that is the first value of an op that SendsValue.
const SentValue = 4

// Completes reports whether o brings bytes to shared memory, and to an mbarrier, which is operand 3.
func (o Op) Completes() bool { return o.BringsBulk() || o.SendsValue() }

// Multicasts reports whether o copies to several blocks of the cluster. Operand MulticastMask is the mask of their ranks.
func (o Op) Multicasts() bool {
	return o >= OpBulkMulticast && o <= OpTensorMulticast3 || o == OpMapMulticast
}

// MulticastMask is the number of the operand with the ranks of the blocks that a copy is for, as bits, unless the words of a map have it.
const MulticastMask = 4

// Ranks returns the number of the operand of a multicast that has the ranks of the blocks that it is for, and from which bit on.
func (o Op) Ranks() (operand int, from uint) {
	if o.ByMap() {
		return o.NArgs() - MapWords, mapRanks
	}
	return MulticastMask, 0
}

// mapRanks is tensormap.RanksAt.
const mapRanks = 32

// ToCluster reports whether o copies in bulk, or sends values, to shared memory of other blocks of the cluster.
func (o Op) ToCluster() bool { return o == OpBulkSend || o.Multicasts() || o.SendsValue() }

// StoresBulk reports whether o copies in bulk from shared to global memory, and updates nothing there.
func (o Op) StoresBulk() bool { return o >= OpBulkStore && o <= OpMapStore }

// ByMap reports whether o copies a box of a tensor that words among its operands describe, and not a parameter of the kernel. TensorDims is then the number
// of its coordinates, of which the last may not be used.
func (o Op) ByMap() bool { return o == OpMapCopy || o == OpMapMulticast || o == OpMapStore }

// MapWords is how many words of a tensor map are operands.
const MapWords = 4

// Coordinates returns the number of the operand that is the first coordinate of a box.
func (o Op) Coordinates() int {
	if o.ByMap() {
		return o.NArgs() - o.TensorDims() - MapWords
	}
	return o.NArgs() - o.TensorDims()
}

// TensorUse is a tensor map of which a program copies boxes.
type TensorUse struct {
	Root   int32 // of its buffer
	Dims   int
	Stored bool // some of the boxes are stored
}

// TensorsOf returns the tensor maps of which code copies boxes, in the order of the first copy of each.
func TensorsOf(code []Inst) (list []TensorUse) {
	for i := range code {
		in := &code[i]
		if in.Op.TensorDims() == 0 || in.Op.ByMap() {
			continue
		}
		at := slices.IndexFunc(list, func(t TensorUse) bool { return t.Root == in.Root })
		if at < 0 {
			at, list = len(list), append(list, TensorUse{Root: in.Root, Dims: in.Op.TensorDims()})
		}
		list[at].Stored = list[at].Stored || in.Op.StoresBulk()
	}
	return list
}
