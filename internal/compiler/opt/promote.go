package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// slot is a part of a local variable that is always accessed as a whole.
type slot struct {
	off  int64
	kind ir.Kind
}

// promotion is a local variable that may be promoted to registers.
type promotion struct {
	slots []slot
	defs  []*defs // by slot
	no    bool    // it must stay in memory
}

// promote moves local variables to registers. It promotes variables whose
// address is used only as the address of plain loads and stores, at constant
// offsets that do not overlap. Small arrays qualify once the loops over them
// are unrolled.
func promote(c *context) {
	if len(c.f.Local) == 0 {
		return
	}
	c.f.Dominate()
	vars := c.promotions()
	if len(vars) == 0 {
		return
	}
	stored := c.promoteStores(vars)
	c.promoteLoads(vars, stored)
	c.resolve()
	for _, b := range c.f.Blocks {
		b.Ins = slices.DeleteFunc(b.Ins, func(v *ir.Value) bool { return v.Op == ir.OpInvalid })
	}
}

// access returns the local variable that v loads from or stores to with a plain
// scalar access; nil if v is no such access.
func access(v *ir.Value) *ir.Value {
	if (v.Op == ir.OpLoad || v.Op == ir.OpStore) && v.Args[0].Op == ir.OpLocal && v.Mem.Vec == 1 && v.Mem.Order == ir.Weak {
		return v.Args[0]
	}
	return nil
}

// promotions finds the variables to promote; the key is the variable's address.
func (c *context) promotions() map[*ir.Value]*promotion {
	all := map[*ir.Value]*promotion{}
	of := func(at *ir.Value) *promotion {
		if all[at] == nil {
			all[at] = &promotion{}
		}
		return all[at]
	}
	for _, block := range c.f.Blocks {
		// An address that goes anywhere but into an access may be used by an
		// access that is not seen here.
		for _, v := range block.Phis {
			for _, arg := range v.Args {
				if arg.Op == ir.OpLocal {
					of(arg).no = true
				}
			}
		}
		for _, value := range block.Ins {
			at := access(value)
			for i, arg := range value.Args {
				if arg.Op == ir.OpLocal && (i > 0 || at == nil) {
					of(arg).no = true
				}
			}
			if at != nil {
				of(at).access(value, int64(c.f.Local[at.Imm].Size))
			}
		}
	}
	// In the order of the variables and not of the map, so that the values get
	// the same numbers each time.
	for _, at := range c.local {
		found := all[at]
		if found == nil {
			continue
		}
		if found.no || found.overlap() {
			delete(all, at)
			continue
		}
		for _, slot := range found.slots {
			slotDefs := newDefs(c, nil)
			slotDefs.k = slot.kind.Register()
			slotDefs.first = c.constant(slotDefs.k, 0) // Go zeroes variables
			found.defs = append(found.defs, slotDefs)
		}
	}
	return all
}

// access records a load from or store to a variable of size bytes.
func (p *promotion) access(v *ir.Value, size int64) {
	s := slot{v.Imm, v.Mem.Kind}
	if v.Guard != nil && v.Op == ir.OpLoad || s.off < 0 || s.off+int64(s.kind.Bytes()) > size {
		p.no = true
	}
	if !p.no && !slices.Contains(p.slots, s) {
		p.slots = append(p.slots, s)
		p.no = len(p.slots) > maxSlots
	}
}

// maxSlots is the maximum number of registers for a variable from local memory.
const maxSlots = 256

// overlap reports whether slots share bytes.
func (p *promotion) overlap() bool {
	for i, slot := range p.slots {
		for _, o := range p.slots[:i] {
			if slot.off < o.off+int64(o.kind.Bytes()) && o.off < slot.off+int64(slot.kind.Bytes()) {
				return true
			}
		}
	}
	return false
}

// slotOf returns the definitions of the slot that the value accesses; nil if the value is not
// an access to a promoted variable.
func slotOf(vars map[*ir.Value]*promotion, value *ir.Value) *defs {
	at := access(value)
	if at == nil {
		return nil
	}
	p := vars[at]
	if p == nil {
		return nil
	}
	return p.defs[slices.Index(p.slots, slot{value.Imm, value.Mem.Kind})]
}

// promoteStores returns for each store the value that a load would read.
func (c *context) promoteStores(vars map[*ir.Value]*promotion) map[*ir.Value]*ir.Value {
	stored := map[*ir.Value]*ir.Value{}
	for _, block := range c.f.Blocks {
		if !slices.ContainsFunc(block.Ins, func(v *ir.Value) bool { return v.Op == ir.OpStore && access(v) != nil }) {
			continue
		}
		// First all stores, in all blocks: only then does defs know which value
		// reaches the start of a block.
		out := make([]*ir.Value, 0, len(block.Ins)+8)
		for _, value := range block.Ins {
			if slot := slotOf(vars, value); slot != nil && value.Op == ir.OpStore {
				x := value.Args[1]
				// A load would return the element as memory keeps it, cut to
				// its width and extended again.
				if value.Mem.Kind != slot.k { // narrower in memory
					x = c.value(block, ir.OpExt, slot.k, value.Pos, x)
					x.ArgK = value.Mem.Kind
					out = append(out, x)
				}
				if value.Guard != nil { // else the previous value, which fillElse fills in
					x = c.value(block, ir.OpSelect, slot.k, value.Pos, value.Guard, x, nil)
					out = append(out, x)
				}
				stored[value] = x
				slot.set(block, x)
			}
			out = append(out, value)
		}
		block.Ins = out
	}
	return stored
}

// promoteLoads replaces loads by the last stored value. Stores are removed.
func (c *context) promoteLoads(vars map[*ir.Value]*promotion, stored map[*ir.Value]*ir.Value) {
	now := map[*defs]*ir.Value{}
	for _, block := range c.f.Blocks {
		clear(now)
		for _, value := range block.Ins {
			slot := slotOf(vars, value)
			if slot == nil {
				continue
			}
			// Only on demand: asking for the value at entry inserts phis.
			current := func() *ir.Value {
				if now[slot] == nil {
					now[slot] = slot.atEntry(block)
				}
				return now[slot]
			}
			if value.Op == ir.OpLoad {
				c.replace(value, current())
				continue
			}
			x := stored[value]
			if value.Guard != nil {
				fillElse(x, value.GuardNot, current)
			}
			now[slot] = x
			value.Op, value.Args, value.Guard, value.Imm, value.Mem = ir.OpInvalid, nil, nil, 0, ir.Mem{} // removed at the end
		}
	}
}

// fillElse completes select(guard, stored, nil) with the previous value.
func fillElse(x *ir.Value, not bool, before func() *ir.Value) {
	x.Args[2] = before()
	if not {
		x.Args[1], x.Args[2] = x.Args[2], x.Args[1]
	}
}
