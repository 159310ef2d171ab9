package ir

import (
	"errors"
	"fmt"
	"math"

	"github.com/weft-gpu/weft/internal/mma"
)

// Verify checks that f is well formed: blocks and edges agree, definitions
// dominate uses, phis match predecessors, and kinds fit the ops. The error
// lists every problem found. Verify renumbers blocks as Analyze does.
//
// Integer operands must have the width that the op works on. Their signedness
// is not checked, since the op itself (K, ArgK) says how it reads them.
func (f *Func) Verify() error {
	if len(f.Blocks) == 0 {
		return fmt.Errorf("ir: %s: no blocks", f.Name)
	}
	c := &checker{f: f, at: make([]int32, f.values), seen: make([]bool, f.values)}
	c.edges()
	if len(c.errs) > 0 {
		return errors.Join(c.errs...)
	}
	// Only now: Analyze walks the edges and would fail on broken ones.
	f.Analyze()
	c.places()
	for _, b := range f.Blocks {
		c.block(b)
	}
	return errors.Join(c.errs...)
}

type checker struct {
	f    *Func
	at   []int32 // by value: position in its block
	seen []bool  // by value: belongs to a block
	errs []error
}

const maxVerifyErrors = 20

func (c *checker) fail(v *Value, format string, args ...any) {
	if len(c.errs) >= maxVerifyErrors {
		return
	}
	where := ""
	if v != nil {
		where = fmt.Sprintf(" v%d (%v)", v.ID, v.Op)
		if v.Block != nil {
			where += fmt.Sprintf(" in b%d", v.Block.ID)
		}
		if v.Pos > 0 && int(v.Pos) < len(c.f.Pos) {
			where += fmt.Sprintf(" at %s:%d", c.f.Pos[v.Pos].File, c.f.Pos[v.Pos].Line)
		}
	}
	c.errs = append(c.errs, fmt.Errorf("ir: %s:%s: %s", c.f.Name, where, fmt.Sprintf(format, args...)))
}

func count(list []*Block, b *Block) int {
	n := 0
	for _, x := range list {
		if x == b {
			n++
		}
	}
	return n
}

// edges checks only the graph, because Analyze relies on it.
func (c *checker) edges() {
	in := make(map[*Block]bool, len(c.f.Blocks))
	for _, b := range c.f.Blocks {
		if in[b] {
			c.fail(nil, "b%d is listed twice", b.ID)
		}
		in[b] = true
	}
	if entering := len(c.f.Blocks[0].Preds); entering > 0 {
		c.fail(nil, "the entry has %d predecessors", entering)
	}
	for _, b := range c.f.Blocks {
		if len(b.Succs) > 2 || (len(b.Succs) == 2) != (b.Cond != nil) {
			c.fail(nil, "b%d has %d successors, condition %v", b.ID, len(b.Succs), b.Cond != nil)
		}
		if len(b.Succs) == 2 && b.Succs[0] == b.Succs[1] {
			c.fail(nil, "b%d branches to b%d on both sides", b.ID, b.Succs[0].ID)
		}
		for _, succ := range b.Succs {
			if !in[succ] || count(succ.Preds, b) != count(b.Succs, succ) {
				c.fail(nil, "edge b%d to b%d is not known to both", b.ID, succ.ID)
			}
		}
		for _, pred := range b.Preds {
			if !in[pred] || count(pred.Succs, b) != count(b.Preds, pred) {
				c.fail(nil, "edge b%d to b%d is not known to both", pred.ID, b.ID)
			}
		}
	}
}

func (c *checker) places() {
	for _, b := range c.f.Blocks {
		at := int32(0)
		for _, list := range [][]*Value{b.Phis, b.Ins} {
			for _, v := range list {
				switch {
				case v.ID < 0 || v.ID >= len(c.at):
					c.fail(v, "ID out of range")
					continue
				case c.seen[v.ID]:
					c.fail(v, "ID used twice")
				case v.Block != b:
					c.fail(v, "stands in b%d but says otherwise", b.ID)
				}
				c.seen[v.ID], c.at[v.ID] = true, at
				at++
			}
		}
	}
}

func (c *checker) block(b *Block) {
	for _, value := range b.Phis {
		if value.Op != OpPhi {
			c.fail(value, "stands among the phis")
		}
		if len(value.Args) != len(b.Preds) {
			c.fail(value, "%d operands for %d predecessors", len(value.Args), len(b.Preds))
			continue
		}
		for i, arg := range value.Args {
			// A phi reads its operand at the end of the predecessor, so that it may be any value of that block.
			c.avail(value, arg, b.Preds[i], 1<<30)
			c.same(value, arg, value.K)
		}
	}
	for _, value := range b.Ins {
		if value.Op == OpPhi {
			c.fail(value, "phi among the instructions")
			continue
		}
		for _, arg := range value.Args {
			c.avail(value, arg, b, c.at[value.ID])
		}
		if value.Guard != nil {
			c.avail(value, value.Guard, b, c.at[value.ID])
			// A guard would take lanes out of a collective, whose mask says who takes part; and a value under a guard is
			// undefined in the others.
			if value.Guard.K != Pred || value.Op.Collective() || !value.Op.Effect() {
				c.fail(value, "guard on it or of kind %v", value.Guard.K)
			}
		}
		if value.K == Void || value.K == Pred || value.K.Register() == value.K {
			c.types(value)
		} else {
			c.fail(value, "result of kind %v, which no register has", value.K)
		}
	}
	if b.Cond != nil {
		c.avail(nil, b.Cond, b, 1<<30)
		if b.Cond.K != Pred {
			c.fail(b.Cond, "branch on a %v", b.Cond.K)
		}
	}
}

