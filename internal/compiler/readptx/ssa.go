package readptx

import "github.com/weft-gpu/weft/internal/compiler/ir"

// ssa gives the mutable registers of PTX their values in SSA form, as Braun and others
// do it ("Simple and Efficient Construction of Static Single Assignment Form", 2013).
type ssa struct {
	f      *ir.Func
	kinds  []ir.Kind // by register: the kind of a phi of it
	at     []map[int32]*ir.Value
	sealed []bool
	open   []map[int32]*ir.Value // phis of blocks whose predecessors are not all known
	zero   map[ir.Kind]*ir.Value
	phis   []*ir.Value
}

// register returns a new register whose phis have kind k.
func (s *ssa) register(k ir.Kind) int32 {
	s.kinds = append(s.kinds, k)
	return int32(len(s.kinds) - 1)
}

func (s *ssa) block() *ir.Block {
	b := s.f.NewBlock()
	s.at, s.sealed, s.open = append(s.at, nil), append(s.sealed, false), append(s.open, nil)
	return b
}

func (s *ssa) write(r int32, b *ir.Block, v *ir.Value) {
	if s.at[b.ID] == nil {
		s.at[b.ID] = map[int32]*ir.Value{}
	}
	s.at[b.ID][r] = v
}

func (s *ssa) read(r int32, b *ir.Block) *ir.Value {
	// Along blocks with one predecessor there is nothing to choose.
	for from := b; ; {
		if v := s.at[from.ID][r]; v != nil {
			if from != b {
				s.write(r, b, v)
			}
			return v
		}
		if !s.sealed[from.ID] || len(from.Preds) != 1 {
			v := s.enter(r, from)
			s.write(r, from, v)
			if from != b {
				s.write(r, b, v)
			}
			return v
		}
		from = from.Preds[0]
	}
}

// enter returns the value of a register at the start of a block that has several
// predecessors, or none, or not yet all.
func (s *ssa) enter(r int32, b *ir.Block) *ir.Value {
	if s.sealed[b.ID] && len(b.Preds) == 0 {
		return s.undefined(s.kinds[r])
	}
	phi := s.f.NewValue(ir.OpPhi, s.kinds[r], 0)
	phi.Block = b
	b.Phis = append(b.Phis, phi)
	s.phis = append(s.phis, phi)
	s.write(r, b, phi) // before the operands, which may lead back here
	if !s.sealed[b.ID] {
		if s.open[b.ID] == nil {
			s.open[b.ID] = map[int32]*ir.Value{}
		}
		s.open[b.ID][r] = phi
		return phi
	}
	s.operands(r, phi)
	return phi
}

func (s *ssa) operands(r int32, phi *ir.Value) {
	for _, pred := range phi.Block.Preds {
		phi.Args = append(phi.Args, s.read(r, pred))
	}
}

// undefined is the value of a register that nothing has written: PTX says nothing of
// it, and a GPU often has zero there.
func (s *ssa) undefined(k ir.Kind) *ir.Value {
	if s.zero[k] == nil {
		s.zero[k] = s.f.Const(k, 0)
	}
	return s.zero[k]
}

// seal says that all predecessors of a block are known.
func (s *ssa) seal(b *ir.Block) {
	if s.sealed[b.ID] {
		return
	}
	s.sealed[b.ID] = true
	// In the order of the registers, so that values get the same numbers each time.
	for r := int32(0); len(s.open[b.ID]) > 0 && int(r) < len(s.kinds); r++ {
		if phi := s.open[b.ID][r]; phi != nil {
			delete(s.open[b.ID], r)
			s.operands(r, phi)
		}
	}
}

// finish removes the phis that choose between a value and themselves.
func (s *ssa) finish() {
	with := make([]*ir.Value, s.f.NumValues())
	final := func(v *ir.Value) *ir.Value {
		for with[v.ID] != nil {
			v = with[v.ID]
		}
		return v
	}
	for changed := true; changed; {
		changed = false
		for _, phi := range s.phis {
			if with[phi.ID] != nil {
				continue
			}
			var one *ir.Value
			several := false
			for _, arg := range phi.Args {
				if arg = final(arg); arg == phi || arg == one {
					continue
				}
				several = several || one != nil
				one = arg
			}
			if several {
				continue
			}
			if one == nil {
				one = s.undefined(phi.K)
				if one.ID >= len(with) {
					with = append(with, make([]*ir.Value, one.ID+1-len(with))...)
				}
			}
			with[phi.ID], changed = one, true
		}
	}
	for _, b := range s.f.Blocks {
		kept := b.Phis[:0]
		for _, phi := range b.Phis {
			if with[phi.ID] == nil {
				kept = append(kept, phi)
			}
		}
		b.Phis = kept
		for _, list := range [][]*ir.Value{b.Phis, b.Ins} {
			for _, v := range list {
				for i, arg := range v.Args {
					v.Args[i] = final(arg)
				}
				if v.Guard != nil {
					v.Guard = final(v.Guard)
				}
			}
		}
		if b.Cond != nil {
			b.Cond = final(b.Cond)
		}
	}
}
