package hw

import (
	"context"

	"github.com/weft-gpu/weft/device"
)

// Info describes a GPU and its driver.
type Info struct {
	Index               int
	Name                string
	DriverVersion       int // CUDA version of the driver, 1000*major + 10*minor
	Major, Minor        int // compute capability
	SMs                 int
	ClockKHz            int // highest SM clock
	MemoryClockKHz      int
	MemoryBusBits       int
	L2Bytes             int
	ThreadsPerSM        int
	BlocksPerSM         int
	RegistersPerSM      int
	SharedPerSM         int // bytes
	SharedPerBlock      int // bytes, at most
	ReservedShared      int // bytes per block that the driver takes
	MemoryFree, Memory  uint64
	SupportsCooperative bool
	// EventOverhead is what events around a lone launch measure beyond the
	// launch, in seconds; times of launches are given without it.
	EventOverhead float64
	// AnswerOverhead is the same for launches with kernels of Weft around them.
	AnswerOverhead float64
	// Pinned reports that the GPU copies from and to the shared memory by itself;
	// Answers, that kernels of Weft write the times and answers of launches there.
	Pinned, Answers bool
}

// Info returns what the driver says of the GPU.
func (d *Device) Info() Info { return Info(d.info) }

// FuncInfo is what the driver made of a kernel.
type FuncInfo struct {
	Registers  int    // 32-bit registers per thread
	Shared     int    // bytes of shared memory per block
	Local      int    // bytes per thread, for spills and local arrays
	MaxThreads int    // per block, at most
	Log        string // of the driver's compiler
}

// Function builds a kernel, and returns what the driver made of it.
func (d *Device) Function(k *device.Kernel) (FuncInfo, error) {
	c, err := d.load(context.Background(), k, !d.opts.NoReadOnlyPath)
	if err != nil {
		return FuncInfo{}, err
	}
	f := &c.info
	return FuncInfo{Registers: f.Registers, Shared: f.Shared, Local: f.Local, MaxThreads: f.MaxThreads, Log: f.Log}, nil
}
