package compile

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

const (
	// maxScalars is how many registers a local variable may take; a larger one
	// is placed in local memory.
	maxScalars = 64
	// maxLocalBytes limits the local memory of a thread.
	maxLocalBytes = 16 << 10
	// maxUnrolled is up to how many stores zero a variable in local memory
	// without a loop.
	maxUnrolled = 16
)

// alloc makes a local variable: in registers if its address is not needed at
// run time, else in local memory.
func (lo *lowerer) alloc(in *ssa.Alloc) leaf {
	typ := deref(in.Type())
	if outer := earlier(in); outer != nil {
		return lo.val(lo.frame, outer, in.Pos())[0]
	}
	if words, k := sumsOf(typ); words > 0 {
		return lo.newSums(words, k, in.Pos())
	}
	if in.Comment == "makeslice" {
		lo.fail(in.Pos(), "make allocates memory, which device code cannot; declare an array, as in var a [8]uint32, or use gpu.Shared or a parameter")
	}
	if !lo.facts.inMemory[in] && lo.scalars(typ) <= maxScalars {
		l := &local{site: in}
		once := lo.c.writtenOnce(in)
		for _, typ := range lo.layoutAt(typ, in.Pos()).leaves {
			s := &slot{t: typ, once: once}
			l.slots = append(l.slots, s)
			lo.write(s, lo.zero(typ))
		}
		return localAddr{l, 0}
	}
	a := lo.newLocal(in.Comment, typ, in.Pos())
	lo.zeroFill(a, typ, in.Pos())
	return a
}

// scalars returns the number of leaves of a type, without a limit for arrays.
func (lo *lowerer) scalars(t types.Type) int64 {
	if a, ok := t.Underlying().(*types.Array); ok {
		return timesCapped(lo.scalars(a.Elem()), a.Len())
	}
	if s, ok := t.Underlying().(*types.Struct); ok && !isThread(t) {
		var n int64
		for i := range s.NumFields() {
			n += min(lo.scalars(s.Field(i).Type()), maxTypeBytes) // at most maxFields terms
		}
		return n
	}
	return int64(len(lo.c.layoutOf(t).leaves))
}

// newLocal declares a variable in local memory and returns its address.
func (lo *lowerer) newLocal(name string, t types.Type, pos token.Pos) *ir.Value {
	if why := lo.memoryless(t); why != "" {
		lo.fail(pos, "%s holds %s, so which element is meant must be known at compile time; use constant indices, or a switch",
			strings.TrimSpace(sourceName(name)+" "+lo.c.typeName(t)), why)
	}
	size := lo.c.sizes.Sizeof(t)
	if lo.locals += size; lo.locals > maxLocalBytes {
		lo.fail(pos, "%s takes %d bytes and the kernel's local variables more than the %d bytes of a thread; use gpu.Shared or a buffer that is a parameter", lo.c.typeName(t), size, maxLocalBytes)
	}
	n := int64(len(lo.f.Local))
	lo.f.Local = append(lo.f.Local, lo.variable(name, t))
	return lo.floating(ir.OpLocal, ir.U64, n)
}

// sourceName returns a local variable's name from go/ssa's comment, if it is a
// name of the source.
func sourceName(comment string) string {
	switch comment {
	case "slicelit", "varargs", "complit", "new", "array":
		return ""
	}
	return comment
}

// variable returns the description of a variable in shared or local memory.
func (lo *lowerer) variable(name string, t types.Type) ir.Var {
	v := ir.Var{Name: name, Elem: element(t), Size: int(lo.c.sizes.Sizeof(t)), Align: int(lo.c.sizes.Alignof(t)), Pos: lo.frame.pos(lo)}
	v.ElemSize = v.Size
	if a, ok := t.Underlying().(*types.Array); ok {
		v.ElemSize = int(lo.c.sizes.Sizeof(a.Elem()))
	}
	v.Fields = lo.fields(nil, "", 0, t)
	return v
}

