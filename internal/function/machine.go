package function

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// The machine for which occupancy is computed: eight SMs with the limits of
// compute capability 8.0 (CUDA C++ Programming Guide, "Compute Capabilities").
// It determines how many blocks take turns at the same time.
const (
	sms            = 8
	blocksPerSM    = 32
	warpsPerSM     = 64
	regsPerSM      = 64 << 10
	regUnit        = 256 // registers, allocated per warp
	maxRegs        = 255 // per thread
	sharedPerSM    = 164 << 10
	sharedPerBlock = 163 << 10
	sharedUnit     = 128
	sharedReserve  = 1 << 10 // of each block, reserved for the system
	localPerThread = 512 << 10
	memoryBytes    = 64 << 30
)

// fit returns how many blocks fit on an SM; regs 0 means the kernel's estimate.
func fit(k *device.Kernel, block, regs, dynamicShared int) (device.Occupancy, error) {
	if k == nil || k.Code() == nil {
		return device.Occupancy{}, &device.ArgError{Kernel: "?", What: "no kernel"}
	}
	fail := func(format string, args ...any) (device.Occupancy, error) {
		return device.Occupancy{}, &device.ArgError{Kernel: k.Name, What: fmt.Sprintf(format, args...)}
	}
	if block < 1 || block > simt.MaxThreads {
		return fail("a block of %d threads; it may have 1 to %d", block, simt.MaxThreads)
	}
	estimated := regs == 0
	if estimated {
		regs = min(max(k.Registers, 16), maxRegs)
	}
	if regs > maxRegs {
		return fail("%d registers a thread; it may have at most %d", regs, maxRegs)
	}
	warps := (block + simt.Lanes - 1) / simt.Lanes
	shared := k.Shared + dynamicShared
	if shared > sharedPerBlock {
		return fail("a block takes %d bytes of shared memory; the device has %d", shared, sharedPerBlock)
	}
	o := device.Occupancy{
		BlocksPerSM: blocksPerSM, MaxWarps: warpsPerSM, SMs: sms, Limit: "blocks",
		Regs: regs, RegsPerSM: regsPerSM, Shared: shared, Estimated: estimated,
	}
	limit := func(n int, what string) {
		if n < o.BlocksPerSM {
			o.BlocksPerSM, o.Limit = n, what
		}
	}
	limit(warpsPerSM/warps, "warps")
	limit(regsPerSM/(warps*roundUp(regs*simt.Lanes, regUnit)), "registers")
	limit(sharedPerSM/roundUp(shared+sharedReserve, sharedUnit), "shared memory")
	if o.BlocksPerSM == 0 {
		return fail("a block of %d threads does not fit an SM: %s", block, o.Limit)
	}
	o.WarpsPerSM = o.BlocksPerSM * warps
	o.SharedFree = max(0, min(sharedPerBlock, sharedPerSM/o.BlocksPerSM/sharedUnit*sharedUnit-sharedReserve)-shared)
	return o, nil
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }
