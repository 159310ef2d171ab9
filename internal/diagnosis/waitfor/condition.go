package waitfor

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// condition is what must hold for lanes to leave the loop that they go round in: one of its exits
// that depends on what the loop reads.
type condition struct {
	*flow
	uniform func(o ir.Operand, pred bool) uint64
	round   *round
	exits   []exit
}

// exit is a branch that can leave the loop.
type exit struct {
	pc    int32
	leave bool    // the value of the guard, GuardNot included, with which it does
	reads []int32 // the loads and atomics of the loop on which it depends
}

// conditionOf finds the exits of a round that depend on memory.
func conditionOf(flow *flow, uniform func(ir.Operand, bool) uint64, round *round) *condition {
	out := &condition{flow: flow, uniform: uniform, round: round}
	for _, pc := range round.steps {
		in := &flow.p.Code[pc]
		if in.Guard == ir.NoGuard || in.Op != ir.OpBra && in.Op != ir.OpExit {
			continue
		}
		next, target := flow.succs(pc)[0], flow.succs(pc)[1]
		stays := [2]bool{next >= 0 && round.in[next], target >= 0 && round.in[target]}
		// Both ways stay in the loop, or both leave it: the branch decides nothing.
		if stays[0] == stays[1] {
			continue
		}
		e := exit{pc: pc, leave: stays[0]}
		e.reads = out.reads(use{pc, guard}, nil, map[use]bool{})
		// An exit that depends on no word is one by a counter, which the loop takes by itself.
		if len(e.reads) > 0 {
			out.exits = append(out.exits, e)
		}
	}
	return out
}

// sources returns the instructions of the round that may have written an operand.
func (c *condition) sources(use use) []int32 {
	operand, pred := c.operand(use)
	if operand < 0 {
		return nil
	}
	var inside []int32
	for _, at := range c.definitions(use.pc, int32(operand), pred, c.round.in) {
		if c.round.in[at] {
			inside = append(inside, at)
		}
	}
	return inside
}

// reads appends the loads and atomics of the round on which an operand depends.
func (c *condition) reads(u use, list []int32, seen map[use]bool) []int32 {
	if seen[u] {
		return list
	}
	seen[u] = true
next:
	for _, at := range c.sources(u) {
		in := &c.p.Code[at]
		// The search ends at memory: what the address depends on does not change what is waited for.
		if in.Op.Addressed() {
			for _, other := range list {
				if other == at {
					continue next
				}
			}
			list = append(list, at)
			continue
		}
		for i := range int(in.NSrc) {
			list = c.reads(use{at, i}, list, seen)
		}
	}
	return list
}

// read returns the load or atomic that lanes wait for, or -1: the first one on which an exit
// depends, if possible one with an order.
func (c *condition) read() int32 {
	best := int32(-1)
	for _, e := range c.exits {
		for _, pc := range e.reads {
			in := &c.p.Code[pc]
			// An ordered read is where the source waits; a weak one beside it most often reads data.
			ordered := in.Op != ir.OpLoad || in.Mem.Order != ir.Weak
			if best < 0 || ordered && c.p.Code[best].Op == ir.OpLoad && c.p.Code[best].Mem.Order == ir.Weak {
				best = pc
			}
		}
	}
	return best
}

// leaves reports whether a lane would leave the loop if the read at pc gave value; ok is false if that
// cannot be computed.
func (c *condition) leaves(lane int, pc int32, value uint64) (yes, ok bool) {
	known := false
	for _, exit := range c.exits {
		g, ok := c.with(use{exit.pc, guard}, lane, pc, value, maxDepth)
		if !ok {
			continue
		}
		known = true
		// One way out is enough.
		if (g&1 != 0) != c.p.Code[exit.pc].GuardNot == exit.leave {
			return true, true
		}
	}
	return false, known
}

