package compile

import (
	"go/token"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// slot is one leaf of a local variable in registers.
type slot struct {
	t      leafType
	static bool // a compile-time value was assigned
	once   bool // assigned once, before all uses: def is valid wherever it is read
	def    leaf
}

// blockState is the state of SSA construction for a block.
type blockState struct {
	defs       map[*slot]leaf // current definition at the end of the block so far
	sealed     bool           // all predecessors are known
	incomplete []incomplete   // phis to be completed when it is sealed
	age        int            // number of values made before the block was begun; 0 before that
}

// incomplete is a phi without operands yet.
type incomplete struct {
	phi *ir.Value
	s   *slot
	pos token.Pos
}

// reaching is a compile-time value that was read before all definitions were
// known. It is checked once they are.
type reaching struct {
	s    *slot
	b    *ir.Block
	want leaf
	at   site
}

func (lo *lowerer) state(b *ir.Block) *blockState { return &lo.blocks[b.ID] }

func (lo *lowerer) newBlock() *ir.Block {
	b := lo.f.NewBlock()
	lo.blocks = append(lo.blocks, blockState{})
	return b
}

// res follows the forwarding of trivial phis.
func (lo *lowerer) res(v *ir.Value) *ir.Value {
	for v.ID < len(lo.forward) && lo.forward[v.ID] != nil {
		v = lo.forward[v.ID]
	}
	return v
}

// write makes l the definition of s in the current block.
func (lo *lowerer) write(s *slot, l leaf) {
	if _, ok := l.(*ir.Value); !ok {
		s.static = true
	}
	if s.once {
		s.def = l
		return
	}
	lo.define(s, lo.cur, l)
}

func (lo *lowerer) define(s *slot, b *ir.Block, l leaf) {
	st := lo.state(b)
	if st.defs == nil {
		st.defs = map[*slot]leaf{}
	}
	st.defs[s] = l
}

// read returns the definition of s that reaches the current point.
func (lo *lowerer) read(s *slot, pos token.Pos) leaf {
	d, ok := s.def, s.once
	if !ok {
		d, ok = lo.state(lo.cur).defs[s]
	}
	if ok {
		if v, ok := d.(*ir.Value); ok {
			return lo.res(v)
		}
		return d
	}
	if s.t.k == ir.Void || s.static {
		return lo.readStatic(s, pos)
	}
	return lo.readReg(s, lo.cur, pos)
}

// readStatic reads a slot that holds compile-time values. They cannot be
// merged, so a single definition must reach the block.
func (lo *lowerer) readStatic(s *slot, pos token.Pos) leaf {
	d, mixed := lo.reachingDef(s, lo.cur)
	switch {
	case mixed && s.t.k == ir.Void:
		return unknown{d}
	case mixed, d == nil:
		if s.t.k == ir.Void {
			return null{}
		}
		return lo.readReg(s, lo.cur, pos)
	}
	if _, ok := d.(poison); ok {
		panic(silent{})
	}
	if _, ok := d.(*ir.Value); ok {
		return lo.readReg(s, lo.cur, pos)
	}
	lo.checks = append(lo.checks, reaching{s, lo.cur, d, lo.here(pos)})
	return d
}

// failUnknown rejects a place that several compile-time values reach.
func (lo *lowerer) failUnknown(d leaf, pos token.Pos) {
	if u, ok := d.(unknown); ok {
		d = u.like
	}
	switch d.(type) {
	case *iface:
		lo.fail(pos, "which type this interface holds is not known at compile time; use a type parameter, or a switch that calls each type's method")
	case text:
		lo.fail(pos, "this string is not known at compile time; strings are supported only as the text of a panic")
	}
	lo.fail(pos, "which function is called is not known at compile time; call each in a branch of its own")
}

// reachingDef finds the definition of s that reaches the start of b. It is nil
// if there is none; mixed is true if there are several.
func (lo *lowerer) reachingDef(s *slot, b *ir.Block) (found leaf, mixed bool) {
	seen := map[*ir.Block]bool{b: true}
	work := append([]*ir.Block(nil), b.Preds...)
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		d, ok := lo.state(p).defs[s]
		switch {
		case ok && found == nil:
			found = d
		case ok:
			if _, bad := d.(poison); bad {
				found = d
			} else if !same(found, d) {
				mixed = true
			}
		}
		if !ok && !seen[p] {
			seen[p] = true
			work = append(work, p.Preds...)
		}
	}
	if _, bad := found.(poison); bad {
		mixed = false
	}
	return found, mixed
}

// readReg is readVariable of Braun et al. for a slot in a register.
func (lo *lowerer) readReg(s *slot, b *ir.Block, pos token.Pos) *ir.Value {
	st := lo.state(b)
	if d, ok := st.defs[s]; ok {
		return lo.reg(d, pos)
	}
	var value *ir.Value
	switch {
	case !st.sealed:
		value = lo.newPhi(b, s.t.k)
		st.incomplete = append(st.incomplete, incomplete{value, s, pos})
	case len(b.Preds) == 1:
		value = lo.readReg(s, b.Preds[0], pos)
	case len(b.Preds) == 0:
		value = lo.constant(s.t.k, 0)
	default:
		value = lo.newPhi(b, s.t.k)
		lo.define(s, b, value)
		lo.fillPhi(value, s, pos)
		value = lo.res(value)
	}
	lo.define(s, b, value)
	return value
}

func (lo *lowerer) newPhi(b *ir.Block, k ir.Kind) *ir.Value {
	lo.made()
	v := lo.f.NewValue(ir.OpPhi, k, 0)
	v.Block = b
	b.Phis = append(b.Phis, v)
	return v
}

func (lo *lowerer) fillPhi(v *ir.Value, s *slot, pos token.Pos) {
	for _, p := range v.Block.Preds {
		d := lo.readReg(s, p, pos)
		lo.outlives(v.Block, d, pos)
		v.Args = append(v.Args, d)
	}
	lo.simplify(v)
}

// seal records that all predecessors of b are known.
func (lo *lowerer) seal(b *ir.Block) {
	st := lo.state(b)
	if st.sealed {
		return
	}
	st.sealed = true
	for _, in := range st.incomplete {
		lo.try(func() { lo.fillPhi(in.phi, in.s, in.pos) })
	}
	lo.state(b).incomplete = nil
}

// simplify forwards a phi whose operands are a single value and the phi itself.
func (lo *lowerer) simplify(v *ir.Value) bool {
	if lo.res(v) != v || len(v.Args) == 0 {
		return false
	}
	var one *ir.Value
	for _, a := range v.Args {
		if a = lo.res(a); a == v || one != nil && sameValue(a, one) {
			continue
		}
		if one != nil {
			return false
		}
		one = a
	}
	if one == nil {
		return false
	}
	lo.setForward(v, one)
	return true
}

func (lo *lowerer) setForward(v, to *ir.Value) {
	for v.ID >= len(lo.forward) {
		lo.forward = append(lo.forward, make([]*ir.Value, max(64, len(lo.forward)))...)
	}
	lo.forward[v.ID] = to
}

// checkReaching checks the assumptions of readStatic once all edges are known.
func (lo *lowerer) checkReaching() {
	for _, r := range lo.checks {
		d, mixed := lo.reachingDef(r.s, r.b)
		if !mixed && (d == nil || same(d, r.want)) {
			continue
		}
		if _, bad := d.(poison); bad {
			continue
		}
		lo.try(func() {
			if a, ok := r.want.(localAddr); ok {
				lo.noteInMemory(a.l)
				panic(silent{})
			}
			lo.at(r.at, func() { lo.failUnknown(r.want, r.at.pos) })
		})
	}
}
