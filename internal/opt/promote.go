package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/ir"
)

// slot is a part of a local variable that is always accessed as a whole.
type slot struct {
	off  int64
	kind ir.Kind
}

// promote puts local variables in registers: those whose address is only ever
// the address of plain loads and stores, at constant offsets that do not
// overlap. Small arrays become such once loops over them are unrolled.
func promote(c *context) {
	if len(c.f.Local) == 0 {
		return
	}
	c.f.Analyze()
	changed := false
	for i, at := range c.local {
		if at == nil {
			continue
		}
		if slots, ok := c.slotsOf(at, int64(c.f.Local[i].Size)); ok {
			for _, s := range slots {
				c.promoteSlot(at, s)
			}
			changed = changed || len(slots) > 0
		}
	}
	if !changed {
		return
	}
	c.resolve()
	for _, b := range c.f.Blocks {
		b.Ins = slices.DeleteFunc(b.Ins, func(v *ir.Value) bool { return v.Op == ir.OpInvalid })
	}
}

// accesses reports a plain scalar load from or store to the variable at.
func accesses(v, at *ir.Value) bool {
	return (v.Op == ir.OpLoad || v.Op == ir.OpStore) && v.Args[0] == at && v.Mem.Vec == 1 && v.Mem.Order == ir.Weak
}

// slotsOf finds the slots of a variable; ok is false where it needs memory.
func (c *context) slotsOf(at *ir.Value, size int64) (slots []slot, ok bool) {
	for _, b := range c.f.Blocks {
		for _, v := range b.Phis {
			if slices.Contains(v.Args, at) {
				return nil, false
			}
		}
		for _, v := range b.Ins {
			for i, a := range v.Args {
				if a == at && (i > 0 || !accesses(v, at)) {
					return nil, false
				}
			}
			if !accesses(v, at) {
				continue
			}
			s := slot{v.Imm, v.Mem.Kind}
			if v.Guard != nil && v.Op == ir.OpLoad || s.off < 0 || s.off+int64(s.kind.Bytes()) > size {
				return nil, false
			}
			if !slices.Contains(slots, s) {
				slots = append(slots, s)
			}
		}
	}
	for i, s := range slots {
		for _, o := range slots[:i] {
			if s.off < o.off+int64(o.kind.Bytes()) && o.off < s.off+int64(s.kind.Bytes()) {
				return nil, false
			}
		}
	}
	return slots, true
}

// promoteSlot replaces the loads of s by the value stored last. Stores become
// the value that a load would read, and go.
func (c *context) promoteSlot(at *ir.Value, s slot) {
	d := newDefs(c)
	d.k = s.kind.Register()
	d.first = c.constant(d.k, 0) // Go clears variables
	stored := map[*ir.Value]*ir.Value{}
	for _, b := range c.f.Blocks {
		out := make([]*ir.Value, 0, len(b.Ins))
		for _, v := range b.Ins {
			if v.Op == ir.OpStore && accesses(v, at) && v.Imm == s.off {
				x := v.Args[1]
				if s.kind != d.k { // narrower in memory
					x = c.value(b, ir.OpExt, d.k, v.Pos, x)
					x.ArgK = s.kind
					out = append(out, x)
				}
				if v.Guard != nil { // else what it was, which is filled in below
					x = c.value(b, ir.OpSelect, d.k, v.Pos, v.Guard, x, nil)
					out = append(out, x)
				}
				stored[v] = x
				d.set(b, x)
			}
			out = append(out, v)
		}
		b.Ins = out
	}
	for _, b := range c.f.Blocks {
		var now *ir.Value
		current := func() *ir.Value {
			if now == nil {
				now = d.atEntry(b)
			}
			return now
		}
		for _, v := range b.Ins {
			if !accesses(v, at) || v.Imm != s.off {
				continue
			}
			if v.Op == ir.OpLoad {
				c.replace(v, current())
				continue
			}
			x := stored[v]
			if v.Guard != nil {
				fillElse(x, v.GuardNot, current)
			}
			now = x
			v.Op, v.Args, v.Guard, v.Imm, v.Mem = ir.OpInvalid, nil, nil, 0, ir.Mem{} // removed at the end
		}
	}
}

// fillElse completes select(guard, stored, nil) with the value before.
func fillElse(x *ir.Value, not bool, before func() *ir.Value) {
	x.Args[2] = before()
	if not {
		x.Args[1], x.Args[2] = x.Args[2], x.Args[1]
	}
}
