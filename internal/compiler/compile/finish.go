package compile

import (
	"context"
	"errors"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/opt"
)

// finish optimises a lowered kernel and builds its program.
func (c *Compiler) finish(ctx context.Context, k *ir.Kernel) error {
	var err error
	if !c.NoOptimize {
		err = opt.Optimize(k.Func, opt.Options{Context: ctx})
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		if k.Program, err = opt.Program(k.Func); err == nil {
			k.Program.Racy = c.racyLines(k.Program)
			if threads := k.MaxBlock[0]; threads > 0 {
				k.Program.RegCount = opt.FitRegisters(k.Program.RegCount, threads, 1)
			}
		}
	}
	var limit *opt.LimitError
	if !errors.As(err, &limit) {
		return err
	}
	e := &Error{Msg: "kernel " + k.Name + ": " + limit.Msg}
	if chain := places(k.Func, limit.Pos); len(chain) > 0 {
		e.At, e.From = chain[0], chain[1:]
	}
	return Errors{e}
}
