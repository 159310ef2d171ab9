package compile

import (
	"encoding/binary"
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// A table of constants is a package variable of array type with numeric
// elements that are constant and that no code changes. Kernels index it at run
// time.

// maxTableBytes limits the size of a table.
const maxTableBytes = 1 << 20

// constTable is a package variable used as a table of constants.
type constTable struct {
	table *ir.Table
	why   string // why it is not one; the table is then nil
}

// tableOf returns the constTable of a package variable, and caches it.
func (c *Compiler) tableOf(g *ssa.Global) *constTable {
	if out := c.tables[g]; out != nil {
		return out
	}
	out := &constTable{}
	c.tables[g] = out
	name, typ := g.Name(), deref(g.Type())
	array, ok := typ.Underlying().(*types.Array)
	if !ok {
		out.why = fmt.Sprintf("package variable %s cannot be used in device code; make it a constant or a parameter", name)
		if s, ok := typ.Underlying().(*types.Slice); ok && plain(s.Elem()) == "" {
			out.why = fmt.Sprintf("package variable %s is a slice, which cannot be used in device code; make it an array of constants, as in var %s = [...]%s{...}, or a parameter", name, name, c.typeName(s.Elem()))
		}
		return out
	}
	if why := c.tooBig(typ); why != "" {
		out.why = why
		return out
	}
	if why := plain(array.Elem()); why != "" {
		out.why = fmt.Sprintf("package variable %s holds %s; a table of constants is an array of numbers, bools, and structs and arrays of these", name, why)
		return out
	}
	size := c.sizes.Sizeof(typ)
	if size > maxTableBytes {
		out.why = fmt.Sprintf("package variable %s takes %d bytes, and a table of constants may take at most %d; pass it as a parameter", name, size, maxTableBytes)
		return out
	}
	data := make([]byte, size)
	if out.why = c.tableData(g, data); out.why == "" {
		out.table = &ir.Table{ElemSize: int(c.sizes.Sizeof(array.Elem())), Data: data}
	}
	return out
}

// image is the content of a variable of a package's initialiser, as far as it
// is constant.
type image struct {
	data     []byte
	given    bool
	computed token.Pos // position of a part that is not constant, if bad
	bad      bool
}

// spot is an address in an image.
type spot struct {
	in  *image
	off int64
}

// tableData reads the variable's elements from the package's initialiser. It
// returns why the variable is not a table of constants; "" if it is. go/ssa
// builds a literal in a separate variable and copies it.
func (c *Compiler) tableData(g *ssa.Global, data []byte) (why string) {
	name := g.Name()
	img := &image{data: data}
	at := map[ssa.Value]spot{g: {in: img}}
	// The initialiser is executed as far as it stores constants: what is computed, or stored in a branch, is no constant.
	for _, b := range g.Pkg.Func("init").Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Alloc:
				if t := deref(in.Type()); c.tooBig(t) == "" && c.sizes.Sizeof(t) <= maxTableBytes && plain(t) == "" {
					at[in] = spot{in: &image{data: make([]byte, c.sizes.Sizeof(t))}}
				}
			case *ssa.IndexAddr:
				x, ok := at[in.X]
				if i, isConst := in.Index.(*ssa.Const); ok && isConst {
					at[in] = spot{x.in, x.off + i.Int64()*c.sizes.Sizeof(deref(in.Type()))}
				}
			case *ssa.FieldAddr:
				if x, ok := at[in.X]; ok {
					at[in] = spot{x.in, x.off + c.sizes.Offsetsof(structFields(deref(in.X.Type()).Underlying().(*types.Struct)))[in.Field]}
				}
			case *ssa.Store:
				if to, ok := at[in.Addr]; ok {
					c.storeConst(to, in, at)
				}
			case *ssa.Call:
				fn := in.Call.StaticCallee()
				changes := fn != nil && mentions(fn, g, map[*ssa.Function]bool{})
				for _, arg := range in.Call.Args {
					changes = changes || at[arg].in == img
				}
				if changes {
					return fmt.Sprintf("package variable %s is not a table of constants: %s, which runs when the program starts, may change it; write its elements as constants, or pass the table as a parameter", name, calleeName(&in.Call))
				}
			}
		}
	}
	switch {
	case img.bad:
		return fmt.Sprintf("package variable %s is not a table of constants: an element is computed when the program starts (%s); write its value as a constant, or pass the table as a parameter", name, place(c.fset.Position(img.computed)))
	case !img.given:
		return fmt.Sprintf("package variable %s has no initial value; a table of constants is written out, as in var %s = %s{...}, and for memory that threads share there are gpu.Shared and buffers that are parameters",
			name, name, c.typeName(deref(g.Type())))
	}
	return ""
}

// calleeName returns the displayed name of the function that is called.
func calleeName(call *ssa.CallCommon) string {
	if fn := call.StaticCallee(); fn != nil {
		name, _, _ := strings.Cut(funcName(fn), "#") // go/ssa numbers functions of the same name
		return name
	}
	return "a function"
}

