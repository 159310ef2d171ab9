package ir

// Clone returns a copy of f. Its blocks and values can be changed without
// affecting f. Parts that no pass changes in place (leaves, traps, positions)
// are shared.
func (f *Func) Clone() *Func {
	g := *f
	g.Shared, g.Local = append([]Var(nil), f.Shared...), append([]Var(nil), f.Local...)
	values := make([]*Value, f.values) // by ID
	value := func(v *Value) *Value {
		if v == nil {
			return nil
		}
		if values[v.ID] == nil {
			n := *v
			values[v.ID] = &n
		}
		return values[v.ID]
	}
	list := func(from []*Value) []*Value {
		to := make([]*Value, len(from))
		for i, v := range from {
			to[i] = value(v)
		}
		return to
	}
	blocks := make(map[*Block]*Block, len(f.Blocks))
	g.Blocks = make([]*Block, len(f.Blocks))
	for i, b := range f.Blocks {
		n := *b
		n.Phis, n.Ins, n.Cond = list(b.Phis), list(b.Ins), value(b.Cond)
		blocks[b], g.Blocks[i] = &n, &n
	}
	edges := func(from []*Block) []*Block {
		to := make([]*Block, len(from))
		for i, b := range from {
			to[i] = blocks[b]
		}
		return to
	}
	for _, b := range g.Blocks {
		b.Preds, b.Succs = edges(b.Preds), edges(b.Succs)
		b.Idom, b.Ipdom = blocks[b.Idom], blocks[b.Ipdom]
		for _, l := range [][]*Value{b.Phis, b.Ins} {
			for _, v := range l {
				v.Args, v.Guard, v.Block = list(v.Args), value(v.Guard), b
			}
		}
	}
	return &g
}
