package k

import "github.com/weft-gpu/weft/gpu"

// NamedThree has three warps at a named barrier for two: two wait, and one only arrives. If it is among the first two, one waits for ever.
func NamedThree(t gpu.Thread, x *uint32) {
	if t.Warp() == 2 {
		t.ArriveNamed(1, 64)
	} else {
		t.SyncNamed(1, 64)
	}
}

// NamedApart has a lane in each warp that comes late to a named barrier, with a lane that has something else to do: a warp counts once.
func NamedApart(t gpu.Thread, x *uint32) {
	if t.Lane() == 1 {
		gpu.AtomicAdd(x, 1)
	}
	t.SyncNamed(1, 64)
	for gpu.Load(x) < 2 {
	}
}

// NamedPairs has two named barriers, at which the warps wait for each other in turn.
func NamedPairs(t gpu.Thread, x *uint32) {
	if t.Warp() == 0 {
		t.SyncNamed(1, 64)
		t.SyncNamed(2, 64)
	} else {
		t.ArriveNamed(1, 64)
		t.SyncNamed(2, 64)
	}
}
