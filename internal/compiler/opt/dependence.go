package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// node is an instruction in the dependence graph of a region.
type node struct {
	v      *ir.Value
	lat    int32
	height int32 // cycles from its issue to the end of the longest dependent chain
	first  int32 // first edge to a dependent instruction, or -1
	deps   int32 // number of instructions that must be issued first
	wait   int32 // how many of these have not been issued yet
	ready  int32 // cycle in which its operands are available
	early  int32 // cycle in which those from blocks before are
	real   bool
	issued bool // by list
}

// edge points to an instruction that must be issued later.
type edge struct {
	to, next int32
	data     bool // the later instruction reads the result
}

func (s *scheduler) edge(from, to int32, data bool) {
	s.edges = append(s.edges, edge{to, s.nodes[from].first, data})
	s.nodes[from].first = int32(len(s.edges) - 1)
	s.nodes[to].deps++
}

// graph builds the nodes for ins, in order, with edges and heights.
func (s *scheduler) graph(ins []*ir.Value) {
	s.nodes, s.edges, s.memos = s.nodes[:0], s.edges[:0], s.memos[:0]
	for i, value := range ins {
		to := int32(i)
		fresh := node{v: value, first: -1, real: s.real[value.ID]}
		if fresh.real {
			fresh.lat = s.latencyOf(value)
		}
		s.nodes = append(s.nodes, fresh)
		s.pos[value.ID] = to
		for _, arg := range value.Args {
			s.operand(arg, to)
		}
		if value.Guard != nil {
			s.operand(value.Guard, to)
		}
		// Each pair is tested: a chain of the last access would lose pairs that
		// are independent of the one between them.
		if value.Op.Memory() || value.Op.Effect() {
			for _, earlier := range s.memos {
				if s.ordered(s.nodes[earlier].v, value) {
					s.edge(earlier, to, false)
				}
			}
			s.memos = append(s.memos, to)
		}
		if reg := s.next[value.ID]; reg >= 0 {
			s.behindReads(reg, to)
		}
	}
	// Edges lead to later nodes only, so that one walk backwards finds all
	// heights.
	for i := len(s.nodes) - 1; i >= 0; i-- {
		this := &s.nodes[i]
		height := this.lat
		for link := this.first; link >= 0; link = s.edges[link].next {
			below := s.nodes[s.edges[link].to].height
			if s.edges[link].data {
				height = max(height, this.lat+below)
			} else {
				height = max(height, 1+below)
			}
		}
		this.height = height
	}
}

func (s *scheduler) operand(a *ir.Value, to int32) {
	if p := s.pos[a.ID]; p >= 0 && p != to {
		s.edge(p, to, true)
	} else if p < 0 && pending(a, s.nodes[to].v.Block) {
		s.nodes[to].early = latency[ir.ClassLSU]
	}
}

// pending reports whether a value may come from a load in global memory of a block that has just ended, such as the one behind a test of a
// boundary: what reads the value waits as if the load were in this block.
func pending(a *ir.Value, in *ir.Block) bool {
	if a.Op == ir.OpPhi && a.Block == in {
		for i, arg := range a.Args {
			if arg.Op == ir.OpLoad && arg.Mem.Space != ir.Shared && arg.Block == in.Preds[i] && in.Preds[i] != in {
				return true
			}
		}
		return false
	}
	return a.Op == ir.OpLoad && a.Mem.Space != ir.Shared && a.Block != in && slices.Contains(in.Preds, a.Block)
}

// behindReads keeps node to, whose value a phi takes in the next iteration,
// behind the instructions that still read the phi's register reg. Both can then
// share the register; otherwise every iteration would need a copy.
func (s *scheduler) behindReads(reg, to int32) {
	for i := range to {
		reads := false
		if s.nodes[i].real {
			s.m.uses(s.nodes[i].v, func(u int32) { reads = reads || u == reg })
		}
		if reads {
			s.edge(i, to, false)
		}
	}
}

func (s *scheduler) latencyOf(value *ir.Value) int32 {
	if value.Op.Stores() || fromConstantBank(s.m.f, value) {
		return 1
	}
	kind := value.K
	// A comparison or conversion runs in the pipeline of what it reads.
	if value.ArgK != ir.Void {
		kind = value.ArgK
	}
	class := ir.ClassOf(value.Op, kind)
	if class == ir.ClassLSU && value.Mem.Space == ir.Shared {
		return sharedLatency
	}
	return latency[class]
}

// fromConstantBank reports whether the value is a word of constant memory at an address that is known, which arithmetic takes as an operand.
func fromConstantBank(fn *ir.Func, value *ir.Value) bool {
	if value.Op != ir.OpLoad || value.Mem.Order != ir.Weak || value.Args[0].Op != ir.OpParam {
		return false
	}
	variable := fn.Leaves[value.Args[0].Imm].Variable
	return variable != nil && variable.Const
}

// ordered reports whether second must stay behind first, which precedes it; both access
// memory or have an effect. Plain loads may be reordered, except loads of the
// same word, of which the later must not return an older value. Atomics,
// ordered accesses and collectives stay in source order. Plain accesses never
// move across collectives and synchronising accesses, and move across others
// only if they cannot access the same bytes.
func (s *scheduler) ordered(first, second *ir.Value) bool {
	plainFirst, plainSecond := plainAccess(first), plainAccess(second)
	switch {
	case !plainFirst && !plainSecond, synchronises(first), synchronises(second):
		return true
	case first.Op == ir.OpLoad && second.Op == ir.OpLoad && plainFirst && plainSecond && s.m.res(first.Args[0]) != s.m.res(second.Args[0]):
		return false
	}
	// A copy in bulk to global memory reads shared memory, too.
	if first.Op.Action() == ir.ActBulk || second.Op.Action() == ir.ActBulk {
		return true
	}
	// A copy reads global memory and writes shared memory, at an address that is no operand of mayAlias.
	if first.Op.Action() == ir.ActCopy {
		first, second = second, first
	}
	if second.Op.Action() == ir.ActCopy {
		return first.Op != ir.OpLoad || first.Mem.Space != ir.Global
	}
	return s.mayAlias(first, second)
}

func plainAccess(v *ir.Value) bool {
	return (v.Op == ir.OpLoad || v.Op == ir.OpStore) && v.Mem.Order == ir.Weak
}

// synchronises reports whether v orders accesses to other memory.
func synchronises(v *ir.Value) bool {
	return !v.Op.Addressed() || v.Mem.Order > ir.Relaxed
}

// mayAlias reports whether two accesses can touch the same bytes. Two buffers
// may be the same; two variables of a kernel are not.
func (s *scheduler) mayAlias(x, y *ir.Value) bool {
	a, b := s.roots.of[x.Args[0].ID], s.roots.of[y.Args[0].ID]
	sx, sy := accessSpace(x, a), accessSpace(y, b)
	if sx != ir.Generic && sy != ir.Generic && sx != sy {
		return false
	}
	// One base: the offsets decide.
	if s.m.res(x.Args[0]) == s.m.res(y.Args[0]) {
		return x.Imm < y.Imm+int64(y.Mem.Bytes()) && y.Imm < x.Imm+int64(x.Mem.Bytes())
	}
	// Different variables of a kernel do not overlap, but two buffers may be
	// the same allocation, so different roots in global memory prove nothing.
	return a.root == b.root || a.root < 0 || b.root < 0 || sx == ir.Global || sx == ir.Generic
}

func accessSpace(v *ir.Value, pointee pointee) ir.Space {
	if v.Mem.Space != ir.Generic {
		return v.Mem.Space
	}
	return pointee.space()
}