// with returns the operand of a lane if the read at pc gives the value.
func (c *condition) with(u use, lane int, pc int32, value uint64, depth int) (uint64, bool) {
	operand, pred := c.operand(u)
	if operand < 0 {
		return c.uniform(operand, pred), true
	}
	if depth == 0 {
		return 0, false
	}
	from := c.sources(u)
	switch {
	case len(from) == 1 && from[0] == pc:
		return value, true
	case len(from) == 1 && c.p.Code[from[0]].Op.Scalar():
		in := &c.p.Code[from[0]]
		var src [3]uint64
		for i := range int(in.NSrc) {
			var ok bool
			if src[i], ok = c.with(use{from[0], i}, lane, pc, value, depth-1); !ok {
				return 0, false
			}
		}
		r, err := ir.Eval(in.Op, in.K, in.ArgK, in.Imm, src[0], src[1], src[2])
		return r, err == nil
	// Another word of the condition: it has what it had in the round, since one word is varied at a time.
	case len(from) == 1 && c.p.Code[from[0]].Op.Addressed():
		s := c.round.last[from[0]]
		return s.value[lane], s.lanes>>lane&1 != 0
	// It depends on words by ways that are not followed, such as a register that is written at several places.
	case len(c.reads(u, nil, map[use]bool{})) > 0:
		return 0, false
	}
	return c.now(u, lane)
}

// now returns the operand of a lane as it was in the round.
func (c *condition) now(use use, lane int) (uint64, bool) {
	step := c.round.last[use.pc]
	// What changes from round to round has no value that a sentence could name.
	if step == nil || use.i == guard || step.varies {
		return 0, false
	}
	if c.p.Code[use.pc].SrcPred(use.i) {
		return uint64(step.preds[use.i] >> lane & 1), true
	}
	return step.src[use.i][lane], true
}

// The placeholders in the text of a condition.
const (
	wordMark = "\x00" // followed by the instruction that reads the word and \x00
	ownMark  = "\x01" // a value that may differ from lane to lane
)

// text says when the lanes leave, with placeholders, and the values of each lane for ownMark. It
// returns "" if the condition is not simple.
func (c *condition) text(lanes uint32) (text string, own []string) {
	// More than two conditions do not fit into a sentence: the words are listed then.
	if len(c.exits) == 0 || len(c.exits) > 2 {
		return "", nil
	}
	var parts []string
	for _, exit := range c.exits {
		// The text says when the loop is left, in terms of the predicate and not of its negation.
		want := exit.leave != c.p.Code[exit.pc].GuardNot
		t, values, ok := c.predicate(use{exit.pc, guard}, want, lanes, maxDepth)
		if !ok {
			return "", nil
		}
		own = append(own, values...)
		parts = append(parts, t)
	}
	text = strings.Join(parts, " or ")
	if strings.Count(text, ownMark) > 1 {
		// Only if all lanes have the same values can there be several.
		return "", nil
	}
	return text, own
}

var compareText = map[ir.Op][2]string{ // the comparison, and its opposite
	ir.OpEq: {"==", "!="}, ir.OpNe: {"!=", "=="}, ir.OpLt: {"<", ">="}, ir.OpLe: {"<=", ">"}, ir.OpGt: {">", "<="}, ir.OpGe: {">=", "<"},
}

var swapped = map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// predicate renders the condition that a predicate has the value want.
func (c *condition) predicate(u use, want bool, lanes uint32, depth int) (text string, own []string, ok bool) {
	from := c.sources(u)
	if len(from) != 1 || depth == 0 {
		return "", nil, false
	}
	at := from[0]
	in := &c.p.Code[at]
	switch {
	case in.Op.IsCompare() && in.ArgK != ir.Pred:
		sign := compareText[in.Op][map[bool]int{true: 0, false: 1}[want]]
		x, y := use{at, 0}, use{at, 1}
		// The word comes first: "flag[0] == 1" and not "1 == flag[0]".
		if len(c.reads(x, nil, map[use]bool{})) == 0 {
			x, y, sign = y, x, swapped[sign]
		}
		left, ok := c.value(x, maxDepth)
		if !ok {
			return "", nil, false
		}
		if len(c.reads(y, nil, map[use]bool{})) > 0 {
			right, ok := c.value(y, maxDepth)
			return left + " " + sign + " " + right, nil, ok
		}
		if operand, _ := c.operand(y); operand < 0 { // the same for all threads
			// The compiler makes x-n == 0 of x == n where the difference is needed, too; the source says x == n.
			if c.uniform(operand, false) == 0 {
				if text, ok := c.difference(x, sign); ok {
					return text, nil, true
				}
			}
			return left + " " + sign + " " + number(in.ArgK, c.uniform(operand, false)), nil, true
		}
		for m := lanes & c.round.last[at].lanes; m != 0; m &= m - 1 {
			value, ok := c.now(y, bits.TrailingZeros32(m))
			if !ok {
				return "", nil, false
			}
			own = append(own, number(in.ArgK, value))
		}
		return left + " " + sign + " " + ownMark, own, len(own) > 0
	case in.Op == ir.OpNot && in.K == ir.Pred:
		return c.predicate(use{at, 0}, !want, lanes, depth-1)
	case (in.Op == ir.OpAnd || in.Op == ir.OpOr) && in.K == ir.Pred:
		word := " && "
		// De Morgan: a conjunction that is to be false is a disjunction of the opposites.
		if (in.Op == ir.OpAnd) != want {
			word = " || "
		}
		a, o1, ok1 := c.predicate(use{at, 0}, want, lanes, depth-1)
		b, o2, ok2 := c.predicate(use{at, 1}, want, lanes, depth-1)
		return a + word + b, append(o1, o2...), ok1 && ok2
	}
	return "", nil, false
}

