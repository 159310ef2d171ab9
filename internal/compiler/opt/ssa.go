package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// user is a use of a value: by an instruction or phi, or by the end of block b.
type user struct {
	v *ir.Value // nil for the condition of b
	b *ir.Block
}

// readers lists the users of each value. Passes that change many places keep
// one for all of them. An entry may be out of date, so check with readsThis
// that the user still uses the value.
type readers struct{ of [][]user }

// newReaders collects the users of all values of a kernel.
func newReaders(f *ir.Func) *readers {
	r := &readers{make([][]user, f.NumValues())}
	for _, block := range f.Blocks {
		for _, list := range [][]*ir.Value{block.Phis, block.Ins} {
			for _, v := range list {
				r.reads(v)
			}
		}
		r.branches(block)
	}
	return r
}

// add records a use of value.
func (r *readers) add(value *ir.Value, use user) {
	if value.Op == ir.OpConst || value.Op == ir.OpParam {
		return // never asked for, and there may be very many
	}
	// Passes make values after the list was built.
	for len(r.of) <= value.ID {
		r.of = append(r.of, make([][]user, len(r.of)+8)...)
	}
	r.of[value.ID] = append(r.of[value.ID], use)
}

// reads records what the instruction or phi reads.
func (r *readers) reads(value *ir.Value) {
	for _, a := range value.Args {
		if a != nil {
			r.add(a, user{value, value.Block})
		}
	}
	if value.Guard != nil {
		r.add(value.Guard, user{value, value.Block})
	}
}

// branches records what the end of b reads.
func (r *readers) branches(b *ir.Block) {
	if b.Cond != nil {
		r.add(b.Cond, user{nil, b})
	}
}

// readsThis reports whether u still uses the value.
func (u user) readsThis(value *ir.Value) bool {
	if u.v == nil {
		return u.b.Cond == value
	}
	return u.v.Guard == value || slices.Contains(u.v.Args, value)
}

// outside reports whether a value has a user that is a phi or is outside header.
func (r *readers) outside(v *ir.Value, header *ir.Block) bool {
	return v.ID < len(r.of) && slices.ContainsFunc(r.of[v.ID], func(u user) bool {
		return (u.b != header || u.v != nil && u.v.Op == ir.OpPhi) && u.readsThis(v)
	})
}

// leaves reports whether v has a user outside h.
func (r *readers) leaves(v *ir.Value, h *ir.Block) bool {
	return v.ID < len(r.of) && slices.ContainsFunc(r.of[v.ID], func(u user) bool { return u.b != h && u.readsThis(v) })
}

// defs replaces the single definition of a variable by one definition in each
// of several blocks, and finds which of them reaches which use; it inserts phis
// as needed.
type defs struct {
	c     *context
	r     *readers
	k     ir.Kind
	end   map[*ir.Block]*ir.Value // value at the end of the block
	entry map[*ir.Block]*ir.Value // value at the start of the block
	first *ir.Value               // value at the start of the kernel, if there is one
}

func newDefs(c *context, r *readers) *defs {
	return &defs{c: c, r: r, end: map[*ir.Block]*ir.Value{}, entry: map[*ir.Block]*ir.Value{}}
}

// set makes v the value at the end of b.
func (d *defs) set(b *ir.Block, v *ir.Value) {
	d.end[b] = v
	d.k = v.K
}

func (d *defs) atEnd(block *ir.Block) *ir.Value {
	if v := d.end[block]; v != nil {
		return v
	}
	return d.atEntry(block)
}

// atEntry returns the value that reaches the start of the block. Every path to the block passes
// through a definition, since the original one dominated every use.
func (d *defs) atEntry(block *ir.Block) *ir.Value {
	if v := d.entry[block]; v != nil {
		return v
	}
	if len(block.Preds) == 0 {
		return d.first
	}
	if len(block.Preds) == 1 {
		v := d.atEnd(block.Preds[0])
		d.entry[block] = v
		return v
	}
	phi := d.c.value(block, ir.OpPhi, d.k, 0)
	// Entered before its operands are known, the phi ends the search around a
	// loop. If it turns out to choose nothing, resolve removes it.
	phi.Args = make([]*ir.Value, len(block.Preds))
	d.entry[block] = phi
	for i, pred := range block.Preds {
		phi.Args[i] = d.atEnd(pred)
	}
	block.Phis = append(block.Phis, phi)
	if d.r != nil {
		d.r.reads(phi)
	}
	return phi
}

// rewriteUses replaces the uses of old that are reached by the new definitions.
// In blocks with a definition it leaves all uses to the caller, except that
// uses of old in its own block stay.
func (d *defs) rewriteUses(old *ir.Value) {
	if old.ID >= len(d.r.of) {
		return
	}
	users := d.r.of[old.ID]
	// In block order, so that phis get the same numbers whatever pass asks.
	slices.SortStableFunc(users, func(x, y user) int { return x.b.ID - y.b.ID })
	d.r.of[old.ID] = nil
	put := func(at **ir.Value, v *ir.Value, by user) {
		*at = v
		d.r.add(v, by)
	}
	for _, by := range users {
		switch {
		case !by.readsThis(old):
		// A phi reads at the end of its predecessor.
		case by.v != nil && by.v.Op == ir.OpPhi:
			for i, arg := range by.v.Args {
				if arg == old {
					put(&by.v.Args[i], d.atEnd(by.b.Preds[i]), by)
				}
			}
		case by.b == old.Block && d.end[by.b] != nil:
			d.r.add(old, by)
		case by.v == nil:
			put(&by.b.Cond, d.atEntry(by.b), by)
		default:
			for i, arg := range by.v.Args {
				if arg == old {
					put(&by.v.Args[i], d.atEntry(by.b), by)
				}
			}
			if by.v.Guard == old {
				put(&by.v.Guard, d.atEntry(by.b), by)
			}
		}
	}
}
