package sim

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/mma"
	"github.com/weft-gpu/weft/sim/config"
)

// name names an instruction with what decides which machines have it.
func name(in *ir.Inst) string {
	switch {
	case in.Op == ir.OpFragment:
		return mma.Fragments[in.Imm].PTX()
	case in.Op == ir.OpMMA && in.Wmma:
		return "wmma.mma.sync.aligned of " + ir.MMA(in.Imm).Variant().A.String()
	case in.Op == ir.OpMMA:
		return in.PTXName() + ".aligned." + ir.MMA(in.Imm).String()
	}
	switch in.Op {
	case ir.OpAtomAdd: // of float64
		return in.Op.String() + ".f64"
	case ir.OpCalc1, ir.OpCalc2:
		return "a conversion to bf16 or tf32"
	}
	return in.Op.String()
}

// lacks returns the error of a kernel with an instruction that the GPU which the machine models does not have.
func lacks(cfg *config.GPU, k *device.Kernel, cluster int) error {
	has, compiled := cfg.Capability(), ir.Compiled(k)
	if has == 0 || compiled == nil || compiled.Program == nil {
		return nil
	}
	if cluster > 1 && has < 90 {
		return &device.ArgError{Kernel: k.Name, What: fmt.Sprintf("clusters need compute capability 9.0; %s has %d.%d", cfg.Name, has/10, has%10)}
	}
	p := compiled.Program
	for pc := range p.Code {
		if in := &p.Code[pc]; p.Capability(in) > has {
			needs := p.Capability(in)
			return &device.ArgError{Kernel: k.Name, What: fmt.Sprintf("%s needs compute capability %d.%d; %s has %d.%d",
				name(in), needs/10, needs%10, cfg.Name, has/10, has%10)}
		}
	}
	return nil
}
