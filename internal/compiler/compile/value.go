package compile

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// leaf is one component of a Go value: a *ir.Value (a register), or something
// known at compile time: localAddr, *closure, *iface, text, null, unknown,
// poison.
type leaf any

// localAddr is the address of a local variable in registers: of its leaves from
// first on.
type localAddr struct {
	l     *local
	first int
}

// local is a local variable in registers.
type local struct {
	site  *ssa.Alloc
	slots []*slot
}

// closure is a function value.
type closure struct {
	fn    *ssa.Function
	binds [][]leaf
}

// iface is an interface value whose dynamic type is known.
type iface struct {
	t types.Type
	v []leaf
}

// text is a string constant.
type text string

// null is a nil function or interface, or an empty text.
type null struct{}

// poison is the result of an instruction that was rejected. Uses of it are not
// reported.
type poison struct{}

// unknown stands for one of several functions, interfaces or texts; like is one
// of them. Using it is an error.
type unknown struct{ like leaf }

var poisoned = []leaf{poison{}}

// same reports whether two leaves are known to be the same value.
func same(a, b leaf) bool {
	if a == b { // all leaf types are comparable
		return true
	}
	switch a := a.(type) {
	case *ir.Value:
		b, ok := b.(*ir.Value)
		return ok && sameValue(a, b)
	case *closure:
		b, ok := b.(*closure)
		// Two literals that capture variables may be of two iterations: only those that capture nothing are known to be the
		// same.
		return ok && a.fn == b.fn && len(a.binds) == 0 && len(b.binds) == 0
	case *iface:
		b, ok := b.(*iface)
		if !ok || !types.Identical(a.t, b.t) || len(a.v) != len(b.v) {
			return false
		}
		for i := range a.v {
			if !same(a.v[i], b.v[i]) {
				return false
			}
		}
		return true
	}
	return false
}

func sameValue(a, b *ir.Value) bool {
	return a == b || a.Op == ir.OpConst && b.Op == ir.OpConst && a.K == b.K && a.Imm == b.Imm
}

// reg returns a leaf that must be in a register. If it is the address of a
// local variable, the variable moves to local memory and lowering starts again.
func (lo *lowerer) reg(l leaf, pos token.Pos) *ir.Value {
	switch l := l.(type) {
	case *ir.Value:
		return lo.res(l)
	case localAddr:
		return lo.demote(l.l)
	case sumsAddr:
		lo.fail(pos, "sums of a warpgroup are in registers of their own; pass their address to a product or a function, and read and set them by At and Set")
	case poison:
		panic(silent{})
	case unknown:
		lo.failUnknown(l, pos)
	case *closure:
		lo.fail(pos, "this function value is not known at compile time; call the function directly, or pass it as a type parameter")
	case *iface:
		lo.fail(pos, "this interface value is not known at compile time; use a type parameter")
	case text:
		lo.fail(pos, "strings are not supported in device code, except as the text of a panic")
	case null:
		lo.fail(pos, "this nil value is not known to be replaced at compile time; assign a function or interface before it is used")
	}
	panic(silent{})
}

// demote moves a local variable to local memory. It records the variable, and
// lowering starts again when it has finished. Until then a placeholder is used
// as the address, so that the rest is lowered and all variables that must move
// are found in one go.
func (lo *lowerer) demote(l *local) *ir.Value {
	lo.noteInMemory(l)
	v := lo.emit(ir.OpReadSpecial, ir.U64)
	v.Imm = int64(ir.GlobalTimer)
	return v
}

func (lo *lowerer) noteInMemory(l *local) {
	lo.facts.inMemory[l.site] = true
	lo.again = true
}

// isConst returns the register of l and reports whether it holds a constant.
func (lo *lowerer) isConst(l leaf) (v *ir.Value, ok bool) {
	v, ok = l.(*ir.Value)
	if !ok {
		return nil, false
	}
	v = lo.res(v)
	return v, v.Op == ir.OpConst
}

// constInt returns the value of a constant, read as an integer of kind k.
func constInt(v *ir.Value, k ir.Kind) int64 {
	switch k {
	case ir.S32:
		return int64(int32(v.Imm))
	case ir.U32:
		return int64(uint32(v.Imm))
	}
	return v.Imm
}

// zero returns the zero value of a leaf.
func (lo *lowerer) zero(t leafType) leaf {
	if t.k == ir.Void {
		return null{}
	}
	return lo.constant(t.k, 0)
}

// zeros returns the zero value of a type.
func (lo *lowerer) zeros(l *layout) []leaf {
	r := make([]leaf, len(l.leaves))
	for i, t := range l.leaves {
		r[i] = lo.zero(t)
	}
	return r
}
