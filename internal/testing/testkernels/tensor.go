package testkernels

import "github.com/weft-gpu/weft/gpu"

// Turn transposes a matrix of uint32: each block brings a box of 32x32 elements to shared memory, and stores it turned round to a box of out.
// Boxes at the edges are in part outside of both.
func Turn(t gpu.Thread, in, out gpu.TensorMap2[uint32]) {
	tile := gpu.Shared[[32][32]uint32](t)
	turned := gpu.Shared[[32][32]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	wide := (in.Sizes[0] + 31) / 32
	x, y := t.Block()%wide*32, t.Block()/wide*32
	if t.Idx() == 0 {
		full.Init(1)
	}
	t.Sync()
	if t.Idx() == 0 {
		full.ArriveExpect(in.Bytes)
		gpu.CopyTensor2(&tile[0][0], in, int32(x), int32(y), full)
	}
	full.Wait(0)
	for i := t.Idx(); i < 32*32; i += t.BlockDim() {
		turned[i%32][i/32] = tile[i/32][i%32]
	}
	t.FenceAsync()
	t.Sync()
	if t.Idx() == 0 {
		gpu.StoreTensor2(&turned[0][0], out, int32(y), int32(x))
		t.CommitBulk()
		t.WaitBulkRead(0)
	}
}

// Boxes1, Boxes2 and Boxes3 copy the box at some coordinates of a tensor to shared memory, the words of that as they lie to seen, and then the
// box to some coordinates of another tensor.
func Boxes1[T gpu.Num](t gpu.Thread, from, to gpu.TensorMap1[T], at, into [1]int32, seen []T) {
	tile := gpu.Shared[[1024]T](t)
	full := gpu.Shared[gpu.MBarrier](t)
	begin(t, full)
	if t.Idx() == 0 {
		full.ArriveExpect(from.Bytes)
		gpu.CopyTensor1(&tile[0], from, at[0], full)
	}
	full.Wait(0)
	look(t, tile, seen)
	if t.Idx() == 0 {
		gpu.StoreTensor1(&tile[0], to, into[0])
	}
	end(t)
}

// Boxes2 is Boxes1 of two dimensions.
func Boxes2[T gpu.Num](t gpu.Thread, from, to gpu.TensorMap2[T], at, into [2]int32, seen []T) {
	tile := gpu.Shared[[1024]T](t)
	full := gpu.Shared[gpu.MBarrier](t)
	begin(t, full)
	if t.Idx() == 0 {
		full.ArriveExpect(from.Bytes)
		gpu.CopyTensor2(&tile[0], from, at[0], at[1], full)
	}
	full.Wait(0)
	look(t, tile, seen)
	if t.Idx() == 0 {
		gpu.StoreTensor2(&tile[0], to, into[0], into[1])
	}
	end(t)
}

// Boxes3 is Boxes1 of three dimensions.
func Boxes3[T gpu.Num](t gpu.Thread, from, to gpu.TensorMap3[T], at, into [3]int32, seen []T) {
	tile := gpu.Shared[[1024]T](t)
	full := gpu.Shared[gpu.MBarrier](t)
	begin(t, full)
	if t.Idx() == 0 {
		full.ArriveExpect(from.Bytes)
		gpu.CopyTensor3(&tile[0], from, at[0], at[1], at[2], full)
	}
	full.Wait(0)
	look(t, tile, seen)
	if t.Idx() == 0 {
		gpu.StoreTensor3(&tile[0], to, into[0], into[1], into[2])
	}
	end(t)
}

func begin(t gpu.Thread, full *gpu.MBarrier) {
	if t.Idx() == 0 {
		full.Init(1)
	}
	t.Sync()
}

func look[T gpu.Num](t gpu.Thread, tile *[1024]T, seen []T) {
	for i := t.Idx(); i < gpu.Len(seen); i += t.BlockDim() {
		seen[i] = tile[i]
	}
}

func end(t gpu.Thread) {
	if t.Idx() == 0 {
		t.CommitBulk()
		t.WaitBulk(0)
	}
}

// BoxMisuse does with a box of 4,096 bytes, of rows of 128 bytes, what a copy must not do, or what nobody must do while it is pending.
func BoxMisuse(t gpu.Thread, what uint32, m gpu.TensorMap2[uint32]) {
	w := gpu.Shared[[2048]uint32](t)
	full := gpu.Shared[gpu.MBarrier](t)
	begin(t, full)
	if t.Idx() > 0 {
		return
	}
	full.ArriveExpect(m.Bytes)
	at := uint32(0)
	switch what {
	case 0:
		at = 16
	case 1:
		at = 1056
	case 2:
		at = 32
	}
	x := int32(0)
	if what == 3 {
		x = -3
	}
	gpu.CopyTensor2(&w[at], m, x, 0, full)
	switch what {
	case 4:
		full.Wait(0)
		t.FenceAsync()
		gpu.StoreTensor2(&w[0], m, 0, -1)
		t.CommitBulk()
		t.WaitBulk(0)
		return
	case 5:
		m.Data[0] = w[9]
	case 6:
		m.Data[208] = 1
	}
	full.Wait(0)
}
