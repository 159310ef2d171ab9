package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// shareDivision computes a quotient and a remainder of the same operands with
// one division: the remainder is x - q*d. If the remainder comes first, the
// division moves there, which costs no more than the remainder did.
func shareDivision(c *context) {
	s := &divisions{context: c, quotients: map[cseKey][]*ir.Value{}, at: map[*ir.Value]int{}}
	if !s.collect() {
		return
	}
	c.f.Dominate()
	for _, b := range c.f.Blocks {
		for i, v := range b.Ins {
			s.at[v] = i
		}
	}
	for _, b := range c.f.Blocks {
		s.share(b)
	}
	c.resolve()
}

// divisions is the state of shareDivision.
type divisions struct {
	*context
	quotients map[cseKey][]*ir.Value // the integer divisions, by operands
	at        map[*ir.Value]int      // by value: its position in its block
}

// collect finds the quotients and reports whether there are remainders too.
func (s *divisions) collect() bool {
	remainders := false
	for _, b := range s.f.Blocks {
		for _, v := range b.Ins {
			switch {
			case !v.K.Int():
			case v.Op == ir.OpDiv:
				key := s.key(v)
				s.quotients[key] = append(s.quotients[key], v)
			case v.Op == ir.OpRem:
				remainders = true
			}
		}
	}
	return remainders && len(s.quotients) > 0
}

// before reports whether first is always computed when second is.
func (s *divisions) before(first, second *ir.Value) bool {
	if first.Block == second.Block {
		return s.at[first] < s.at[second]
	}
	return first.Block.Dominates(second.Block)
}

// share rewrites the remainders of b that have a quotient.
func (s *divisions) share(b *ir.Block) {
	var out []*ir.Value
	for _, v := range b.Ins {
		if v.Op == ir.OpRem && v.K.Int() {
			quotient, fresh := s.quotient(v)
			if fresh {
				out = append(out, quotient)
			}
			if quotient != nil {
				x, divisor := v.Args[0], v.Args[1]
				product := s.value(b, ir.OpMul, v.K, v.Pos, quotient, divisor)
				out = append(out, product)
				// Also right where the quotient overflows: the smallest number
				// divided by -1 gives itself, and the difference wraps to 0.
				v.Op, v.Args = ir.OpSub, []*ir.Value{x, product}
			}
		}
		out = append(out, v)
	}
	b.Ins = out
}

// quotient returns the division whose result the remainder v can use; nil if
// there is none. If fresh is true, it is new, to be inserted in front of v.
// Divisions behind v then use the same.
func (s *divisions) quotient(v *ir.Value) (quotient *ir.Value, fresh bool) {
	key := s.key(v)
	key.op = ir.OpDiv
	var behind []*ir.Value
	for _, other := range s.quotients[key] {
		switch {
		case s.before(other, v):
			quotient = other
		case s.before(v, other):
			behind = append(behind, other)
		}
	}
	// A division neither before nor behind v is on another path: sharing it
	// would execute a division where there was none.
	if quotient == nil && len(behind) > 0 {
		quotient, fresh = s.value(v.Block, ir.OpDiv, v.K, v.Pos, v.Args...), true
		s.at[quotient] = s.at[v]
		s.quotients[key] = append(s.quotients[key], quotient)
	}
	for _, other := range behind {
		s.replace(other, quotient)
	}
	return quotient, fresh
}
