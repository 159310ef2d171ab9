package compile

import (
	"context"
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// lowerer lowers one entry point to an ir.Func.
type lowerer struct {
	c     *Compiler
	entry *entry
	f     *ir.Func
	cur   *ir.Block
	frame *frame

	blocks  []blockState // by block ID
	forward []*ir.Value  // by value ID: the replacement of a trivial phi
	checks  []reaching

	errs        Errors
	told        map[told]bool // errors in errs
	facts       *facts
	again       bool            // facts has grown: lower once more
	flatWarp    bool            // a warp's index was computed as that of a one-dimensional block
	ended       bool            // a limit ended the lowering
	shared      map[string]bool // lines (with inlining chain) that declare a shared variable
	traps       map[string]int64
	returns     []*ir.Block // in which a function returns before its end
	locals      int64       // bytes of local memory
	sums        int         // words of variables for sums of warpgroups
	sharedBytes int64

	ctx           context.Context
	steps         int // go/ssa instructions lowered so far
	instructions  int // instructions of f, including phis
	spills        map[spillKey]*ir.Value
	vectors       []*ir.Value // accesses to whole values
	maps          []mapUse
	setsRegisters *Error                    // if the kernel must say with how many registers it begins, and does not
	tables        map[*ssa.Global]*ir.Value // addresses of constant tables
}

// facts are properties of a kernel that lowering discovers after it has lowered
// code that depends on them. Lowering then starts again with these facts.
type facts struct {
	inMemory   map[*ssa.Alloc]bool // locals whose address is needed
	dimensions bool                // the kernel uses an index along y or z
}

// silent is the value of the panic for an instruction that cannot be lowered
// for a reason that was already reported.
type silent struct{}

// lowerEntry lowers an entry point. errs are the errors of the kernel, err is
// an error of bind.
func (c *Compiler) lowerEntry(ctx context.Context, e *entry, bind map[string]any) (k *ir.Kernel, errs Errors, err error) {
	known := &facts{inMemory: map[*ssa.Alloc]bool{}}
	for {
		lo := &lowerer{c: c, ctx: ctx, entry: e, facts: known, shared: map[string]bool{}, traps: map[string]int64{},
			spills: map[spillKey]*ir.Value{}, tables: map[*ssa.Global]*ir.Value{}, f: &ir.Func{Name: e.name}}
		k, err = lo.kernel(bind)
		switch {
		case err != nil:
			return nil, nil, err
		case lo.ended:
			return nil, lo.errs.tidy(), nil
		case lo.again || lo.flatWarp && known.dimensions: // facts only grow, so this ends
			continue
		case len(lo.errs) > 0:
			return nil, lo.errs.tidy(), nil
		}
		return k, nil, nil
	}
}

// kernel lowers the entry's function with its parameters.
func (lo *lowerer) kernel(bind map[string]any) (k *ir.Kernel, err error) {
	fn := lo.entry.fn
	lo.f.AddPos(ir.PosInfo{})
	lo.f.Pos = lo.f.Pos[:1]
	lo.cur = lo.newBlock()
	lo.state(lo.cur).sealed = true
	defer func() {
		r := recover()
		if a, ok := r.(abandoned); ok {
			e, limit := a.err.(*Error)
			if !limit {
				k, err = nil, a.err
				return
			}
			lo.errs, lo.ended = append(lo.errs, e), true
			k, err = nil, nil
			return
		}
		if r != nil {
			lo.errs = append(lo.errs, lo.error(token.NoPos, fmt.Sprintf("the compiler failed here (%v); please report it", r)))
			k, err = nil, nil
		}
	}()
	k = &ir.Kernel{Name: lo.entry.name, Func: lo.f, MaxBlock: maxBlock(fn)}
	lo.frame = lo.newFrame(fn, token.NoPos)
	args, err := lo.params(k, bind)
	if err != nil {
		return nil, err
	}
	lo.frame = nil
	lo.try(func() { lo.inline(fn, args, nil, token.NoPos) })
	lo.checkReaching()
	// After an error the code has holes: what the last steps check would be said of these.
	if len(lo.errs) == 0 && !lo.again {
		lo.finish()
		lo.markEnds()
		lo.try(lo.checkReducible)
	}
	return k, nil
}

// site is a position and its frame.
type site struct {
	frame *frame
	pos   token.Pos
}

func (lo *lowerer) here(pos token.Pos) site { return site{lo.frame, pos} }

// at runs f with s as the current position.
func (lo *lowerer) at(s site, f func()) {
	old := lo.frame
	lo.frame = s.frame
	f()
	lo.frame = old
}

// try runs f and reports whether it succeeded. It records an error.
func (lo *lowerer) try(f func()) (ok bool) {
	frame := lo.frame
	defer func() {
		if ok {
			return
		}
		switch r := recover().(type) {
		case *Error:
			lo.report(r)
		case silent:
		default:
			panic(r)
		}
		lo.frame = frame
	}()
	f()
	return true
}

// report records an error unless it has been recorded for this place: an error
// in a function occurs again in each inlined copy.
func (lo *lowerer) report(e *Error) {
	key := told{e.At, e.Msg}
	if lo.told[key] {
		return
	}
	if lo.told == nil {
		lo.told = map[told]bool{}
	}
	lo.told[key] = true
	lo.errs = append(lo.errs, e)
}

// told identifies an error; errors with the same place and message are
// duplicates.
type told struct {
	at  Place
	msg string
}

// fail rejects the current instruction with an error.
func (lo *lowerer) fail(pos token.Pos, format string, args ...any) {
	panic(lo.error(pos, fmt.Sprintf(format, args...)))
}

// error returns an error at pos in the current frame, with the chain of
// inlining.
func (lo *lowerer) error(pos token.Pos, msg string) *Error {
	e := &Error{Msg: msg}
	fr := lo.frame
	for fr != nil && fr.parent != nil && lo.c.ofGPU(fr.fn) {
		pos, fr = fr.callPos, fr.parent // report it at the call, not inside package gpu
	}
	if !pos.IsValid() && fr != nil {
		pos = fr.at
	}
	for fr != nil && !pos.IsValid() {
		pos, fr = fr.callPos, fr.parent
	}
	if !pos.IsValid() {
		pos = lo.entry.pos
	}
	e.At = place(lo.c.fset.Position(pos))
	for ; fr != nil && fr.parent != nil; fr = fr.parent {
		if fr.callPos.IsValid() {
			e.From = append(e.From, place(lo.c.fset.Position(fr.callPos)))
		}
	}
	return e
}

// ---- instructions ----

// emit appends an instruction to the current block.
func (lo *lowerer) emit(op ir.Op, k ir.Kind, args ...*ir.Value) *ir.Value {
	v := lo.f.NewValue(op, k, lo.frame.pos(lo), args...)
	return lo.append(v)
}

func (lo *lowerer) append(v *ir.Value) *ir.Value {
	lo.made()
	v.Block = lo.cur
	lo.cur.Ins = append(lo.cur.Ins, v)
	return v
}

// pure emits an instruction without side effects, or returns its constant
// value. argK is the kind of the operands if it differs from k, else Void.
func (lo *lowerer) pure(op ir.Op, k, argK ir.Kind, args ...*ir.Value) *ir.Value {
	for i, a := range args {
		args[i] = lo.res(a)
	}
	v := lo.f.NewValue(op, k, lo.frame.pos(lo), args...)
	v.ArgK = argK
	return lo.folded(v)
}

// folded appends a value that is not constant, and returns the constant of one that is.
func (lo *lowerer) folded(v *ir.Value) *ir.Value {
	if c := lo.fold(v); c != nil {
		return c
	}
	return lo.append(v)
}

func (lo *lowerer) constant(k ir.Kind, bits uint64) *ir.Value { return lo.f.Const(k, bits) }

// floating makes a parameter or the address of a variable; these belong to no
// block.
func (lo *lowerer) floating(op ir.Op, k ir.Kind, imm int64) *ir.Value {
	v := lo.f.NewValue(op, k, 0)
	v.Imm = imm
	return v
}

// fold returns the constant value of v, or nil.
func (lo *lowerer) fold(v *ir.Value) *ir.Value {
	var x [3]uint64
	for i, a := range v.Args {
		if a.Op != ir.OpConst {
			return nil
		}
		x[i] = a.Bits()
	}
	bits, err := ir.Eval(v.Op, v.K, v.ArgK, v.Imm, x[0], x[1], x[2])
	if err != nil {
		return nil // division by zero: faults at run time
	}
	return lo.constant(v.K, bits)
}

// ---- the end ----

// finish replaces trivial phis and orders the blocks.
func (lo *lowerer) finish() {
	for changed := true; changed; {
		changed = false
		for _, b := range lo.f.Blocks {
			for _, v := range b.Phis {
				changed = lo.simplify(v) || changed
			}
		}
	}
	lo.narrowVectors()
	for _, b := range lo.f.Blocks {
		phis := b.Phis[:0]
		for _, v := range b.Phis {
			if lo.res(v) == v {
				phis = append(phis, v)
			}
		}
		b.Phis = phis
		for _, list := range [2][]*ir.Value{b.Phis, b.Ins} {
			for _, v := range list {
				for i, a := range v.Args {
					v.Args[i] = lo.res(a)
				}
			}
		}
		if b.Cond != nil {
			b.Cond = lo.res(b.Cond)
		}
	}
	lo.checkMaps()
	lo.checkRegisters()
	lo.f.Analyze()
	for _, b := range lo.f.Blocks {
		for _, v := range b.Ins {
			if v.Op.Addressed() {
				lo.place(v)
			}
		}
	}
}

// place sets the memory space of an access. It runs at the end, because only
// then the addresses that loops carry are known.
func (lo *lowerer) place(v *ir.Value) {
	v.Mem.Space = lo.space(v.Args[0])
	lo.tableAccess(v)
	if v.Mem.Space == ir.Local && (v.Mem.Order != ir.Weak || v.Op.IsAtomic()) {
		chain := places(lo.f, v.Pos)
		e := &Error{Msg: "an atomic or ordered access to " + localMsg}
		if len(chain) > 0 {
			e.At, e.From = chain[0], chain[1:]
		}
		lo.report(e)
	}
}

const localMsg = "a local variable, which no other thread sees; use gpu.Shared or a buffer that is a parameter"

// checkReducible rejects loops with two entries, which only goto can create.
func (lo *lowerer) checkReducible() {
	// In reverse post-order, the target of a backward edge must dominate its
	// source: all paths to the source pass through the loop header.
	for i, head := range lo.f.Blocks {
		for _, p := range head.Preds {
			if p.ID >= i && !head.Dominates(p) {
				info := lo.f.Pos[head.Pos]
				panic(&Error{At: Place{info.File, info.Line, info.Col}, Msg: gotoMsg})
			}
		}
	}
}

const gotoMsg = "goto makes a loop that can be entered in two places; write it with for"

// constantOf returns a Go constant as leaves.
func (lo *lowerer) constantOf(v *ssa.Const, pos token.Pos) []leaf {
	l := lo.layoutAt(v.Type(), pos)
	if v.Value == nil {
		return lo.zeros(l)
	}
	if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		return []leaf{stringConst(v.Value)}
	}
	return []leaf{lo.constant(l.leaves[0].k, constBits(v.Value, l.leaves[0].k))}
}
