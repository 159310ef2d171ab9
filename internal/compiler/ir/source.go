package ir

// Source names an access to memory or a fence as a kernel writes it: "gpu.LoadAcquire", "plain store".
func (in *Inst) Source() string {
	store := in.Op.Action() == ActStore
	switch {
	case in.Op == OpFence && in.Mem.Order == SeqCst:
		return "gpu.FenceSC"
	case in.Op == OpFence:
		return "gpu.Fence"
	case in.Op.IsAtomic():
		return "gpu." + Ops[in.Op].Func
	case store && in.Mem.Order == Weak:
		return "plain store"
	case store && in.Mem.Order == Release:
		return "gpu.StoreRelease"
	case store:
		return "gpu.Store"
	case in.Mem.Order == Weak:
		return "plain load"
	case in.Mem.Order == Acquire:
		return "gpu.LoadAcquire"
	}
	return "gpu.Load"
}
