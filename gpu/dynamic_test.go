package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

type entry struct {
	N   uint32
	Sum float64
}

func TestDynamicShared(t *testing.T) {
	out := make([]uint32, 2*32)
	require.NoError(t, gpu.Launch(2, 32, func(t gpu.Thread) {
		q := gpu.DynamicShared[uint32](t)
		e := gpu.DynamicSharedAt[entry](t, 128)
		if len(q) != 67 || len(e) != 8 || t.DynamicBytes() != 271 || len(gpu.DynamicSharedAt[uint8](t, 300)) != 0 {
			panic("lengths")
		}
		q[t.Idx()] = t.Global()
		if t.Idx() < 8 {
			e[t.Idx()] = entry{t.Idx(), 0.5}
		}
		t.Sync()
		gpu.AtomicAdd(&e[t.Idx()%8].Sum, 1)
		t.Sync()
		half := gpu.DynamicSharedAt[[2]uint16](t, 4) // the same bytes
		out[t.Global()] = q[31-t.Idx()] + uint32(e[3].Sum)<<8
		if t.Idx() < 31 && uint32(half[t.Idx()][0]) != t.Global()+1 {
			panic("views")
		}
	}, gpu.DynamicSharedBytes(271)))
	for i, v := range out {
		require.Equal(t, uint32(i/32*32+31-i%32)+4<<8, v)
	}
}

func TestDynamicSharedErrors(t *testing.T) {
	for what, kernel := range map[string]func(t gpu.Thread){
		"index out of range [25] with length 25":                                          func(t gpu.Thread) { gpu.DynamicShared[uint32](t)[25] = 1 },
		"DynamicShared: offset 6 is not a multiple of 4, the alignment of uint32":         func(t gpu.Thread) { gpu.DynamicSharedAt[uint32](t, 6) },
		"DynamicShared: *uint32 contains pointers":                                        func(t gpu.Thread) { gpu.DynamicShared[*uint32](t) },
		"DynamicShared: [2]bool contains a bool, for which arbitrary bytes are not valid": func(t gpu.Thread) { gpu.DynamicShared[[2]bool](t) },
		"DynamicShared: struct {} has no bytes":                                           func(t gpu.Thread) { gpu.DynamicShared[struct{}](t) },
		"byte 8 of a shared variable is read, but no thread of the block has written it":  func(t gpu.Thread) { gpu.AtomicAdd(&gpu.DynamicShared[uint32](t)[2], 1) },
	} {
		err := gpu.Launch(1, 32, kernel, gpu.DynamicSharedBytes(100))
		var f *gpu.Fault
		require.ErrorAs(t, err, &f, what)
		assert.Equal(t, what, f.What)
		assert.Contains(t, f.At[0].String(), "gpu/dynamic_test.go:", what)
	}
	err := gpu.Launch(1, 1, func(t gpu.Thread) { gpu.DynamicShared[uint32](t)[0] = 1 })
	assert.ErrorContains(t, err, "index out of range [0] with length 0")
	for _, n := range []int{-1, 1<<20 + 1} {
		err := gpu.Launch(1, 1, func(gpu.Thread) { t.Error("a thread ran") }, gpu.DynamicSharedBytes(n))
		assert.ErrorContains(t, err, "bytes of dynamic shared memory: want 0 to 1048576")
	}
}
