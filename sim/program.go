package sim

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// programMemory is the part of a device by which programs of CUDA have memory that no host program in Go has.
type programMemory struct{ memory *simt.Memory }

// Variable implements device.VariableHolder.
func (p programMemory) Variable(v *device.Variable) (device.Buffer, error) {
	defer p.memory.Begin().End()
	return p.memory.Variable(v)
}

// Reserve keeps addresses for Share, before anything is allocated.
func (p programMemory) Reserve() { p.memory.Reserve() }

// Share makes memory of the host memory of the device, at the same address, as fast as any other. The host frees it after
// Free of the buffer.
func (p programMemory) Share(name string, data []byte) (device.Buffer, error) {
	defer p.memory.Begin().End()
	return p.memory.Share(name, data)
}
