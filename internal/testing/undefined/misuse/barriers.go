package misuse

import "github.com/weft-gpu/weft/gpu"

// SyncAround has a Sync around which some threads of a warp go, and more behind it.
func SyncAround(t gpu.Thread, out, blank []uint32, zero uint32) {
	if t.Idx() < 40 {
		t.Sync()
	}
	out[t.Idx()] = 1
}

// SyncAroundEnd has nothing behind it.
func SyncAroundEnd(t gpu.Thread, out, blank []uint32, zero uint32) {
	if t.Idx() < 40 {
		t.Sync()
	}
}

// SyncAroundWarp has a Sync around which whole warps go.
func SyncAroundWarp(t gpu.Thread, out, blank []uint32, zero uint32) {
	if t.Warp() == 0 {
		t.Sync()
	}
	out[t.Idx()] = 1
}

// SyncArms has a Sync in both arms of an if by lane.
func SyncArms(t gpu.Thread, out, blank []uint32, zero uint32) {
	if t.Lane()%2 == 0 {
		t.Sync()
	} else {
		t.Sync()
	}
	out[t.Idx()] = 1
}

// SyncArmsWarp has a Sync in both arms of an if by warp.
func SyncArmsWarp(t gpu.Thread, out, blank []uint32, zero uint32) {
	if t.Warp() == 0 {
		t.Sync()
		out[t.Idx()] = 1
	} else {
		t.Sync()
		out[t.Idx()] = 2
	}
}

// SyncTwice has threads that skip the first of two Syncs.
func SyncTwice(t gpu.Thread, out, blank []uint32, zero uint32) {
	if t.Idx() < 40 {
		t.Sync()
	}
	out[t.Idx()] = 1
	t.Sync()
}

// SyncRounds has a Sync in a loop that threads leave after different rounds.
func SyncRounds(t gpu.Thread, out, blank []uint32, zero uint32) {
	for i := t.Idx(); i < 100; i += t.BlockDim() {
		out[t.Idx()] += i
		t.Sync()
	}
}

// SyncKinds has barriers of different kinds.
func SyncKinds(t gpu.Thread, out, blank []uint32, zero uint32) {
	if t.Warp() == 0 {
		t.Sync()
	} else {
		out[t.Idx()] = t.SyncCount(true)
	}
}

// SyncReturned has threads that have returned before the others come to a Sync.
func SyncReturned(t gpu.Thread, out, blank []uint32, zero uint32) {
	if t.Idx() >= 40 {
		return
	}
	t.Sync()
	out[t.Idx()] = 1
}

// CountAround is SyncAround with SyncCount.
func CountAround(t gpu.Thread, out, blank []uint32, zero uint32) {
	if t.Idx() < 40 {
		out[t.Idx()] = t.SyncCount(t.Idx() < 3)
	}
}

// AndArms is SyncArms with SyncAnd.
func AndArms(t gpu.Thread, out, blank []uint32, zero uint32) {
	all := false
	if t.Lane()%2 == 0 {
		all = t.SyncAnd(true)
	} else {
		all = t.SyncAnd(t.Idx() > 3)
	}
	if all {
		out[t.Idx()] = 1
	}
}

// OrAround is SyncAround with SyncOr.
func OrAround(t gpu.Thread, out, blank []uint32, zero uint32) {
	if t.Idx() < 40 && t.SyncOr(t.Idx() == 3) {
		out[t.Idx()] = 1
	}
}

// NamedPart comes to a named barrier with a part of a warp.
func NamedPart(t gpu.Thread, out, blank []uint32, zero uint32) {
	if t.Idx() < 40 {
		t.SyncNamed(1, 64)
	}
	out[t.Idx()] = 1
	t.SyncWarp(gpu.FullMask)
}
