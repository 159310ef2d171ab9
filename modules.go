package weft

import (
	"fmt"
	"os"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
)

// Module is a module of PTX: what clang or nvcc make of the device code of a CUDA program,
// or what was written by hand.
type Module struct{ m *readptx.Module }

// LoadPTX reads a file of PTX, of an ISA up to 9 and any target from sm_50 on. The error
// has the line of what cannot be read. Kernels are built when they are asked for.
func LoadPTX(file string) (*Module, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("weft.LoadPTX: %w", err)
	}
	return ReadPTX(file, text)
}

// ReadPTX is LoadPTX for text in memory; errors call it by name.
func ReadPTX(name string, text []byte) (*Module, error) {
	m, err := readptx.Read(name, text)
	if err != nil {
		return nil, err
	}
	return &Module{m}, nil
}

// Kernels returns the names of the module's kernels, in their order.
func (m *Module) Kernels() (names []string) {
	for _, e := range m.m.Entries {
		names = append(names, e.Name)
	}
	return names
}

// Kernel builds a kernel, once: by its name in the module ("_Z3addPiS_i"), or by that in the
// source ("add") if no other has it. Instructions that are not supported are an error that
// names each, with its line and what to do instead. The arguments of a launch are the
// bytes of the parameters: see device.Param.
func (m *Module) Kernel(name string) (*device.Kernel, error) {
	k, err := m.m.Kernel(name)
	if err != nil {
		return nil, err
	}
	return k.ForHost(), nil
}

// Variable returns a variable in global or constant memory (__device__, __constant__);
// Device.Variable gives its memory.
func (m *Module) Variable(name string) (*device.Variable, error) {
	v, err := m.m.Variable(name)
	if err != nil {
		return nil, err
	}
	return v.ForHost(), nil
}

// Variable returns the memory of a variable of a module; see device.VariableHolder.
func (d *Device) Variable(v *device.Variable) (device.Buffer, error) {
	return device.VariableOn(d.Device, v)
}
