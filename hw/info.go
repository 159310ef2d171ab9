package hw

import (
	"context"

	"github.com/weft-gpu/weft/device"
)

// Info describes a GPU and its driver. Package worker has the same fields, which come from
// the child process; the conversion in Device.Info compiles only while the two agree.
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
	SharedPerBlock      int // bytes, maximum
	ReservedShared      int // bytes per block that the driver reserves
	MemoryFree, Memory  uint64
	SupportsCooperative bool
	// EventOverhead is the time that events around a single launch measure in addition to the launch, in seconds;
	// reported times do not include it.
	EventOverhead float64
	// AnswerOverhead is the same for launches between Weft's own kernels.
	AnswerOverhead float64
	// Pinned means that the GPU copies to and from the shared memory by itself; Answers means that Weft's own kernels
	// write the times and answers of launches there.
	Pinned, Answers bool
}

// Overhead returns what the measured times of single launches include in addition to the launch, in seconds, and reported times do not.
func (i Info) Overhead() float64 {
	if i.Answers {
		return i.AnswerOverhead
	}
	return i.EventOverhead
}

// Info returns the properties of the GPU and its driver.
func (d *Device) Info() Info { return Info(d.info) }

// FuncInfo describes a kernel as built by the driver.
type FuncInfo struct {
	Registers  int    // 32-bit registers per thread
	Shared     int    // bytes of shared memory per block
	Local      int    // bytes per thread, for spills and local arrays
	MaxThreads int    // maximum threads per block
	Const      int    // bytes of constant memory
	PTX        int    // the version of the PTX: 70
	Binary     int    // the architecture for which it was compiled: 90
	Log        string // output of the driver's compiler
}

// Function builds a kernel, and returns its properties.
func (d *Device) Function(k *device.Kernel) (FuncInfo, error) {
	defer d.calls.Begin().End()
	c, err := d.load(context.Background(), k, !d.opts.NoReadOnlyPath, alone)
	if err != nil {
		return FuncInfo{}, err
	}
	f := &c.info
	return FuncInfo{Registers: f.Registers, Shared: f.Shared, Local: f.Local, MaxThreads: f.MaxThreads, Const: f.Const, PTX: f.PTX, Binary: f.Binary, Log: f.Log}, nil
}
