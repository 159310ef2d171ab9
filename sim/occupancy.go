package sim

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/occupancy"
)

// Occupancy returns how many blocks of a launch fit on an SM of a machine, as
// CUDA's occupancy calculator does: from the threads per block, the registers per
// thread (l.Regs; 0 is the kernel's estimate), and static and dynamic shared
// memory. It reads neither the grid nor the arguments. The error is a
// *device.ArgError if no block fits.
func Occupancy(m *config.GPU, l device.Launch) (device.Occupancy, error) {
	return occupancy.Of(m, l.Kernel, l.Shape().Threads(), l.Regs, l.DynamicShared)
}
