package ir

// Clone returns a copy of f. Its blocks and values can be changed without
// affecting f. Parts that no pass changes in place (leaves, traps, positions)
// are shared.
func (f *Func) Clone() *Func {
	copied := *f
	copied.Shared, copied.Local = append([]Var(nil), f.Shared...), append([]Var(nil), f.Local...)
	values := make([]*Value, f.values) // by ID
	value := func(v *Value) *Value {
		if v == nil {
			return nil
		}
		if values[v.ID] == nil {
			dup := *v
			values[v.ID] = &dup
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
	copied.Blocks = make([]*Block, len(f.Blocks))
	for i, b := range f.Blocks {
		dup := *b
		dup.Phis, dup.Ins, dup.Cond = list(b.Phis), list(b.Ins), value(b.Cond)
		blocks[b], copied.Blocks[i] = &dup, &dup
	}
	edges := func(from []*Block) []*Block {
		to := make([]*Block, len(from))
		for i, b := range from {
			to[i] = blocks[b]
		}
		return to
	}
	for _, b := range copied.Blocks {
		// After all blocks are copied: edges and operands lead forwards and
		// backwards.
		b.Preds, b.Succs = edges(b.Preds), edges(b.Succs)
		b.Idom, b.Ipdom = blocks[b.Idom], blocks[b.Ipdom]
		for _, vs := range [][]*Value{b.Phis, b.Ins} {
			for _, v := range vs {
				v.Args, v.Guard, v.Block = list(v.Args), value(v.Guard), b
			}
		}
	}
	return &copied
}
