package opt

import "github.com/weft-gpu/weft/internal/ir"

// defs gives a variable that had one definition several, one in each of some
// blocks, and finds which of them reaches where; phis are made on the way.
type defs struct {
	c     *context
	k     ir.Kind
	end   []*ir.Value // by block: value at its end
	entry []*ir.Value // by block: value at its start
	first *ir.Value   // value at the start of the kernel, where there is one
}

// newDefs needs blocks numbered by Analyze.
func newDefs(c *context) *defs {
	n := len(c.f.Blocks)
	return &defs{c: c, end: make([]*ir.Value, n), entry: make([]*ir.Value, n)}
}

// set makes v the value at the end of b.
func (d *defs) set(b *ir.Block, v *ir.Value) {
	d.end[b.ID] = v
	d.k = v.K
}

func (d *defs) atEnd(b *ir.Block) *ir.Value {
	if v := d.end[b.ID]; v != nil {
		return v
	}
	return d.atEntry(b)
}

// atEntry is the value that reaches the start of b. Every path to b passes a
// definition, since the only one dominated every use.
func (d *defs) atEntry(b *ir.Block) *ir.Value {
	if v := d.entry[b.ID]; v != nil {
		return v
	}
	if len(b.Preds) == 0 {
		return d.first
	}
	if len(b.Preds) == 1 {
		v := d.atEnd(b.Preds[0])
		d.entry[b.ID] = v
		return v
	}
	phi := d.c.value(b, ir.OpPhi, d.k, 0)
	phi.Args = make([]*ir.Value, len(b.Preds))
	d.entry[b.ID] = phi
	for i, p := range b.Preds {
		phi.Args[i] = d.atEnd(p)
	}
	b.Phis = append(b.Phis, phi)
	return phi
}

// rewriteUses replaces the uses of old outside the blocks that define the
// variable anew before them: uses in a block with a definition are the
// caller's, but for those of old in its own block, which stay.
func (d *defs) rewriteUses(old *ir.Value) {
	for _, b := range d.c.f.Blocks {
		for _, p := range append([]*ir.Value(nil), b.Phis...) {
			for i, a := range p.Args {
				if a == old {
					p.Args[i] = d.atEnd(b.Preds[i])
				}
			}
		}
		if b == old.Block && d.end[b.ID] != nil {
			continue
		}
		for _, v := range b.Ins {
			for i, a := range v.Args {
				if a == old {
					v.Args[i] = d.atEntry(b)
				}
			}
			if v.Guard == old {
				v.Guard = d.atEntry(b)
			}
		}
		if b.Cond == old {
			b.Cond = d.atEntry(b)
		}
	}
}
