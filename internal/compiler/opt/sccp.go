package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// lattice is what is known about a value: nothing yet, that it is one constant,
// or that it varies.
type lattice struct {
	state uint8
	bits  uint64
}

const (
	unknown uint8 = iota
	constant
	varies
)

// sccp is conditional constant propagation (Wegman and Zadeck). It is
// optimistic, so that it finds values that stay constant around a loop, and
// follows only edges that can be taken.
func sccp(c *context) {
	c.f.Renumber()
	s := &propagation{c: c, val: make([]lattice, c.f.NumValues()), reached: make([]bool, len(c.f.Blocks)), taken: make([][2]bool, len(c.f.Blocks))}
	s.reached[0] = true
	s.propagate()
	for _, block := range c.f.Blocks {
		if !s.reached[block.ID] {
			continue // unreachable: removed together with the branches to it
		}
		for _, list := range [][]*ir.Value{block.Phis, block.Ins} {
			for _, v := range list {
				if known := s.val[v.ID]; known.state == constant && !mustKeep(v) {
					c.replace(v, c.constant(v.K, known.bits))
				}
			}
		}
	}
	c.resolve()
}

type propagation struct {
	c       *context
	val     []lattice
	reached []bool
	taken   [][2]bool // by block and successor

	// Only for kernels with loops: the uses of each value, and the queue of
	// blocks to visit again.
	readers *readers
	queued  []bool
	queue   []*ir.Block
}

// propagate visits all blocks in order, and then again the blocks with operands
// that have changed since. Without loops none has.
func (s *propagation) propagate() {
	blocks := s.c.f.Blocks
	// In reverse post-order without a back edge, operands come before uses, so
	// one visit of each block is enough and no lists of readers are needed.
	loops := slices.ContainsFunc(blocks, func(b *ir.Block) bool {
		return slices.ContainsFunc(b.Preds, func(pred *ir.Block) bool { return pred.ID >= b.ID })
	})
	if loops {
		s.readers, s.queued = newReaders(s.c.f), make([]bool, len(blocks))
	}
	for _, block := range blocks {
		if s.reached[block.ID] {
			if loops {
				s.queued[block.ID] = false
			}
			s.block(block)
		}
	}
	for next := 0; next < len(s.queue); next++ {
		if b := s.queue[next]; s.queued[b.ID] {
			s.queued[b.ID] = false
			s.block(b)
		}
	}
}

// again queues the block.
func (s *propagation) again(block *ir.Block) {
	if s.queued != nil && s.reached[block.ID] && !s.queued[block.ID] {
		s.queued[block.ID] = true
		s.queue = append(s.queue, block)
	}
}

func (s *propagation) get(value *ir.Value) lattice {
	switch value.Op {
	case ir.OpConst:
		return lattice{constant, value.Bits()}
	case ir.OpParam, ir.OpShared, ir.OpLocal:
		return lattice{state: varies}
	}
	return s.val[value.ID]
}

func (s *propagation) block(block *ir.Block) {
	for _, v := range block.Phis {
		s.set(v, s.phi(v))
	}
	for _, value := range block.Ins {
		// The state of a value only rises: unknown, constant, varies. That is
		// why propagate ends.
		if s.val[value.ID].state != varies {
			s.set(value, s.eval(value))
		}
	}
	go0, go1 := true, true
	// A condition that is still unknown takes neither side: that is the
	// optimism.
	if block.Cond != nil {
		cond := s.get(block.Cond)
		go0 = cond.state == varies || cond.state == constant && cond.bits != 0
		go1 = cond.state == varies || cond.state == constant && cond.bits == 0
	}
	for i, succ := range block.Succs {
		if (i == 0 && go0 || i == 1 && go1) && !s.taken[block.ID][i] {
			s.taken[block.ID][i], s.reached[succ.ID] = true, true
			s.again(succ)
		}
	}
}

func (s *propagation) set(value *ir.Value, l lattice) {
	if s.val[value.ID] == l {
		return
	}
	s.val[value.ID] = l
	if s.readers != nil && value.ID < len(s.readers.of) {
		for _, u := range s.readers.of[value.ID] {
			s.again(u.b)
		}
	}
}

// edgeTaken reports whether an edge from pred to a block can be taken.
func (s *propagation) edgeTaken(pred, b *ir.Block) bool {
	for i, t := range pred.Succs {
		if t == b && s.taken[pred.ID][i] {
			return true
		}
	}
	return false
}

func (s *propagation) phi(value *ir.Value) lattice {
	known := s.val[value.ID]
	if known.state == varies {
		return known
	}
	for i, arg := range value.Args {
		// What comes along an edge that is not taken does not count, which is
		// what finds constants that branches protect.
		if !s.edgeTaken(value.Block.Preds[i], value.Block) {
			continue
		}
		x := s.get(arg)
		switch {
		case x.state == unknown || x == known:
		case known.state == unknown:
			known = x
		default:
			return lattice{state: varies}
		}
	}
	return known
}

func (s *propagation) eval(value *ir.Value) lattice {
	if !folds(value) {
		return lattice{state: varies}
	}
	var x [3]uint64
	waits := false
	for i, arg := range value.Args {
		known := s.get(arg)
		switch known.state {
		case varies:
			return lattice{state: varies}
		case unknown:
			waits = true
		}
		x[i] = known.bits
	}
	if waits {
		return lattice{}
	}
	// An error is a division by zero, which must fault at run time.
	if result, err := ir.Eval(value.Op, value.K, value.ArgK, value.Imm, x[0], x[1], x[2]); err == nil {
		return lattice{constant, result}
	}
	return lattice{state: varies}
}

// folds reports whether Eval can compute v if its operands are constant.
func folds(v *ir.Value) bool {
	return len(v.Args) > 0 && len(v.Args) <= 3 && v.Op.Scalar()
}
