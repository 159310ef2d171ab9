// Package registers has kernels of two warpgroups, of which one waits for registers for ever. The parameter clean is 1 for the kernel without
// its mistake.
package registers

import "github.com/weft-gpu/weft/gpu"

// NobodyGives has a warpgroup that takes registers which nobody has given back.
func NobodyGives(t gpu.Thread, clean uint32, out []uint32) {
	t.LaunchRegisters(96)
	if t.Warp() < 4 {
		if clean == 1 {
			t.GiveRegisters(40)
		}
	} else {
		t.TakeRegisters(152) // 56 more
	}
	out[t.Global()] = 1
}

// GivesTooFew gives fewer back than the others take.
func GivesTooFew(t gpu.Thread, clean uint32, out []uint32) {
	t.LaunchRegisters(96)
	switch {
	case t.Warp() >= 4:
		t.TakeRegisters(152) // 56 more
	case clean == 1:
		t.GiveRegisters(40)
	default:
		t.GiveRegisters(48) // of 96, so that 48 are free
	}
	out[t.Global()] = 1
}

// GivesBehindWait gives registers back only when the others have done what they need these for.
func GivesBehindWait(t gpu.Thread, clean uint32, out []uint32) {
	t.LaunchRegisters(96)
	done := gpu.Shared[gpu.MBarrier](t)
	if t.Idx() == 0 {
		done.Init(128)
	}
	t.Sync()
	if t.Warp() < 4 {
		if clean == 1 {
			t.GiveRegisters(40)
		}
		done.Wait(0)
		if clean == 0 {
			t.GiveRegisters(40) // behind the wait
		}
	} else {
		t.TakeRegisters(152)
		done.Arrive()
	}
	out[t.Global()] = 1
}
