package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// maxHoistedMoves is the maximum number of moves that are placed in front of a
// branch.
const maxHoistedMoves = 2

// hoistMoves moves the copies for phis from the edges into the preceding block
// if that saves a block and the jump around it. It hoists moves with which both
// sides of a branch begin, and the moves of a side that consists only of moves
// to rows that the other side overwrites before it reads them.
func (m *machine) hoistMoves() {
	preds := make([]int, len(m.blocks))
	order := m.order() // unreachable blocks have no rows
	for _, i := range order {
		for _, left := range m.blocks[i].succs {
			preds[left]++
		}
	}
	for _, i := range order {
		block := m.blocks[i]
		if len(block.succs) != 2 {
			continue
		}
		left, right := m.blocks[block.succs[0]], m.blocks[block.succs[1]]
		// A side that has other predecessors still needs its moves for them.
		if left != right && preds[block.succs[0]] == 1 && preds[block.succs[1]] == 1 {
			m.hoistCommon(block, left, right)
		}
	}
	// After hoistCommon, which changes what is live at the start of the sides.
	live := m.liveRows()
	nothing := &rowSet{newBitset(m.numRegs + 1), newBitset(m.numPreds + 1)}
	for _, i := range order {
		block := m.blocks[i]
		if len(block.succs) != 2 && !block.exits {
			continue
		}
		for i, to := range block.succs {
			edge, other := m.blocks[to], nothing // threads that exit read nothing
			if !block.exits {
				other = live[block.succs[1-i]]
			}
			// The side must lead to one place and must not be less deep than the block:
			// moving code into a loop from behind it would execute it in each
			// iteration.
			if edge != block && preds[to] == 1 && len(edge.succs) == 1 && !edge.exits && edge.depth >= block.depth && m.speculative(block, edge, other) {
				block.code = append(block.code, edge.code...)
				edge.code = nil
				// The rows that e wrote are now live at its start. Nothing
				// changes at the start of the block: the moves write rows that the
				// other side does not read.
				live[to].set(live[edge.succs[0]])
			}
		}
	}
}

// speculative reports whether edge consists of moves that can execute before the
// branch of the block, whose other side reads the rows in live.
func (m *machine) speculative(block, edge *mblock, live *rowSet) bool {
	if len(edge.code) == 0 || len(edge.code) > maxHoistedMoves {
		return false
	}
	for i := range edge.code {
		in := &edge.code[i]
		// A row that the other side reads must keep its old value. The
		// predicate of the branch is read after the moves.
		if in.Op != ir.OpMov || live.has(in.Dst[0], in.K) || m.decides(block, in) {
			return false
		}
	}
	return true
}

// decides reports whether in writes the predicate that b branches on.
func (m *machine) decides(b *mblock, in *ir.Inst) bool {
	return in.K == ir.Pred && b.cond != nil && m.row[m.reg[b.cond.ID]] == in.Dst[0]
}

// hoistCommon moves equal moves of a uniform from the starts of left and right to the
// end of the block.
func (m *machine) hoistCommon(block, left, right *mblock) {
	for i := 0; i < len(left.code); i++ {
		in := left.code[i]
		// Only uniforms: a row that the move reads could be written by what
		// stands before it in the side.
		if in.Op != ir.OpMov || in.Src[0] >= 0 || m.decides(block, &in) || !free(left.code[:i], &in) {
			continue
		}
		j := slices.IndexFunc(right.code, func(move ir.Inst) bool {
			return move.Op == ir.OpMov && move.Dst == in.Dst && move.Src[0] == in.Src[0] && (move.K == ir.Pred) == (in.K == ir.Pred)
		})
		if j < 0 || !free(right.code[:j], &in) {
			continue
		}
		block.code = append(block.code, in)
		left.code, right.code = slices.Delete(left.code, i, i+1), slices.Delete(right.code, j, j+1)
		// The next instruction has taken this place.
		i--
	}
}

// free reports whether code neither reads nor writes the destination of mv.
func free(code []ir.Inst, mv *ir.Inst) bool {
	pred := mv.K == ir.Pred
	for i := range code {
		in := &code[i]
		if pred && in.Guard == ir.Operand(mv.Dst[0]) {
			return false
		}
		for j := range int(in.NSrc) {
			if in.Src[j] == ir.Operand(mv.Dst[0]) && in.SrcPred(j) == pred {
				return false
			}
		}
		for j := range int(in.NDst) {
			if in.Dst[j] == mv.Dst[0] && (in.K == ir.Pred) == pred {
				return false
			}
		}
	}
	return true
}

// rowSet is a set of rows and predicates.
type rowSet struct{ rows, preds bitset }

func (s *rowSet) has(reg int32, k ir.Kind) bool {
	if k == ir.Pred {
		return s.preds.has(reg)
	}
	return s.rows.has(reg)
}

// set copies t to s.
func (s *rowSet) set(t *rowSet) {
	copy(s.rows, t.rows)
	copy(s.preds, t.preds)
}

func (s *rowSet) of(pred bool) bitset {
	if pred {
		return s.preds
	}
	return s.rows
}

// liveRows returns for each block the rows and predicates that are read in it
// or after it before they are written.
func (m *machine) liveRows() []*rowSet {
	count := len(m.blocks)
	rows, preds := newBitsets(count, m.numRegs+1), newBitsets(count, m.numPreds+1)
	live := make([]*rowSet, count)
	for i := range live {
		live[i] = &rowSet{rows[i], preds[i]}
	}
	now := &rowSet{newBitset(m.numRegs + 1), newBitset(m.numPreds + 1)}
	order := m.order()
	for changed := true; changed; {
		changed = false
		for i := len(order) - 1; i >= 0; i-- {
			block := m.blocks[order[i]]
			clear(now.rows)
			clear(now.preds)
			for _, succ := range block.succs {
				now.rows.union(live[succ].rows)
				now.preds.union(live[succ].preds)
			}
			if block.cond != nil {
				// The branch at the end reads its predicate after all code of
				// the block.
				now.preds.add(m.row[m.reg[block.cond.ID]])
			}
			for j := len(block.code) - 1; j >= 0; j-- {
				in := &block.code[j]
				// Under a guard the old value survives in the lanes where the
				// guard is not set, so the row stays live.
				if in.Guard == ir.NoGuard {
					for dst := range int(in.NDst) {
						now.of(in.K == ir.Pred).remove(in.Dst[dst])
					}
				} else if in.Guard >= 0 {
					now.preds.add(int32(in.Guard))
				}
				for k := range int(in.NSrc) {
					if operand := in.Src[k]; operand >= 0 {
						now.of(in.SrcPred(k)).add(int32(operand))
					}
				}
			}
			known := live[order[i]]
			if !now.rows.equal(known.rows) || !now.preds.equal(known.preds) {
				copy(known.rows, now.rows)
				copy(known.preds, now.preds)
				changed = true
			}
		}
	}
	return live
}
