package sim

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/occupancy"
)

// Occupancy returns how many blocks of a launch fit on an SM of a machine, with the rules of CUDA's occupancy
// calculator: from the threads per block, the registers per thread (l.Regs; 0 means the kernel's estimate), and the
// static and dynamic shared memory. It ignores the grid and the arguments. The error is a *device.ArgError if no block
// fits.
func Occupancy(m *config.GPU, l device.Launch) (device.Occupancy, error) {
	return occupancy.Of(m, l.Kernel, l.Shape().Threads(), l.Regs, l.DynamicShared)
}