// avail checks that a is defined in front of position before of block b.
func (c *checker) avail(v, arg *Value, b *Block, before int32) {
	switch {
	case arg == nil:
		c.fail(v, "operand missing")
	case arg.ID < 0 || arg.ID >= len(c.seen):
		c.fail(v, "operand v%d has an ID out of range", arg.ID)
	// Constants, parameters and addresses of variables belong to no block: they are the same everywhere.
	case arg.Block == nil || !c.seen[arg.ID]:
		if arg.Block != nil || !arg.Op.Floating() {
			c.fail(v, "operand v%d (%v) stands in no block", arg.ID, arg.Op)
		}
	case arg.Block == b && c.at[arg.ID] >= before, arg.Block != b && !arg.Block.Dominates(b):
		c.fail(v, "operand v%d of b%d does not dominate its use in b%d", arg.ID, arg.Block.ID, b.ID)
	case arg.Guard != nil:
		c.fail(v, "operand v%d is the result of a guarded instruction", arg.ID)
	}
}

func (c *checker) same(v, a *Value, k Kind) {
	if a != nil && (a.K.Bits() != k.Bits() || a.K.Float() != k.Float() || a.K == Pred != (k == Pred)) {
		c.fail(v, "operand v%d (%v) of kind %v where %v is needed", a.ID, a.Op, a.K, k)
	}
}

func (c *checker) need(v *Value, ok bool, what string) {
	if !ok {
		c.fail(v, "%s (kind %v, operands %v)", what, v.K, v.ArgK)
	}
}

// types checks kinds and operands against the row of the op, and everything
// else against the rest of the kernel.
func (c *checker) types(v *Value) {
	if v.Op >= NumOps || v.Op == OpInvalid || Ops[v.Op].InProgram {
		c.fail(v, "op not allowed in SSA form")
		return
	}
	info := &Ops[v.Op]
	if want := v.Op.NArgs(); want >= 0 && want != len(v.Args) {
		c.fail(v, "%d operands where %d are needed", len(v.Args), want)
		return
	}
	for _, arg := range v.Args {
		if arg == nil {
			return // avail reports it
		}
	}
	switch {
	case info.Result == 0 && v.K != Void:
		c.fail(v, "a result of kind %v, where there is none", v.K)
	case info.Result != 0 && !info.Result.Has(v.K):
		c.fail(v, "a result of kind %v, where %v is needed", v.K, info.Result)
	case info.ArgK != 0 && !info.ArgK.Has(v.ArgK):
		c.fail(v, "operands of kind %v, where %v is needed", v.ArgK, info.ArgK)
	case info.ArgK != 0 && !v.Op.Accepts(v.K, v.ArgK):
		c.fail(v, "operands of kind %v do not go with a result of kind %v", v.ArgK, v.K)
	default:
		c.operands(v)
	}
}

// operands checks the operands of an instruction whose own kinds are valid.
func (c *checker) operands(v *Value) {
	info := &Ops[v.Op]
	if v.Op == OpMMA && !MMA(v.Imm).valid(v.K, v.ArgK, len(v.Args)) {
		c.fail(v, "no such product of matrices, or not of these registers")
		return
	}
	if (v.Op == OpMMA || v.Op == OpFragment || v.Op.OfSums() && v.Op.Aligned()) && (v.Args[0].Op != OpConst || v.Args[0].Bits() != 1<<32-1) {
		c.fail(v, "the mask is not that of all lanes")
	}
	for i, arg := range v.Args {
		k := v.Op.ArgKind(i, v.K, v.ArgK, v.Mem.Kind)
		if v.Op == OpMMA && i > 0 {
			k = MMA(v.Imm).ArgKind(i)
		}
		c.same(v, arg, k)
		if arg.Results() > 1 && info.Args[min(i, len(info.Args)-1)] != Vector {
			c.fail(v, "reads the vector v%d as a scalar", arg.ID)
		}
	}
	if v.Op.Addressed() {
		c.access(v)
	}
	c.imm(v)
	if mem := v.Mem; v.Op == OpFence && (mem.Order != AcqRel && mem.Order != SeqCst || mem.Scope == NoScope) {
		c.fail(v, "needs order acq_rel or sc, and a scope")
	}
}

