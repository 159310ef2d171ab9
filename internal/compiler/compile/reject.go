package compile

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// reject rejects an instruction that device code must not contain.
func (lo *lowerer) reject(in ssa.Instruction) {
	pos := in.Pos()
	lo.notPoisoned(lo.frame, in)
	switch in := in.(type) {
	case *ssa.Go:
		lo.fail(pos, "go statements are not supported in device code; the threads of the launch run in parallel")
	case *ssa.Defer:
		lo.fail(pos, "defer is not supported in device code; write the call where the function returns")
	case *ssa.Select, *ssa.Send, *ssa.MakeChan:
		lo.fail(pos, "channels are not supported in device code; use a buffer and atomics, or gpu.Shared and t.Sync")
	case *ssa.MakeMap, *ssa.MapUpdate:
		lo.fail(pos, "maps are not supported in device code; use a slice indexed by the key")
	case *ssa.MakeSlice:
		lo.fail(pos, "make allocates memory, which device code cannot; declare an array, as in var a [8]uint32, or use gpu.Shared or a parameter")
	case *ssa.UnOp:
		if in.Op == token.ARROW {
			lo.fail(pos, "channels are not supported in device code; use a buffer and atomics, or gpu.Shared and t.Sync")
		}
	case *ssa.Lookup:
		lo.rejectIndexed(in.X.Type(), pos)
	case *ssa.Index:
		lo.rejectIndexed(in.X.Type(), pos)
	case *ssa.Range:
		lo.rejectIndexed(in.X.Type(), pos)
	case *ssa.Slice:
		lo.rejectIndexed(in.X.Type(), pos)
	case *ssa.SliceToArrayPointer:
		lo.fail(pos, "a slice cannot be converted to an array in device code; copy its elements")
	}
	what := strings.TrimPrefix(strings.ToLower(typeOf(in)), "*ssa.")
	lo.fail(pos, "this (%s) is not supported in device code", what)
}

// notPoisoned gives up on an instruction with an operand that has been
// rejected.
func (lo *lowerer) notPoisoned(fr *frame, in ssa.Instruction) {
	for _, op := range in.Operands(nil) {
		if l := fr.vals[*op]; len(l) == 1 && l[0] == (poison{}) {
			panic(silent{})
		}
	}
}

// rejectIndexed rejects indexing, slicing or ranging over a type that is
// neither a slice nor an array.
func (lo *lowerer) rejectIndexed(t types.Type, pos token.Pos) {
	switch t.Underlying().(type) {
	case *types.Map:
		lo.fail(pos, "maps are not supported in device code; use a slice indexed by the key")
	case *types.Basic:
		lo.fail(pos, "strings are not supported in device code, except as the text of a panic")
	}
}
