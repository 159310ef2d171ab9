package reject

import "github.com/weft-gpu/weft/gpu"

// Registers of warpgroups: their numbers are constants that PTX has, in a kernel that begins with a fixed one.

func WithoutLaunchRegisters(t gpu.Thread, out []uint32) {
	t.GiveRegisters(40)
	t.TakeRegisters(40)
}

func OddRegisters(t gpu.Thread, out []uint32) {
	t.LaunchRegisters(96)
	t.TakeRegisters(100)
	t.GiveRegisters(16)
	t.TakeRegisters(264)
	t.TakeRegisters(out[0])
}

func TwoLaunchRegisters(t gpu.Thread, out []uint32) {
	t.LaunchRegisters(96)
	t.LaunchRegisters(128)
}

func ManyLaunchRegisters(t gpu.Thread, out []uint32) {
	t.LaunchRegisters(256)
}