// storeConst executes a store of the initialiser.
func (c *Compiler) storeConst(to spot, in *ssa.Store, at map[ssa.Value]spot) {
	to.in.given = true
	computed := func(pos token.Pos) {
		if !to.in.bad {
			to.in.bad, to.in.computed = true, pos
		}
	}
	switch v := in.Val.(type) {
	case *ssa.Const:
		if l := c.layoutOf(v.Type()); v.Value != nil && len(l.leaves) == 1 { // others are zero
			putBits(to.in.data[to.off:], l.leaves[0].m, constBits(v.Value, l.leaves[0].k))
		}
		return
	case *ssa.UnOp:
		if from, ok := at[v.X]; ok && v.Op == token.MUL {
			n := c.sizes.Sizeof(v.Type())
			copy(to.in.data[to.off:to.off+n], from.in.data[from.off:from.off+n])
			if from.in.bad {
				computed(from.in.computed)
			}
			return
		}
	}
	pos := in.Val.Pos()
	if !pos.IsValid() {
		pos = in.Pos()
	}
	computed(pos)
}

// putBits writes the bits of a number of kind m.
func putBits(data []byte, m ir.Kind, bits uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	n := 1 // a bool
	if m != ir.Pred {
		n = m.Bytes()
	}
	copy(data, b[:n])
}

// mentions reports whether fn, or a function of the same package that it calls,
// refers to variable g.
func mentions(fn *ssa.Function, g *ssa.Global, seen map[*ssa.Function]bool) bool {
	if seen[fn] || fn.Pkg != g.Pkg {
		return false
	}
	seen[fn] = true
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			for _, op := range in.Operands(nil) {
				if *op == g {
					return true
				}
				if f, ok := (*op).(*ssa.Function); ok && mentions(f, g, seen) {
					return true
				}
			}
		}
	}
	return false
}

// global returns the address of a package variable, which must be a table of
// constants.
func (lo *lowerer) global(g *ssa.Global, pos token.Pos) []leaf {
	if v := lo.tables[g]; v != nil {
		return []leaf{v}
	}
	t := lo.c.tableOf(g)
	if t.why != "" {
		lo.fail(pos, "%s", t.why)
	}
	n := len(lo.f.Leaves)
	typ := deref(g.Type())
	lo.f.Leaves = append(lo.f.Leaves, ir.Leaf{Name: g.Name(), Kind: ir.U64, Role: ir.Pointer, Elem: element(typ), Size: len(t.table.Data), Param: -1, Table: t.table})
	v := lo.floating(ir.OpParam, ir.U64, int64(n))
	lo.tables[g] = v
	return []leaf{v}
}

// indexedTable returns the package variable whose value is v if v is only
// indexed: a loop over a table reads it element by element.
func indexedTable(v ssa.Value) *ssa.Global {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	g, ok := load.X.(*ssa.Global)
	if !ok {
		return nil
	}
	for _, r := range *load.Referrers() {
		if in, ok := r.(*ssa.Index); !ok || in.X != v {
			return nil
		}
	}
	return g
}

// tableOfAddr returns a table that the address may point into; nil if there is
// none.
func (lo *lowerer) tableOfAddr(a *ir.Value, seen map[*ir.Value]bool) *ir.Leaf {
	a = lo.res(a)
	if seen[a] {
		return nil
	}
	seen[a] = true
	switch a.Op {
	case ir.OpParam:
		if l := &lo.f.Leaves[a.Imm]; l.Table != nil {
			return l
		}
	case ir.OpLea, ir.OpAdd:
		return lo.tableOfAddr(a.Args[0], seen)
	case ir.OpPhi, ir.OpSelect:
		for _, x := range a.Args {
			if l := lo.tableOfAddr(x, seen); l != nil {
				return l
			}
		}
	}
	return nil
}

// constElement returns the value that a load of type t reads from a table, if
// the address is constant.
func (lo *lowerer) constElement(a *ir.Value, t leafType) (v *ir.Value, ok bool) {
	off := t.off
	for a = lo.res(a); a.Op == ir.OpAdd && a.Args[1].Op == ir.OpConst; a = lo.res(a.Args[0]) {
		off += a.Args[1].Imm
	}
	if a.Op != ir.OpParam {
		return nil, false
	}
	l := &lo.f.Leaves[a.Imm]
	n := int64(1)
	if t.m != ir.Pred {
		n = int64(t.m.Bytes())
	}
	if l.Table == nil || off < 0 || off+n > int64(len(l.Table.Data)) {
		return nil, false
	}
	var b [8]byte
	copy(b[:], l.Table.Data[off:off+n])
	x := binary.LittleEndian.Uint64(b[:])
	if t.m.Signed() && n < 4 { // registers hold it extended
		shift := 64 - 8*n
		x = uint64(uint32(int64(x<<shift) >> shift))
	}
	return lo.constant(t.k, x), true
}

// tableAccess rejects writes to a table and lets plain loads from it take the
// read-only path.
func (lo *lowerer) tableAccess(v *ir.Value) {
	if len(lo.tables) == 0 {
		return
	}
	l := lo.tableOfAddr(v.Args[0], map[*ir.Value]bool{})
	if l == nil {
		return
	}
	if v.Op != ir.OpLoad {
		chain := places(lo.f, v.Pos)
		e := &Error{Msg: fmt.Sprintf("%s is a table of constants, which no kernel may change; use gpu.Shared or a buffer that is a parameter", l.Name)}
		if len(chain) > 0 {
			e.At, e.From = chain[0], chain[1:]
		}
		lo.report(e)
		return
	}
	if r := lo.root(v.Args[0]); r != nil && v.Mem.Order == ir.Weak && v.Mem.Cache == ir.CacheDefault {
		v.Mem.Cache = ir.CacheNonCoherent
	}
}
