package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// LimitError reports that a kernel is too large to be compiled.
type LimitError struct {
	Pos ir.Pos // index into the positions of the Func
	Msg string // what is too large, and what to do instead
}

// Error returns the message without the source position, which only the Func
// can resolve.
func (e *LimitError) Error() string { return e.Msg }
