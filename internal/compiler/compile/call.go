package compile

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

func typeOf(x any) string { return fmt.Sprintf("%T", x) }

// recvName returns the name of a receiver's type, without type arguments.
func recvName(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return t.String()
}

// call lowers a call: a builtin, an intrinsic, or a function to inline.
func (lo *lowerer) call(fr *frame, in *ssa.Call) []leaf {
	pos := in.Pos()
	cc := in.Common()
	if b, ok := cc.Value.(*ssa.Builtin); ok {
		return lo.builtin(fr, in, b)
	}
	fn, free, args := lo.callee(fr, cc, pos)
	if lo.c.bodiless[fn.Pos()] {
		panic(silent{}) // its error has been reported
	}
	for _, a := range cc.Args {
		args = append(args, lo.val(fr, a, pos))
	}
	if lo.c.isIntrinsic(fn) {
		return lo.intrinsic(fn, in, args)
	}
	if fn.Blocks == nil && fn.TypeParams().Len() > len(fn.TypeArgs()) {
		lo.fail(pos, "%s is generic and not instantiated here", fn.Name())
	}
	return lo.inline(fn, args, free, pos)
}

// callee finds the function that is called, the variables that it captured and,
// for an interface method, the receiver.
func (lo *lowerer) callee(fr *frame, cc *ssa.CallCommon, pos token.Pos) (fn *ssa.Function, free, args [][]leaf) {
	if cc.IsInvoke() {
		i := lo.dynamic(lo.val(fr, cc.Value, pos)[0], "method "+cc.Method.Name(), pos)
		fn = lo.c.prog.LookupMethod(i.t, cc.Method.Pkg(), cc.Method.Name())
		return fn, nil, [][]leaf{i.v}
	}
	if f, ok := cc.Value.(*ssa.Function); ok {
		return f, nil, nil
	}
	switch c := lo.val(fr, cc.Value, pos)[0].(type) {
	case *closure:
		return c.fn, c.binds, nil
	case poison:
		panic(silent{})
	case unknown:
		lo.failUnknown(c, pos)
	case null:
		lo.fail(pos, "this function value is nil here, or not known at compile time; assign it before the call, on every path")
	}
	lo.fail(pos, "which function is called is not known at compile time; call each in a branch of its own")
	return nil, nil, nil
}

// dynamic returns the interface value of a leaf whose dynamic type is known;
// what names the operation in the error.
func (lo *lowerer) dynamic(l leaf, what string, pos token.Pos) *iface {
	switch l := l.(type) {
	case *iface:
		return l
	case poison:
		panic(silent{})
	case unknown:
		lo.failUnknown(l, pos)
	case null:
		lo.fail(pos, "%s of an interface that is nil here, or not known at compile time; assign it before, on every path", what)
	}
	lo.fail(pos, "%s of an interface whose type is not known at compile time; use a type parameter", what)
	return nil
}

// isIntrinsic reports whether the compiler implements fn itself and ignores its
// body. A function whose op exists only for integers is an intrinsic for
// integers only.
func (c *Compiler) isIntrinsic(fn *ssa.Function) bool {
	of := fn
	if o := fn.Origin(); o != nil {
		of = o
	}
	if of.Synthetic != "" { // the wrapper of a method value has the method's object
		return false
	}
	switch o := of.Object(); c.known[o] {
	case opForAll:
		return true
	case opForInts:
		b, ok := fn.TypeArgs()[0].Underlying().(*types.Basic)
		return ok && b.Info()&types.IsInteger != 0
	}
	return false
}

// ofGPU reports whether fn belongs to package gpu.
func (c *Compiler) ofGPU(fn *ssa.Function) bool {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.Pkg != nil && fn.Pkg.Pkg.Path() == gpuPath
}

