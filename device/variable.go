package device

import "fmt"

// Variable is a variable of a module of PTX (__device__ and __constant__ of CUDA). Each
// device that is a VariableHolder has its own memory for it.
type Variable struct {
	Name     string // as the module has it
	Bytes    int
	Constant bool // kernels do not write it
	Managed  bool

	code any
}

// NewVariable returns a copy of v whose form for devices is code. What reads modules calls
// it.
func NewVariable(v Variable, code any) *Variable {
	v.code = code
	return &v
}

// Code returns the form of the variable for devices, or nil if it has none.
func (v *Variable) Code() any { return v.code }

// VariableHolder is a device that has the variables of modules.
type VariableHolder interface {
	// Variable returns the memory of a variable: bytes, of which the device makes room and
	// which get their initial value when it is first asked for, or when a kernel of the
	// module is first launched. It stays until the device is closed.
	Variable(v *Variable) (Buffer, error)
}

// VariableOn returns the memory of a variable of a module on a device; see VariableHolder.
func VariableOn(d Device, v *Variable) (Buffer, error) {
	if h, ok := d.(VariableHolder); ok {
		return h.Variable(v)
	}
	return Buffer{}, fmt.Errorf("%s has no variables of modules", d.Name())
}
