package sim

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// lacks returns the error of a kernel with an instruction that the GPU which the machine models does not have.
func (d *Device) lacks(k *device.Kernel) error {
	has, compiled := d.cfg.Capability(), ir.Compiled(k)
	if has == 0 || compiled == nil || compiled.Program == nil {
		return nil
	}
	p := compiled.Program
	for pc := range p.Code {
		if in := &p.Code[pc]; p.Capability(in) > has {
			needs := p.Capability(in)
			return &device.ArgError{Kernel: k.Name, What: fmt.Sprintf("%s needs compute capability %d.%d; %s has %d.%d",
				in.Op, needs/10, needs%10, d.cfg.Name, has/10, has%10)}
		}
	}
	return nil
}