// access checks a memory access.
func (c *checker) access(v *Value) {
	mem, info := v.Mem, &Ops[v.Op]
	if !info.Elem.Has(mem.Kind) {
		c.fail(v, "an element of kind %v, where %v is needed", mem.Kind, info.Elem)
	}
	c.need(v, mem.Space < NumSpaces && mem.Order < NumOrders && mem.Scope < NumScopes && mem.Cache < NumCaches, "has no such space, order, scope or hint")
	// As ld and st of PTX: .v2 and .v4 of at most 128 bits, and no vector of atomics (PTX ISA, ld).
	c.need(v, mem.Vec == 1 || (mem.Vec == 2 || mem.Vec == 4) && mem.Bytes() <= 16 && !v.Op.IsAtomic(), "vector too wide")
	// PTX has no sequentially consistent access, only fence.sc (PTX ISA, "Memory Consistency Model").
	c.need(v, mem.Order != SeqCst, "has an order that fences alone have")
	// A strong operation is one with a scope (PTX ISA, "Scope").
	c.need(v, mem.Order == Weak || mem.Scope != NoScope, "an ordered access needs a scope")
	c.need(v, !v.Op.OnMatrix() || mem == MatrixMem, "accesses no row of a matrix")
	if dims := v.Op.TensorDims(); dims > 0 && !v.Op.ByMap() {
		x := v.Args[0]
		c.need(v, v.Imm == 0 && x.Op == OpParam && c.f.Leaves[x.Imm].Role == Base && int(x.Imm)+TensorLeavesOf(dims).Bytes < len(c.f.Leaves), "copies a box of what is no tensor map")
	}
	switch info.Action {
	case ActLoad:
		c.need(v, v.K == mem.Kind.Register(), "loads another kind than it names")
	case ActStore:
		c.need(v, len(v.Args) == 1+int(mem.Vec), "needs one value an element")
	case ActCopy: // weak, from global memory
		if v.Op.SendsValue() {
			c.need(v, mem.Order == Weak && (mem.Space == Shared || mem.Space == Generic) && len(v.Args) == SentValue+int(mem.Vec) && (mem.Vec == 1 || v.Op == OpSendStore), "sends values to shared memory, without order")
			break
		}
		if v.Op == OpBulkSend {
			c.need(v, mem.Order == Weak && (mem.Space == Shared || mem.Space == Generic), "copies from shared memory, without order")
			break
		}
		c.need(v, mem.Order == Weak && (mem.Space == Global || mem.Space == Generic), "copies from global memory, without order")
	case ActBulk: // PTX ISA, "cp.reduce.async.bulk": each reduction has relaxed semantics at the scope of the GPU
		order, scope := Weak, NoScope
		if v.Op.Updates() != OpInvalid {
			order, scope = Relaxed, ScopeDevice
		}
		c.need(v, mem.Order == order && mem.Scope == scope && mem.Bytes() == 16 && (mem.Space == Global || mem.Space == Generic), "copies parts of 16 bytes to global memory, without order if it is no reduction")
	default:
		c.need(v, v.K.Bits() == mem.Kind.Register().Bits(), "works on another kind than it names")
	}
}

// imm checks that what Imm refers to exists.
func (c *checker) imm(v *Value) {
	index := uint64(v.Imm)
	switch Ops[v.Op].Imm {
	case ImmLeaf:
		if index >= uint64(len(c.f.Leaves)) || c.f.Leaves[index].Kind != v.K {
			c.fail(v, "no parameter leaf %d of kind %v", v.Imm, v.K)
		}
	case ImmShared:
		c.need(v, index < uint64(len(c.f.Shared)), "no such shared variable")
	case ImmLocal:
		c.need(v, index < uint64(len(c.f.Local)), "no such local variable")
	case ImmSpecial:
		c.need(v, index < uint64(NumSpecials) && Specials[index].Kind.Bits() == v.K.Bits() && Specials[index].Changes == (v.Op.Action() == ActClock), "no such special value")
	case ImmElement:
		vector := v.Args[0]
		c.need(v, vector.Results() > 1 && index < uint64(vector.Results()), "needs a vector with such an element")
	case ImmFragment:
		c.need(v, index < uint64(len(mma.Fragments)), "no such fragment of a matrix")
	case ImmReduction:
		c.need(v, index < uint64(NumReductions), "no such reduction")
	case ImmGroups:
		most := int64(math.MaxInt32)
		if v.Op == OpGroupMMAWait {
			most = MaxSumsPending
		}
		c.need(v, v.Imm >= 0 && v.Imm <= most, "needs a number of groups")
	case ImmSums:
		c.need(v, SumsOf(v.Imm).valid(v.Op), "needs sums of a thread that go with its product")
	case ImmRegisters:
		c.need(v, ValidRegisters(v.Imm), "needs a number of registers")
	case ImmMemory:
		c.need(v, index <= AllMemory, "needs the memory of a fence")
	case ImmFunction:
		c.need(v, Function(index) < NumFunctions, "no such function")
	case ImmTrap:
		c.need(v, index < uint64(len(c.f.Traps)), "no such trap")
	}
}