// builtin lowers a call of a predeclared function.
func (lo *lowerer) builtin(fr *frame, in *ssa.Call, b *ssa.Builtin) []leaf {
	pos := in.Pos()
	cc := in.Common()
	arg := func(i int) []leaf { return lo.val(fr, cc.Args[i], pos) }
	switch b.Name() {
	case "len":
		switch u := cc.Args[0].Type().Underlying().(type) {
		case *types.Slice:
			return arg(0)[1:2]
		case *types.Pointer:
			return []leaf{lo.constant(ir.S64, uint64(u.Elem().Underlying().(*types.Array).Len()))}
		case *types.Array:
			return []leaf{lo.constant(ir.S64, uint64(u.Len()))}
		default:
			arg(0) // it may have been reported where it was made
			lo.rejectIndexed(u, pos)
		}
	case "cap":
		switch u := cc.Args[0].Type().Underlying().(type) {
		case *types.Pointer:
			return []leaf{lo.constant(ir.S64, uint64(u.Elem().Underlying().(*types.Array).Len()))}
		case *types.Array:
			return []leaf{lo.constant(ir.S64, uint64(u.Len()))}
		}
		lo.fail(pos, "slices have no capacity in device code; use len")
	case "min", "max":
		op := ir.OpMin
		if b.Name() == "max" {
			op = ir.OpMax
		}
		t := lo.leafOf(in.Type(), pos, b.Name())
		acc := lo.reg(arg(0)[0], pos)
		for i := 1; i < len(cc.Args); i++ {
			acc = lo.pure(op, t.k, ir.Void, acc, lo.reg(arg(i)[0], pos))
		}
		return []leaf{acc}
	case "ssa:wrapnilchk":
		return arg(0)
	case "append":
		lo.fail(pos, "append allocates memory, which device code cannot; write to a buffer at an index that gpu.AtomicAdd counts")
	case "copy", "clear":
		lo.fail(pos, "%s is not supported in device code; write a loop over the elements", b.Name())
	case "print", "println":
		lo.fail(pos, "%s is not supported in device code; write results to a buffer, and stop with panic(\"text\")", b.Name())
	case "recover":
		lo.fail(pos, "recover is not supported in device code; a panic stops the launch")
	case "delete":
		arg(0) // reports the map's error if there is one
		lo.fail(pos, "maps are not supported in device code; use a slice indexed by the key")
	case "close":
		arg(0) // reports the channel's error if there is one
		lo.fail(pos, "channels are not supported in device code; use a buffer and atomics, or gpu.Shared and t.Sync")
	case "real", "imag", "complex":
		lo.fail(pos, "complex numbers are not supported in device code; use a struct of two floats")
	}
	lo.fail(pos, "%s is not supported in device code", b.Name())
	return nil
}

// typeAssert resolves x.(T) for an interface whose type is known.
func (lo *lowerer) typeAssert(fr *frame, in *ssa.TypeAssert) []leaf {
	pos := in.Pos()
	var want types.Type
	var value []leaf
	switch x := lo.val(fr, in.X, pos)[0].(type) {
	case null:
	default:
		i := lo.dynamic(x, "type assertion", pos)
		want, value = i.t, i.v
	}
	ok := false
	if it, isIface := in.AssertedType.Underlying().(*types.Interface); isIface {
		if ok = want != nil && types.Implements(want, it); ok {
			value = []leaf{&iface{want, value}}
		}
	} else {
		ok = want != nil && types.Identical(want, in.AssertedType)
	}
	if !ok {
		if !in.CommaOk {
			lo.fail(pos, "this type assertion never holds: the interface is a %s", lo.dynamicName(want))
		}
		value = lo.zeros(lo.layoutAt(in.AssertedType, pos))
	}
	if in.CommaOk {
		value = append(append([]leaf(nil), value...), lo.boolean(ok))
	}
	return value
}

func (lo *lowerer) dynamicName(t types.Type) string {
	if t == nil {
		return "nil"
	}
	return lo.c.typeName(t)
}
