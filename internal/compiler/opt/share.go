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
		for _, value := range b.Ins {
			switch {
			case !value.K.Int():
			case value.Op == ir.OpDiv:
				key := s.key(value)
				s.quotients[key] = append(s.quotients[key], value)
			case value.Op == ir.OpRem:
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

// share rewrites the remainders of the block that have a quotient.
func (s *divisions) share(block *ir.Block) {
	var out []*ir.Value
	for _, value := range block.Ins {
		if value.Op == ir.OpRem && value.K.Int() {
			quotient, fresh := s.quotient(value)
			if fresh {
				out = append(out, quotient)
			}
			if quotient != nil {
				x, divisor := value.Args[0], value.Args[1]
				product := s.value(block, ir.OpMul, value.K, value.Pos, quotient, divisor)
				out = append(out, product)
				// Also right where the quotient overflows: the smallest number
				// divided by -1 gives itself, and the difference wraps to 0.
				value.Op, value.Args = ir.OpSub, []*ir.Value{x, product}
			}
		}
		out = append(out, value)
	}
	block.Ins = out
}

// quotient returns the division whose result the remainder value can use; nil if
// there is none. If fresh is true, it is new, to be inserted in front of the value.
// Divisions behind the value then use the same.
func (s *divisions) quotient(value *ir.Value) (quotient *ir.Value, fresh bool) {
	key := s.key(value)
	key.op = ir.OpDiv
	var behind []*ir.Value
	for _, other := range s.quotients[key] {
		switch {
		case s.before(other, value):
			quotient = other
		case s.before(value, other):
			behind = append(behind, other)
		}
	}
	// A division neither before nor behind the value is on another path: sharing it
	// would execute a division where there was none.
	if quotient == nil && len(behind) > 0 {
		quotient, fresh = s.value(value.Block, ir.OpDiv, value.K, value.Pos, value.Args...), true
		s.at[quotient] = s.at[value]
		s.quotients[key] = append(s.quotients[key], quotient)
	}
	for _, other := range behind {
		s.replace(other, quotient)
	}
	return quotient, fresh
}