// difference renders the comparison of x-n with 0 as that of x with n.
func (c *condition) difference(u use, sign string) (string, bool) {
	from := c.sources(u)
	if len(from) != 1 {
		return "", false
	}
	in := &c.p.Code[from[0]]
	switch {
	case in.Op == ir.OpMov || in.Op == ir.OpBitcast || in.Op == ir.OpCvt:
		return c.difference(use{from[0], 0}, sign)
	case in.Op != ir.OpSub || len(c.reads(use{from[0], 1}, nil, map[use]bool{})) > 0:
		return "", false
	}
	x, ok := c.value(use{from[0], 0}, maxDepth)
	n, same := c.same(use{from[0], 1})
	return x + " " + sign + " " + number(in.K, n), ok && same
}

// infix are the operations that a condition may apply to a word.
var infix = map[ir.Op]string{
	ir.OpAnd: "&", ir.OpOr: "|", ir.OpXor: "^", ir.OpAdd: "+", ir.OpSub: "-", ir.OpMul: "*", ir.OpShl: "<<", ir.OpShr: ">>", ir.OpRem: "%", ir.OpDiv: "/",
}

// value renders a value that depends on a word.
func (c *condition) value(u use, depth int) (string, bool) {
	from := c.sources(u)
	if len(from) != 1 || depth == 0 {
		return "", false
	}
	in := &c.p.Code[from[0]]
	switch {
	case in.Op.Addressed():
		return wordMark + fmt.Sprint(from[0]) + wordMark, in.Mem.Vec == 1
	// Conversions are the compiler's: the source does not show them.
	case in.Op == ir.OpMov || in.Op == ir.OpCvt || in.Op == ir.OpBitcast || in.Op == ir.OpExt:
		return c.value(use{from[0], 0}, depth-1)
	}
	sign, ok := infix[in.Op]
	if !ok || in.NSrc != 2 {
		return "", false
	}
	var sides [2]string
	for i := range sides {
		side := use{from[0], i}
		if len(c.reads(side, nil, map[use]bool{})) > 0 {
			if sides[i], ok = c.value(side, depth-1); !ok {
				return "", false
			}
			continue
		}
		value, same := c.same(side)
		if !same {
			return "", false
		}
		sides[i] = number(in.K, value)
	}
	return "(" + sides[0] + " " + sign + " " + sides[1] + ")", true
}

// same returns the value of an operand if all lanes of its instruction have the same.
func (c *condition) same(use use) (value uint64, ok bool) {
	step := c.round.last[use.pc]
	if step == nil || step.lanes == 0 {
		return 0, false
	}
	value, ok = c.now(use, bits.TrailingZeros32(step.lanes))
	for m := step.lanes; m != 0 && ok; m &= m - 1 {
		x, known := c.now(use, bits.TrailingZeros32(m))
		ok = known && x == value
	}
	return value, ok
}

// number formats the bits of a value of kind k.
func number(k ir.Kind, value uint64) string {
	switch k {
	case ir.F32:
		return fmt.Sprint(math.Float32frombits(uint32(value)))
	case ir.F64:
		return fmt.Sprint(math.Float64frombits(value))
	case ir.S64:
		return fmt.Sprint(int64(value))
	case ir.U64:
		return fmt.Sprint(value)
	case ir.S8, ir.S16, ir.S32:
		return fmt.Sprint(int32(value))
	}
	return fmt.Sprint(uint32(value))
}
