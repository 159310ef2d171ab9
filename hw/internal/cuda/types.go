package cuda

import "fmt"

// Missing is the error that the machine lacks something.
type Missing struct{ What string }

// Error says what is missing and what to do.
func (m *Missing) Error() string {
	return m.What + "; run on a machine with an NVIDIA GPU and its driver, or choose a simulated device such as sim:h200"
}

// Error is an error returned by the driver.
type Error struct {
	Call string // "cuMemAlloc_v2"
	Code int
	Name string // "CUDA_ERROR_OUT_OF_MEMORY"
	Text string
}

// Error returns the call and the error.
func (e *Error) Error() string {
	if e.Code == 0 {
		return fmt.Sprintf("%s: %s", e.Call, e.Text)
	}
	return fmt.Sprintf("%s: %s (%d): %s", e.Call, e.Name, e.Code, e.Text)
}

// Sticky reports whether the context is unusable after the error.
func (e *Error) Sticky() bool {
	switch e.Code {
	case 700, 702, 708, 709, 710, 714, 715, 716, 717, 718, 719, 999, 4:
		return true
	}
	return false
}

// DeviceAttribute is a CUdevice_attribute.
type DeviceAttribute int

// The attributes used by this module.
const (
	MaxThreadsPerBlock  DeviceAttribute = 1
	WarpSize            DeviceAttribute = 10
	ClockRate           DeviceAttribute = 13 // kHz
	SMCount             DeviceAttribute = 16
	MemoryClockRate     DeviceAttribute = 36 // kHz
	MemoryBusWidth      DeviceAttribute = 37 // bits
	L2Bytes             DeviceAttribute = 38
	ThreadsPerSM        DeviceAttribute = 39
	CapabilityMajor     DeviceAttribute = 75
	CapabilityMinor     DeviceAttribute = 76
	SharedPerSM         DeviceAttribute = 81
	RegistersPerSM      DeviceAttribute = 82
	CooperativeLaunch   DeviceAttribute = 95
	SharedPerBlockOptin DeviceAttribute = 97
	BlocksPerSM         DeviceAttribute = 106
	ReservedShared      DeviceAttribute = 111
)

// FunctionAttribute is a CUfunction_attribute.
type FunctionAttribute int

// The attributes used by this module; sizes are in bytes.
const (
	FuncMaxThreads FunctionAttribute = 0
	FuncShared     FunctionAttribute = 1
	FuncConst      FunctionAttribute = 2
	FuncLocal      FunctionAttribute = 3
	FuncRegisters  FunctionAttribute = 4
	FuncPTX        FunctionAttribute = 5 // the version of the PTX that it was compiled from, 70
	FuncBinary     FunctionAttribute = 6 // the architecture that it was compiled for, 90
)

// PeerAttribute is a CUdevice_P2PAttribute.
type PeerAttribute int

// The attributes used by this module.
const (
	PeerAccess  PeerAttribute = 2
	PeerAtomics PeerAttribute = 3 // the link does atomics; PCI Express does not
)