// fields appends the fields of t, if t is a struct. Their names begin with
// prefix; the struct starts at byte off.
func (lo *lowerer) fields(out []ir.Field, prefix string, off int64, t types.Type) []ir.Field {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return out
	}
	all := make([]*types.Var, st.NumFields())
	for i := range all {
		all[i] = st.Field(i)
	}
	for i, at := range lo.c.sizes.Offsetsof(all) {
		ft := all[i].Type()
		if _, ok := ft.Underlying().(*types.Struct); ok {
			out = lo.fields(out, prefix+all[i].Name()+".", off+at, ft)
			continue
		}
		f := ir.Field{Name: prefix + all[i].Name(), Off: int(off + at), Size: int(lo.c.sizes.Sizeof(ft))}
		f.ElemSize = f.Size
		if a, ok := ft.Underlying().(*types.Array); ok {
			f.ElemSize = int(lo.c.sizes.Sizeof(a.Elem()))
		}
		out = append(out, f)
	}
	return out
}

// memoryless returns which part of t cannot be stored in memory at all; "" if
// there is none.
func (lo *lowerer) memoryless(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice:
		return ""
	case *types.Array:
		return lo.memoryless(u.Elem())
	case *types.Struct:
		if isThread(t) {
			return ""
		}
		for i := range u.NumFields() {
			if why := lo.memoryless(u.Field(i).Type()); why != "" {
				return why
			}
		}
		return ""
	}
	return plain(t)
}

// zeroFill stores the zero value to a variable in memory.
func (lo *lowerer) zeroFill(a *ir.Value, t types.Type, pos token.Pos) {
	at, ok := t.Underlying().(*types.Array)
	if !ok || lo.scalars(t) <= maxUnrolled {
		l := lo.layoutAt(t, pos)
		lo.store(a, lo.zeros(l), t, pos)
		return
	}
	// for i := 0; i != n; i++ { a[i] = zero }
	k := leafType{k: ir.U32, m: ir.U32}
	i := &slot{t: k}
	head, done := lo.newBlock(), lo.newBlock()
	lo.write(i, lo.constant(ir.U32, 0))
	lo.cur.Pos = lo.frame.pos(lo)
	ir.AddEdge(lo.cur, head)
	lo.begin(head)
	n := lo.readReg(i, head, pos)
	lo.zeroFill(lo.indexed(a, n, k, lo.c.sizes.Sizeof(at.Elem())), at.Elem(), pos)
	next := lo.pure(ir.OpAdd, ir.U32, ir.Void, n, lo.constant(ir.U32, 1))
	lo.write(i, next)
	lo.cur.Cond = lo.pure(ir.OpLt, ir.Pred, ir.U32, next, lo.constant(ir.U32, uint64(at.Len())))
	lo.cur.Pos = lo.frame.pos(lo)
	ir.AddEdge(lo.cur, head)
	ir.AddEdge(lo.cur, done)
	lo.seal(head)
	lo.seal(done)
	lo.begin(done)
}

// outlives rejects an address that a loop carries beyond the iteration that
// made the variable: in Go each iteration has its own variable, but all share
// one place in local memory.
func (lo *lowerer) outlives(b *ir.Block, v *ir.Value, pos token.Pos) {
	if age := lo.state(b).age; age > 0 && v.K == ir.U64 {
		if r := lo.root(v); r != nil && r.Op == ir.OpLocal && r.ID >= age {
			lo.fail(pos, "the address of a local variable lives longer than the iteration that made it; declare the variable before the loop")
		}
	}
}

// spillKey identifies an array value that is indexed at run time.
type spillKey struct {
	frame *frame
	v     ssa.Value
}

// spill copies an array value to local memory.
func (lo *lowerer) spill(fr *frame, v ssa.Value, x []leaf, pos token.Pos) *ir.Value {
	a := lo.newLocal("array", v.Type(), pos)
	lo.store(a, x, v.Type(), pos)
	return a
}

// spillValue copies an array to local memory at its definition if it is indexed
// by non-constants anywhere, so that a loop that indexes it does not copy it in
// each iteration.
func (lo *lowerer) spillValue(v ssa.Value, x []leaf) {
	if _, ok := v.Type().Underlying().(*types.Array); !ok || v.Referrers() == nil || indexedTable(v) != nil {
		return
	}
	if _, ok := v.(*ssa.Phi); ok {
		return // not all phis of the block have been made yet
	}
	for _, r := range *v.Referrers() {
		in, ok := r.(*ssa.Index)
		if !ok || in.X != v {
			continue
		}
		if _, ok := in.Index.(*ssa.Const); !ok {
			lo.spills[spillKey{lo.frame, v}] = lo.spill(lo.frame, v, x, v.Pos())
			return
		}
	}
}

// spillParam is spillValue for a parameter.
func (lo *lowerer) spillParam(p *ssa.Parameter, x []leaf) { lo.spillValue(p, x) }
