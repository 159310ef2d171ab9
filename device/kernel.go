package device

import "context"

// Kernels finds compiled kernels for host loops.
type Kernels interface {
	// Kernel returns a compiled entry point: "micro.Copy", or an instantiation that no
	// source file contains, such as "bsp.Push[kernels.BFS, scheduler.WarpPerVertex,
	// uint32]". bind has the values of parameters that are fixed at compile time, by name;
	// it may be nil. If ctx is canceled, Kernel returns ctx's error.
	Kernel(ctx context.Context, entry string, bind map[string]any) (*Kernel, error)
}

// Kernel is a compiled kernel, as a Kernels returns it. Every device can launch it. It is
// immutable.
type Kernel struct {
	Name   string  // "micro.Copy"
	Params []Param // of the Go function, after gpu.Thread
	// Registers is an estimate of the number of 32-bit registers per thread. A device may
	// know better: see Occupancy.Regs.
	Registers int
	Shared    int // bytes of shared memory per block, without dynamic shared memory
	Local     int // bytes of local memory per thread
	Barriers  int // named barriers that a block uses for SyncNamed and ArriveNamed; 0 if it uses none
	// MaxThreads is the largest number of threads per block with which a kernel may be launched: in Go by a comment
	// //weft:block, in PTX by .maxntid or .reqntid; 0: any that the device takes.
	MaxThreads int

	code any
}

// NewKernel returns a copy of k whose compiled form is code. The compiler calls it. A
// Kernel made in another way has no code, and devices return an error for its launch.
func NewKernel(k Kernel, code any) *Kernel {
	k.code = code
	return &k
}

// Code returns the compiled form of the kernel, or nil if it has none. It is for the
// devices of this module, which know its type.
func (k *Kernel) Code() any { return k.code }

// Param is one parameter of a kernel.
type Param struct {
	Name  string
	Type  string // the Go type as written: "[]uint32", "scheduler.Graph"
	Bound bool   // fixed when the kernel was compiled: a launch has no argument for it
	// Parts are the scalars, slices and pointers that make up the parameter: the parameter
	// itself, or those of its fields and elements in order. A bound parameter has none.
	Parts []Part
	// Bytes is the size of a parameter of a kernel read from PTX, and Align its alignment; 0
	// for kernels in Go. Its argument is a []byte of that length, or a number, a Buffer, or a
	// struct or array of these, laid out as C does.
	Bytes, Align int
}

// Part is a scalar, slice or pointer in a parameter.
type Part struct {
	Name string // "depth", "g.Row" for field Row of parameter g, "p.0" for the first element of an array
	Form Form
	// Kind is the type of the scalar, or of the elements of the slice or pointer. If the
	// elements are arrays, it is the type of their elements; if they are structs, it is 0.
	Kind Kind
	Size int // bytes of an element
}

// Form distinguishes scalars, slices and pointers.
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
