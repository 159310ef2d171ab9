package ir

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/mma"
)

// String returns the text form, which tests read back (internal/testing/irtext).
//
//	kernel NAME
//	leaf NAME KIND ROLE ELEM SIZE PARAM
//	shared|local NAME ELEM SIZE ELEMSIZE ALIGN POS
//	trap TEXT
//	pos FILE LINE COL FUNC PARENT
//	b0:
//		v1:u32 = special tid          ; 1 kernels/bfs.go:12
//		v2:pred = lt.u32 v1, $n       ; 2 kernels/bfs.go:13
//		if v2 b1 b2                   ; 2 kernels/bfs.go:13
//	b1: <- b0
//
// A value is "[@[!]guard] [result:kind =] op[.operand kind] operands"; a memory
// access names element kind, vector width, space, order, scope and hint after
// the op and writes its address "[v+offset]". Constants and parameters belong
// to no block and are written in place: 5:u32, $n.
func (f *Func) String() string {
	p := newPrinter(f)
	p.header()
	for _, b := range f.Blocks {
		p.block(b)
	}
	return p.String()
}

type printer struct {
	strings.Builder
	f         *Func
	leafNames []string
	line      int // start of the current line
}

func newPrinter(f *Func) *printer {
	return &printer{f: f, leafNames: leafNames(f.Leaves)}
}

// leafNames returns the names of leaves in the text form: the leaf's own name
// if it is unique and plain, else its number.
func leafNames(leaves []Leaf) []string {
	count := map[string]int{}
	for _, leaf := range leaves {
		count[leaf.Name]++
	}
	names := make([]string, len(leaves))
	for i, leaf := range leaves {
		names[i] = "$" + leaf.Name
		if count[leaf.Name] > 1 || !plain(leaf.Name) {
			names[i] = "$#" + strconv.Itoa(i)
		}
	}
	return names
}

func plain(s string) bool {
	for _, r := range s {
		if r <= ' ' || strings.ContainsRune(`,;:[]"#+@`, r) {
			return false
		}
	}
	return s != ""
}

var roleNames = [...]string{Scalar: "scalar", Base: "base", Length: "length", Pointer: "pointer"}

// String returns the name of the role in the text form.
func (r Role) String() string { return roleNames[r] }

func (p *printer) header() {
	kernel := p.f
	fmt.Fprintf(p, "kernel %s\n", kernel.Name)
	for _, leaf := range kernel.Leaves {
		if leaf.Table != nil {
			fmt.Fprintf(p, "table %q %v %d %x\n", leaf.Name, leaf.Elem, leaf.Table.ElemSize, leaf.Table.Data)
			continue
		}
		fmt.Fprintf(p, "leaf %q %v %v %v %d %d", leaf.Name, leaf.Kind, leaf.Role, leaf.Elem, leaf.Size, leaf.Param)
		if leaf.Align > 0 {
			fmt.Fprintf(p, " %d", leaf.Align)
		}
		p.WriteByte('\n')
	}
	vars := func(word string, list []Var) {
		for _, variable := range list {
			word := word
			if variable.Dynamic {
				word = "dynamic"
			}
			fmt.Fprintf(p, "%s %q %v %d %d %d %d\n", word, variable.Name, variable.Elem, variable.Size, variable.ElemSize, variable.Align, variable.Pos)
		}
	}
	vars("shared", kernel.Shared)
	vars("local", kernel.Local)
	for _, trap := range kernel.Traps {
		fmt.Fprintf(p, "trap %q\n", trap)
	}
	for i, pos := range kernel.Pos {
		if i > 0 {
			fmt.Fprintf(p, "pos %q %d %d %q %d\n", pos.File, pos.Line, pos.Col, pos.Func, pos.Parent)
		}
	}
}

func (p *printer) block(b *Block) {
	fmt.Fprintf(p, "b%d:", b.ID)
	if len(b.Preds) > 0 {
		p.WriteString(" <-")
	}
	for _, pred := range b.Preds {
		fmt.Fprintf(p, " b%d", pred.ID)
	}
	if b.Likely != 0 {
		fmt.Fprintf(p, " likely=%d", b.Likely)
	}
	p.WriteByte('\n')
	for _, v := range b.Phis {
		p.value(v)
	}
	for _, v := range b.Ins {
		p.value(v)
	}
	p.begin()
	switch {
	case b.Cond != nil && len(b.Succs) == 2:
		fmt.Fprintf(p, "if %s b%d b%d", p.operand(b.Cond), b.Succs[0].ID, b.Succs[1].ID)
	case len(b.Succs) == 1:
		fmt.Fprintf(p, "jmp b%d", b.Succs[0].ID)
	case len(b.Succs) == 0:
		p.WriteString("ret")
	default:
		p.WriteString("malformed end of block")
	}
	p.end(b.Pos)
}

