package compile

import (
	"go/token"
	"go/types"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/mma"
)

// sumsAddr is the address of a variable for the sums of a warpgroup, which is in registers of its own.
type sumsAddr struct {
	first, words int
	k            ir.Kind
}

// sumsOf returns how many sums a thread has of a type, and of which kind; 0 if the type is no such variable.
func sumsOf(t types.Type) (words int, k ir.Kind) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != gpuPath || n.TypeArgs().Len() != 1 {
		return 0, ir.Void
	}
	switch n.Obj().Name() {
	case "FloatSums":
		k = ir.F32
	case "IntSums":
		k = ir.S32
	case "HalfSums":
		k = ir.U32
	default:
		return 0, ir.Void
	}
	return int(n.TypeArgs().At(0).Underlying().(*types.Array).Len()), k
}

// newSums makes a variable for sums, which are zeros.
func (lo *lowerer) newSums(words int, k ir.Kind, pos token.Pos) leaf {
	if lo.sums+words > ir.MaxSums {
		lo.fail(pos, "the kernel's variables for sums of warpgroups take %d registers of a thread, and a GPU has 255 for all; use fewer columns, or fewer variables", lo.sums+words)
	}
	a := sumsAddr{first: lo.sums, words: words, k: k}
	lo.sums += words
	zero := lo.zero(leafType{k: k, m: k})
	for i := range words {
		v := lo.emit(ir.OpSumsSet, ir.Void, lo.constant(ir.U32, uint64(i)), lo.reg(zero, pos))
		v.ArgK, v.Imm = k, a.imm()
	}
	return a
}

// imm returns the field of an instruction on the variable.
func (a sumsAddr) imm() int64 { return ir.SumsImm{First: a.first, Words: a.words}.Imm() }

// sumsAt returns the variable that a leaf is the address of.
func (c *icall) sumsAt(l leaf) sumsAddr {
	a, ok := l.(sumsAddr)
	if !ok {
		c.fail(c.at, "%s of sums that are no local variable of their own; they cannot be elements of arrays or fields of structs", c.name)
	}
	return a
}

// atSums lowers a read of a sum.
func atSums(c *icall) []leaf {
	a := c.sumsAt(c.receiver[0])
	v := c.emit(ir.OpSumsGet, a.k, c.sumIndex(a))
	v.Imm = a.imm()
	return c.one(v)
}

// setSums lowers a write of a sum.
func setSums(c *icall) []leaf {
	a := c.sumsAt(c.receiver[0])
	v := c.emit(ir.OpSumsSet, ir.Void, c.sumIndex(a), c.arg(1))
	v.ArgK, v.Imm = a.k, a.imm()
	return nil
}

// sumIndex returns which of the sums an access is to.
func (c *icall) sumIndex(a sumsAddr) *ir.Value {
	i := c.arg(0)
	if i.Op == ir.OpConst && i.Bits() >= uint64(a.words) {
		c.fail(c.at, "%s of sum %d; a thread has %d of these sums", c.name, i.Bits(), a.words)
	}
	return i
}

// addProduct lowers a product of a warpgroup.
func addProduct(product int, from bool) func(*icall) []leaf {
	return func(c *icall) []leaf {
		a := c.sumsAt(c.args[1][0])
		imm := ir.SumsImm{First: a.first, Words: a.words, Product: product}
		args, op := []*ir.Value{c.allLanes()}, ir.OpGroupMMA
		if from {
			op = ir.OpGroupMMAFrom
			for _, l := range c.args[2] {
				args = append(args, c.reg(l, c.at))
			}
		} else {
			imm.Form = c.matrixForm(2, mma.TransposedA, mma.NegatedA)
			args = append(args, c.sharedMatrix(2)...)
		}
		imm.Form |= c.matrixForm(3, mma.TransposedB, mma.NegatedB)
		args = append(args, c.sharedMatrix(3)...)
		if why := mma.GroupProducts[product].Misuse(imm.Form); why != "" {
			c.fail(c.at, "%s %s", c.name, why)
		}
		c.emit(op, ir.Void, args...).Imm = imm.Imm()
		return nil
	}
}

// matrixForm returns how a product takes a matrix, whose last two leaves say whether it is transposed and negated.
func (c *icall) matrixForm(i int, transposed, negated mma.Form) (f mma.Form) {
	for j, form := range []mma.Form{transposed, negated} {
		x := c.reg(c.args[i][6+j], c.at)
		if x.Op != ir.OpConst {
			c.fail(c.at, "%s of a matrix of which is not known at compile time whether it is %s", c.name, [...]string{"Transposed", "Negated"}[j])
		}
		if x.Bits() != 0 {
			f |= form
		}
	}
	return f
}

// sharedMatrix returns the address and the layout of a matrix, whose leaves are an address, a length, an offset in bytes, the layout, and
// how a product takes it.
func (c *icall) sharedMatrix(i int) []*ir.Value {
	leaves := c.args[i]
	if _, ok := leaves[0].(localAddr); ok {
		c.rejectLocal()
	}
	at := c.reg(leaves[0], c.at)
	if r := c.root(at); r != nil && r.Op != ir.OpShared {
		c.fail(c.at, "%s of a matrix that is not in shared memory; copy it to a variable of gpu.Shared", c.name)
	} else if r != nil {
		c.alignForBulk(r)
	}
	var fields [3]uint64
	for j := range fields {
		x := c.reg(leaves[3+j], c.at)
		if x.Op != ir.OpConst {
			c.fail(c.at, "%s of a matrix whose %s is not known at compile time", c.name, [...]string{"Leading", "Stride", "Swizzle"}[j])
		}
		fields[j] = x.Bits()
	}
	layout := mma.Layout{Leading: fields[0], Stride: fields[1], Swizzle: fields[2]}
	if why := layout.Misuse(); why != "" {
		c.fail(c.at, "%s of a matrix: %s", c.name, why)
	}
	offset := c.pure(ir.OpCvt, ir.U64, ir.U32, c.reg(leaves[2], c.at))
	return []*ir.Value{c.pure(ir.OpAdd, ir.U64, ir.Void, at, offset), c.constant(ir.U64, layout.Bits())}
}

// waitSums lowers a wait for groups of products.
func waitSums(c *icall) []leaf {
	n := c.arg(0)
	if n.Op != ir.OpConst || n.Bits() > ir.MaxSumsPending {
		c.fail(c.at, "the number of groups of %s must be a constant, at most %d", c.name, ir.MaxSumsPending)
	}
	c.emit(ir.OpGroupMMAWait, ir.Void, c.allLanes()).Imm = n.Imm
	return nil
}

// sumsIntrinsics returns the lowering of what package gpu has for sums of warpgroups.
func sumsIntrinsics() map[string]func(*icall) []leaf {
	m := map[string]func(*icall) []leaf{"Thread.WaitSums": waitSums}
	for i, g := range mma.GroupProducts {
		if g.Func == "" {
			continue
		}
		m[g.Func], m[g.Func+"From"] = addProduct(i, false), addProduct(i, true)
	}
	for _, t := range strings.Fields("FloatSums IntSums HalfSums") {
		m[t+".At"], m[t+".Set"] = atSums, setSums
		m[t+".Len"] = func(c *icall) []leaf { return c.one(c.constant(ir.U32, uint64(c.sumsAt(c.receiver[0]).words))) }
	}
	return m
}
