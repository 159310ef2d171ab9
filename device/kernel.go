package device

import "context"

// Kernels finds compiled kernels for host loops.
type Kernels interface {
	// Kernel compiles (or finds) an entry point: "micro.Copy", or an
	// instantiation that nobody wrote down, such as
	// "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]". bind gives
	// values to parameters that are fixed at compile time, by name; nil for none.
	// Cancelling ctx ends it with ctx's error.
	Kernel(ctx context.Context, entry string, bind map[string]any) (*Kernel, error)
}

// Kernel is a compiled kernel. A Kernels makes it, and every device can launch
// it. It does not change.
type Kernel struct {
	Name   string  // "micro.Copy"
	Params []Param // of the Go function, after gpu.Thread
	// Registers is an estimate of the 32-bit registers per thread. A device may know
	// better: see Occupancy.Regs.
	Registers int
	Shared    int // bytes of shared memory per block, without dynamic shared memory
	Local     int // bytes of local memory per thread
	Barriers  int // barriers that a block takes for SyncNamed and ArriveNamed; 0 if it has none of these

	code any
}

// NewKernel returns a copy of k whose compiled form is code. The compiler calls
// it. A Kernel that is made otherwise has no code, and devices refuse to launch
// it.
func NewKernel(k Kernel, code any) *Kernel {
	k.code = code
	return &k
}

// Code returns the compiled form of the kernel, nil if it has none. It is for
// the devices of this module; its type is theirs to know.
func (k *Kernel) Code() any { return k.code }

// Param is one parameter of a kernel.
type Param struct {
	Name  string
	Type  string // the Go type as written: "[]uint32", "scheduler.Graph"
	Bound bool   // fixed when the kernel was compiled: a launch has no argument for it
	// Parts are the scalars, slices and pointers that the parameter consists of:
	// itself, or those of its fields and elements in order. A bound parameter has none.
	Parts []Part
}

// Part is a scalar, slice or pointer in a parameter.
type Part struct {
	Name string // "depth", "g.Row" for field Row of parameter g, "p.0" for the first element of an array
	Form Form
	// Kind is the type of the scalar, or of the elements of the slice or pointer. For
	// elements that are arrays it is the type of theirs; for structs it is 0.
	Kind Kind
	Size int // bytes of an element
}

// Form tells scalars, slices and pointers apart.
type Form uint8

// The forms. A launch takes a Go value for a Scalar, and a Buffer for the others.
const (
	Scalar Form = iota
	Slice
	Pointer
)

// String returns "scalar", "slice" or "pointer".
func (f Form) String() string {
	return [...]string{"scalar", "slice", "pointer"}[f]
}
