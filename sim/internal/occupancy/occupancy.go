package occupancy

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/config"
)

// Of computes how many blocks of a kernel fit on an SM of the machine, with the rules of CUDA's occupancy calculator:
// registers are allocated to warps in units, separately in each sub-core; shared memory is allocated to blocks in
// units, including the driver's reserve. regs is the number of registers per thread (0 for the compiler's estimate),
// and dynamic is the dynamic shared memory per block in bytes, in addition to the kernel's own.
func Of(cfg *config.GPU, k *device.Kernel, threads, regs, dynamic int) (device.Occupancy, error) {
	sm := &cfg.SM
	fail := func(format string, args ...any) (device.Occupancy, error) {
		return device.Occupancy{}, &device.ArgError{Kernel: k.Name, What: fmt.Sprintf(format, args...)}
	}
	if threads < 1 || threads > sm.BlockThreads {
		return fail("a block of %d threads; it may have 1 to %d", threads, sm.BlockThreads)
	}
	o := device.Occupancy{MaxWarps: sm.Warps, SMs: sm.Count, Regs: regs, RegsPerSM: sm.Registers, Shared: k.Shared + dynamic}
	if regs == 0 {
		o.Regs, o.Estimated = max(k.Registers, 1), true
	}
	if o.Regs > sm.ThreadRegisters {
		if regs != 0 {
			return fail("%d registers per thread; the maximum is %d", o.Regs, sm.ThreadRegisters)
		}
		o.Regs = sm.ThreadRegisters // hardware would spill the rest
	}
	if o.Shared > sm.SharedBlock {
		return fail("a block uses %d bytes of shared memory; the maximum is %d", o.Shared, sm.SharedBlock)
	}
	warps := (threads + 31) / 32
	perWarp := Registers(sm, o.Regs, 1)
	if need := perWarp * roundUp(warps, sm.SubCores); need > sm.BlockRegisters {
		return fail("a block uses %d registers (%d per thread); the maximum is %d", need, o.Regs, sm.BlockRegisters)
	}
	o.BlocksPerSM, o.Limit = sm.Blocks, "blocks"
	limit := func(n int, what string) {
		if n < o.BlocksPerSM {
			o.BlocksPerSM, o.Limit = n, what
		}
	}
	limit(sm.Warps/warps, "warps")
	limit(sm.Threads/(warps*32), "warps")
	limit(sm.Registers/sm.SubCores/perWarp*sm.SubCores/warps, "registers")
	if per := withReserve(sm, o.Shared); per > 0 {
		limit(sm.SharedBytes/per, "shared memory")
	}
	if n := k.Barriers; n > 0 && sm.Barriers > 0 {
		limit(sm.Barriers/n, "barriers")
	}
	o.WarpsPerSM = o.BlocksPerSM * warps
	if o.BlocksPerSM == 0 {
		return fail("no block fits on an SM: limited by %s", o.Limit)
	}
	o.SharedFree = max(0, min(sm.SharedBlock, sm.SharedBytes/o.BlocksPerSM/sm.SharedGranularity*sm.SharedGranularity-sm.SharedReserve)-o.Shared)
	return o, nil
}

// Registers returns the registers that the given number of warps occupy on an SM.
func Registers(sm *config.SM, perThread, warps int) int {
	return roundUp(perThread*32, sm.RegisterUnit) * warps
}

// Shared returns the bytes of shared memory that a block occupies on an SM, including the driver's reserve; 0 for a
// block that uses none.
func Shared(sm *config.SM, bytes int) int {
	if bytes == 0 {
		return 0
	}
	return withReserve(sm, bytes)
}

// withReserve adds the driver's reserve, which CUDA's occupancy calculator counts even for a block without shared
// memory.
func withReserve(sm *config.SM, bytes int) int {
	return roundUp(bytes+sm.SharedReserve, sm.SharedGranularity)
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// carveOuts are the sizes in KiB to which the driver can set the part of a unified cache that is shared memory, for any
// GPU; one with less shared memory has those up to its limit, and its limit (CUDA C++ Programming Guide, shared memory
// of compute capability 7.0, 8.0 and 9.0).
var carveOuts = [...]int{0, 8, 16, 32, 64, 100, 132, 164, 196, 228}

// CarveOut returns how much of a unified cache becomes shared memory for a kernel of which so many blocks fit on an SM,
// each with so many threads and bytes of shared memory: a step that holds them all, including the driver's reserve. It
// is the smallest one, unless l1.carve_out is ample.
func CarveOut(cfg *config.GPU, threads, blocks, bytes int) int {
	sm := &cfg.SM
	per := withReserve(sm, bytes)
	size := step(sm, blocks*per)
	if cfg.L1.CarveOut == "fit" || threads >= sm.BlockThreads && bytes > 0 {
		return size
	}
	// What driver 580 chose on an H200, for blocks of 32 to 1,024 threads with 0 to 96 KiB: room for twice as many
	// blocks, unless that is more than 132 KiB; for four times as many, but at most 32 KiB, without shared memory. The
	// choice for blocks of the largest size, if they have shared memory, was the smallest step.
	more, most := 2, 132<<10
	if bytes == 0 {
		more, most = 4, 32<<10
	}
	return max(size, min(step(sm, min(more*blocks, sm.Blocks)*per), step(sm, most)))
}

// step returns the smallest size of shared memory that holds so many bytes.
func step(sm *config.SM, bytes int) int {
	for _, k := range carveOuts {
		if size := min(k<<10, sm.SharedBytes); size >= bytes {
			return size
		}
	}
	return sm.SharedBytes
}
