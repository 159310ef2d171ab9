package run

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// asm assembles the program that executes a test. It emits instructions one by one, in the order of the calls, into
// the form that devices execute. No compiler pass sees them, so none can reorder, merge or remove them.
type asm struct {
	p      ir.Program
	params []ir.Param
	consts map[ir.Uniform]ir.Operand
	labels map[string]int32
	jumps  map[int]string // by index of the branch: its target
	pos    ir.Pos
	guard  ir.Operand // of the instructions to come
}

func newAsm(name string) *asm {
	return &asm{
		p:      ir.Program{Name: name, Pos: []ir.PosInfo{{}}},
		consts: map[ir.Uniform]ir.Operand{}, labels: map[string]int32{}, jumps: map[int]string{}, guard: ir.NoGuard,
	}
}

// row returns a new register, and pred a new predicate.
func (a *asm) row() ir.Operand {
	a.p.NumRegs++
	return ir.Operand(a.p.NumRegs - 1)
}

func (a *asm) pred() ir.Operand {
	a.p.NumPreds++
	return ir.Operand(a.p.NumPreds - 1)
}

// array is a parameter that is a slice of uint32.
type array struct {
	base ir.Operand
	root int32
}

// slice adds a parameter.
func (a *asm) slice(name string) array {
	n := len(a.p.Leaves)
	p := len(a.params)
	a.p.Leaves = append(a.p.Leaves,
		ir.Leaf{Name: name, Kind: ir.U64, Role: ir.Base, Elem: ir.U32, Size: 4, Param: p},
		ir.Leaf{Name: name + ".len", Kind: ir.S64, Role: ir.Length, Param: p})
	a.params = append(a.params, ir.Param{Name: name, Type: "[]uint32", Leaves: []int{n, n + 1}})
	a.p.Roots = append(a.p.Roots, ir.Root{Space: ir.Global, Leaf: n, Var: -1})
	return array{a.uniform(ir.Uniform{K: ir.U64, Leaf: n}), int32(len(a.p.Roots) - 1)}
}

// scalar adds a parameter of type uint32.
func (a *asm) scalar(name string) ir.Operand {
	n := len(a.p.Leaves)
	a.p.Leaves = append(a.p.Leaves, ir.Leaf{Name: name, Kind: ir.U32, Elem: ir.U32, Param: len(a.params)})
	a.params = append(a.params, ir.Param{Name: name, Type: "uint32", Leaves: []int{n}})
	return a.uniform(ir.Uniform{K: ir.U32, Leaf: n})
}

// number returns a constant.
func (a *asm) number(v int32) ir.Operand {
	return a.uniform(ir.Uniform{K: ir.U32, Leaf: -1, Bits: uint64(uint32(v))})
}

func (a *asm) uniform(u ir.Uniform) ir.Operand {
	o, ok := a.consts[u]
	if !ok {
		o = ^ir.Operand(len(a.p.Uniforms))
		a.p.Uniforms = append(a.p.Uniforms, u)
		a.consts[u] = o
	}
	return o
}

// at sets the source position of the instructions to come; line 0 is none.
func (a *asm) at(file string, line, col int, text string) {
	a.pos = 0
	if line > 0 {
		a.p.Pos = append(a.p.Pos, ir.PosInfo{File: file, Line: line, Col: col, Func: text})
		a.pos = ir.Pos(len(a.p.Pos) - 1)
	}
}

// emit appends an instruction. dst is NoReg, a register, or a predicate if k is Pred.
func (a *asm) emit(op ir.Op, k ir.Kind, dst ir.Operand, src ...ir.Operand) *ir.Inst {
	in := ir.Inst{
		Op: op, K: k, ArgK: k, NSrc: uint8(len(src)), Guard: a.guard, Root: -1, Target: -1, Recon: -1, Pos: a.pos,
		Class: ir.ClassOf(op, k), Dst: [4]int32{int32(dst), ir.NoReg, ir.NoReg, ir.NoReg},
	}
	if int32(dst) != ir.NoReg {
		in.NDst = 1
	}
	copy(in.Src[:], src)
	a.p.Code = append(a.p.Code, in)
	return &a.p.Code[len(a.p.Code)-1]
}

