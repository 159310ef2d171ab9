package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// LimitError reports that a kernel is too large to be compiled.
type LimitError struct {
	Pos ir.Pos // index into the positions of the Func
	Msg string // what is too large, and what to do instead
}

// knownSums returns the error of an access to sums of a warpgroup of which it is not known which: they are registers, which no instruction
// finds by a number.
func knownSums(fn *ir.Func) error {
	for _, block := range fn.Blocks {
		for _, v := range block.Ins {
			if v.Op.Action() == ir.ActSums && v.Args[0].Op != ir.OpConst {
				return &LimitError{v.Pos, "which of the sums this is must be known at compile time: use a constant, or the counter of a loop with a constant number of iterations that is left only at its end"}
			}
		}
	}
	return nil
}

// Error returns the message without the source position, which only the Func
// can resolve.
func (e *LimitError) Error() string { return e.Msg }
