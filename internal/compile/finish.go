package compile

import (
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/opt"
)

// finish optimises a lowered kernel and makes its program.
func (c *Compiler) finish(k *ir.Kernel) error {
	if !c.NoOptimize {
		if err := opt.Optimize(k.Func, opt.Options{}); err != nil {
			return err
		}
	}
	p, err := opt.Program(k.Func)
	k.Program = p
	return err
}