func (p *printer) begin() {
	p.line = p.Len()
	p.WriteByte('\t')
}

// end writes the position as a comment in its own column.
func (p *printer) end(pos Pos) {
	if pos > 0 && int(pos) < len(p.f.Pos) {
		if pad := 48 - (p.Len() - p.line); pad > 0 {
			p.WriteString(strings.Repeat(" ", pad))
		}
		at := p.f.Pos[pos]
		fmt.Fprintf(p, " ; %d %s:%d", pos, at.File, at.Line)
	}
	p.WriteByte('\n')
}

func (p *printer) value(v *Value) {
	p.begin()
	if v.Guard != nil {
		p.WriteByte('@')
		if v.GuardNot {
			p.WriteByte('!')
		}
		p.WriteString(p.operand(v.Guard) + " ")
	}
	if v.K != Void {
		fmt.Fprintf(p, "v%d:%v = ", v.ID, v.K)
	}
	p.WriteString(v.Op.String())
	if v.ArgK != Void {
		fmt.Fprintf(p, ".%v", v.ArgK)
	}
	p.WriteString(memText(v.Mem))
	sep := " "
	for i, arg := range v.Args {
		p.WriteString(sep)
		sep = ", "
		if i == 0 && v.Op.Addressed() {
			p.WriteString("[" + p.operand(arg))
			if v.Imm != 0 {
				fmt.Fprintf(p, "%+d", v.Imm)
			}
			p.WriteByte(']')
			continue
		}
		p.WriteString(p.operand(arg))
	}
	switch use := Ops[v.Op].Imm; {
	case use == ImmOffset:
	case use == ImmBits:
		p.WriteString(sep + constText(v))
	case use == ImmSpecial:
		p.WriteString(sep + Special(v.Imm).String())
	case use == ImmMMA && v.Imm >= 0 && v.Imm < int64(NumMMAs):
		p.WriteString(sep + MMA(v.Imm).String())
	case use == ImmFragment && v.Imm >= 0 && v.Imm < int64(len(mma.Fragments)):
		p.WriteString(sep + mma.Fragments[v.Imm].String())
	case use == ImmLeaf && uint64(v.Imm) < uint64(len(p.leafNames)):
		p.WriteString(sep + p.leafNames[v.Imm])
	case v.Imm != 0:
		fmt.Fprintf(p, "%s#%d", sep, v.Imm)
	}
	p.end(v.Pos)
}

func memText(mem Mem) string {
	var text strings.Builder
	if mem.Kind != Void {
		fmt.Fprintf(&text, ".%v", mem.Kind)
		if mem.Vec != 1 {
			fmt.Fprintf(&text, "x%d", mem.Vec)
		}
		fmt.Fprintf(&text, ".%v", mem.Space)
	}
	if mem.Order != Weak {
		fmt.Fprintf(&text, ".%v", mem.Order)
	}
	if mem.Scope != NoScope {
		fmt.Fprintf(&text, ".%v", mem.Scope)
	}
	if mem.Cache != CacheDefault {
		fmt.Fprintf(&text, ".%v", mem.Cache)
	}
	return text.String()
}

// operand returns the name of a value. Values that belong to no block are
// written in place.
func (p *printer) operand(v *Value) string {
	if v == nil {
		return "nil"
	}
	if v.Block == nil {
		switch v.Op {
		case OpConst:
			return constText(v)
		case OpParam:
			if uint64(v.Imm) < uint64(len(p.leafNames)) {
				return p.leafNames[v.Imm]
			}
		case OpShared:
			return "&shared" + strconv.FormatInt(v.Imm, 10)
		case OpLocal:
			return "&local" + strconv.FormatInt(v.Imm, 10)
		}
	}
	return "v" + strconv.Itoa(v.ID)
}

func constText(v *Value) string {
	if v.K == Pred {
		return literal(Pred, v.Bits())
	}
	return literal(v.K, v.Bits()) + ":" + v.K.String()
}

// literal returns a number that reads back exactly. Infinities and NaN are
// written as bits.
func literal(k Kind, bits uint64) string {
	switch {
	case k == Pred && bits != 0:
		return "true"
	case k == Pred:
		return "false"
	case k == F32:
		if x := math.Float32frombits(uint32(bits)); x-x == 0 {
			return strconv.FormatFloat(float64(x), 'g', -1, 32)
		}
		return fmt.Sprintf("0x%x", bits)
	case k == F64:
		if x := math.Float64frombits(bits); x-x == 0 {
			return strconv.FormatFloat(x, 'g', -1, 64)
		}
		return fmt.Sprintf("0x%x", bits)
	case k.Signed() && k.Bits() <= 32:
		return strconv.FormatInt(int64(int32(bits)), 10)
	case k.Signed():
		return strconv.FormatInt(int64(bits), 10)
	}
	return strconv.FormatUint(bits, 10)
}