// op emits an operation on 32-bit integers and returns its result in a new register.
func (a *asm) op(op ir.Op, src ...ir.Operand) ir.Operand {
	d := a.row()
	a.emit(op, ir.U32, d, src...)
	return d
}

// special reads a special value into a new register.
func (a *asm) special(s ir.Special) ir.Operand {
	d := a.row()
	a.read(d, s)
	return d
}

// read reads a special value into a register.
func (a *asm) read(d ir.Operand, s ir.Special) {
	op := ir.OpSpecial
	if ir.Specials[s].Changes {
		op = ir.OpReadSpecial
	}
	a.emit(op, ir.Specials[s].Kind, d).Imm = int64(s)
}

// compare sets a new predicate to the comparison of x and y, of kind k.
func (a *asm) compare(op ir.Op, k ir.Kind, x, y ir.Operand) ir.Operand {
	p := a.pred()
	in := a.emit(op, ir.Pred, p, x, y)
	in.ArgK, in.Class = k, ir.ClassOf(op, k)
	return p
}

// address returns the address of element i of an array in a new register.
func (a *asm) address(of array, i ir.Operand) ir.Operand {
	d := a.row()
	in := a.emit(ir.OpLea, ir.U64, d, of.base, i)
	in.ArgK, in.Imm = ir.U32, 4
	return d
}

// access emits a load, store or atomic of a word at an address within an array.
func (a *asm) access(op ir.Op, of array, order ir.Order, scope ir.Scope, dst ir.Operand, src ...ir.Operand) {
	in := a.emit(op, ir.U32, dst, src...)
	in.Root, in.Mem = of.root, ir.Mem{Kind: ir.U32, Vec: 1, Space: ir.Global, Order: order, Scope: scope}
}

// load returns element i of an array, read by a plain load.
func (a *asm) load(of array, i ir.Operand) ir.Operand {
	at, d := a.address(of, i), a.row()
	a.access(ir.OpLoad, of, ir.Weak, ir.NoScope, d, at)
	return d
}

// store writes element i of an array by a plain store.
func (a *asm) store(of array, i, v ir.Operand) {
	a.access(ir.OpStore, of, ir.Weak, ir.NoScope, ir.Operand(ir.NoReg), a.address(of, i), v)
}

func (a *asm) label(name string) { a.labels[name] = int32(len(a.p.Code)) }

// branch goes to a label where predicate p is set.
func (a *asm) branch(p ir.Operand, to string) {
	a.jumps[len(a.p.Code)] = to
	a.emit(ir.OpBra, ir.Void, ir.Operand(ir.NoReg)).Guard = p
}

// branchNot goes to a label where predicate p is not set.
func (a *asm) branchNot(p ir.Operand, to string) {
	a.branch(p, to)
	a.p.Code[len(a.p.Code)-1].GuardNot = true
}

func (a *asm) jump(to string) {
	a.jumps[len(a.p.Code)] = to
	a.emit(ir.OpJmp, ir.Void, ir.Operand(ir.NoReg)).Guard = ir.NoGuard
}

func (a *asm) exit() { a.emit(ir.OpExit, ir.Void, ir.Operand(ir.NoReg)).Guard = ir.NoGuard }

// kernel resolves the labels and returns the kernel. Lanes that a branch separates reconverge at its immediate
// post-dominator, as in compiled kernels.
func (a *asm) kernel() *device.Kernel {
	code := a.p.Code
	succs := make([][]int32, len(code))
	for i := range code {
		in := &code[i]
		if to, ok := a.jumps[i]; ok {
			if in.Target, ok = a.labels[to]; !ok {
				panic(fmt.Sprintf("ptxlitmus: no label %s", to))
			}
			succs[i] = append(succs[i], in.Target)
		}
		if in.Op != ir.OpJmp && in.Op != ir.OpExit && (len(succs[i]) == 0 || succs[i][0] != int32(i+1)) {
			succs[i] = append(succs[i], int32(i+1))
		}
	}
	meet := ir.NewGraph(succs).PostDominators()
	for i := range code {
		if code[i].Op == ir.OpBra {
			code[i].Recon = meet[i]
		}
	}
	a.p.RegCount = min(16+a.p.NumRegs, 255)
	return (&ir.Kernel{Name: a.p.Name, Params: a.params, Program: &a.p}).ForHost()
}
