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
	for _, b := range f.Blocks {
		for _, list := range [][]*ir.Value{b.Phis, b.Ins} {
			for _, v := range list {
				r.reads(v)
			}
		}
		r.branches(b)
	}
	return r
}

// add records that u uses v.
func (r *readers) add(v *ir.Value, u user) {
	if v.Op == ir.OpConst || v.Op == ir.OpParam {
		return // never asked for, and there may be very many
	}
	// Passes make values after the list was built.
	for len(r.of) <= v.ID {
		r.of = append(r.of, make([][]user, len(r.of)+8)...)
	}
	r.of[v.ID] = append(r.of[v.ID], u)
}

// reads records what the instruction or phi v reads.
func (r *readers) reads(v *ir.Value) {
	for _, a := range v.Args {
		if a != nil {
			r.add(a, user{v, v.Block})
		}
	}
	if v.Guard != nil {
		r.add(v.Guard, user{v, v.Block})
	}
}

// branches records what the end of b reads.
func (r *readers) branches(b *ir.Block) {
	if b.Cond != nil {
		r.add(b.Cond, user{nil, b})
	}
}

// readsThis reports whether u still uses v.
func (u user) readsThis(v *ir.Value) bool {
	if u.v == nil {
		return u.b.Cond == v
	}
	return u.v.Guard == v || slices.Contains(u.v.Args, v)
}

// outside reports whether v has a user that is a phi or is outside h.
func (r *readers) outside(v *ir.Value, h *ir.Block) bool {
	return v.ID < len(r.of) && slices.ContainsFunc(r.of[v.ID], func(u user) bool {
		return (u.b != h || u.v != nil && u.v.Op == ir.OpPhi) && u.readsThis(v)
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

func (d *defs) atEnd(b *ir.Block) *ir.Value {
	if v := d.end[b]; v != nil {
		return v
	}
	return d.atEntry(b)
}

// atEntry returns the value that reaches the start of b. Every path to b passes
// through a definition, since the original one dominated every use.
func (d *defs) atEntry(b *ir.Block) *ir.Value {
	if v := d.entry[b]; v != nil {
		return v
	}
	if len(b.Preds) == 0 {
		return d.first
	}
	if len(b.Preds) == 1 {
		v := d.atEnd(b.Preds[0])
		d.entry[b] = v
		return v
	}
	phi := d.c.value(b, ir.OpPhi, d.k, 0)
	// Entered before its operands are known, the phi ends the search around a
	// loop. If it turns out to choose nothing, resolve removes it.
	phi.Args = make([]*ir.Value, len(b.Preds))
	d.entry[b] = phi
	for i, pred := range b.Preds {
		phi.Args[i] = d.atEnd(pred)
	}
	b.Phis = append(b.Phis, phi)
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
