package waitfor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// guardOf says which threads execute an instruction, in the words of the source:
// "t.Block() == 0 && t.Idx() < 32". Conditions that are not simple, or that depend on memory that
// the kernel writes, are left out.
func (x *finder) guardOf(pc int32) string {
	var terms []string
	add := func(term string, ok bool) {
		if ok && !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	for _, here := range x.branches {
		in := &x.p.Code[here]
		for way := uint8(1); way <= 2; way++ {
			// With this way taken away nobody gets there: its opposite is a condition for it.
			if reached := x.reach(entry, choices{here: way}, nil); !reached[pc] {
				if yes, _ := x.guarded(here, thread{}); yes == (way == 1) && x.alike(use{here, guard}, maxDepth) {
					continue // it holds for all threads of this launch
				}
				add(x.predicateText(use{here, guard}, (way == 1) != in.GuardNot, maxDepth))
			}
		}
	}
	if in := &x.p.Code[pc]; in.Guard != ir.NoGuard {
		add(x.predicateText(use{pc, guard}, !in.GuardNot, maxDepth))
	}
	return strings.Join(terms, " && ")
}

// alike reports whether an operand is the same for all threads of the launch.
func (s *static) alike(u use, depth int) bool {
	def := s.definition(u)
	if def < 0 {
		return def == uniform
	}
	in := &s.p.Code[def]
	if depth == 0 || in.Op != ir.OpSpecial && !in.Op.Scalar() {
		return false
	}
	if in.Op == ir.OpSpecial {
		// The shape of the launch is the same for all threads; their place in it is not.
		k := ir.Special(in.Imm)
		return k == ir.NTID || k == ir.NCTAID || k == ir.DynamicBytes
	}
	for i := range int(in.NSrc) {
		if !s.alike(use{def, i}, depth-1) {
			return false
		}
	}
	return true
}

// predicateText renders the condition that a predicate has the value want.
func (s *static) predicateText(u use, want bool, depth int) (string, bool) {
	def := s.definition(u)
	if def < 0 || depth == 0 {
		return "", false
	}
	in := &s.p.Code[def]
	switch {
	case in.Op.IsCompare() && in.ArgK != ir.Pred:
		left, ok1 := s.valueText(use{def, 0}, depth-1)
		right, ok2 := s.valueText(use{def, 1}, depth-1)
		sign := compareText[in.Op][0]
		if !want {
			sign = compareText[in.Op][1]
		}
		return bare(left) + " " + sign + " " + bare(right), ok1 && ok2
	case in.Op == ir.OpNot:
		return s.predicateText(use{def, 0}, !want, depth-1)
	case (in.Op == ir.OpAnd || in.Op == ir.OpOr) && in.K == ir.Pred:
		left, ok1 := s.predicateText(use{def, 0}, want, depth-1)
		right, ok2 := s.predicateText(use{def, 1}, want, depth-1)
		// De Morgan, as in condition.predicate.
		if (in.Op == ir.OpAnd) == want {
			return left + " && " + right, ok1 && ok2
		}
		return "(" + left + " || " + right + ")", ok1 && ok2
	}
	return "", false
}

// valueText renders a value in the words of the source.
func (s *static) valueText(u use, depth int) (string, bool) {
	operand, pred := s.operand(u)
	if operand < 0 && !pred {
		uniform := &s.p.Uniforms[^operand]
		if uniform.Leaf >= 0 {
			return s.p.Leaves[uniform.Leaf].Name, true
		}
		return number(uniform.K, uniform.Bits), true
	}
	def := s.definition(u)
	if def < 0 || pred || depth == 0 {
		return "", false
	}
	in := &s.p.Code[def]
	switch in.Op {
	case ir.OpSpecial:
		if in.PTX {
			return ir.Specials[in.Imm].CUDA, true
		}
		return strings.Replace(ir.Specials[in.Imm].Func, "Thread.", "t.", 1) + "()", true
	case ir.OpMov, ir.OpCvt, ir.OpExt, ir.OpBitcast:
		return s.valueText(use{def, 0}, depth-1)
	case ir.OpMad:
		return s.globalText(def)
	case ir.OpLoad:
		if in.Root >= 0 {
			if bounds := &s.g.Roots[in.Root]; bounds.Space == ir.Global && bounds.Alloc != nil {
				base, ok := s.valueConstant(use{def, 0})
				if ok {
					return fmt.Sprintf("%s[%d]", bounds.Alloc.Name, (base+uint64(in.Imm)-bounds.Alloc.Base())/uint64(max(bounds.Alloc.Elem.Bytes(), 1))), true
				}
				return bounds.Alloc.Name + "[...]", true
			}
		}
		return "", false
	}
	left, ok1 := "", false
	if in.NSrc == 2 {
		left, ok1 = s.valueText(use{def, 0}, depth-1)
	}
	right, ok2 := "", false
	if ok1 {
		right, ok2 = s.valueText(use{def, 1}, depth-1)
	}
	sign, known := infix[in.Op]
	if !ok1 || !ok2 || !known {
		return "", false
	}
	// The compiler turns a subtraction of a constant into an addition.
	if v, isConst := s.valueConstant(use{def, 1}); isConst && in.Op == ir.OpAdd && in.K == ir.U32 && v > 1<<31 {
		return fmt.Sprintf("(%s - %d)", left, -uint32(v)), true
	}
	switch text := left + " " + sign + " " + right; text {
	case "t.Idx() >> 5":
		return "t.Warp()", true
	case "t.Idx() & 31":
		return "t.Lane()", true
	default:
		return "(" + text + ")", true
	}
}

// bare removes the parentheses around a sum or difference next to a comparison.
func bare(text string) string {
	inner, ok := strings.CutPrefix(text, "(")
	if inner, ok2 := strings.CutSuffix(inner, ")"); ok && ok2 && !strings.ContainsAny(inner, "&|^<>%*/") && strings.Count(inner, "(") == strings.Count(inner, "()") {
		return inner
	}
	return text
}

// globalText recognizes the index of a thread in the grid.
func (s *static) globalText(mad int32) (string, bool) {
	want := [3]ir.Special{ir.CTAID, ir.NTID, ir.TID}
	for i, w := range want {
		def := s.definition(use{mad, i})
		if def < 0 || s.p.Code[def].Op != ir.OpSpecial {
			return "", false
		}
		// The factors may stand in either order: block times size, or size times block.
		if got := ir.Special(s.p.Code[def].Imm); got != w && (i == 2 || got != want[1-i]) {
			return "", false
		}
	}
	if s.p.Code[mad].PTX {
		return "(blockIdx.x * blockDim.x + threadIdx.x)", true
	}
	return "t.Global()", true
}

// valueConstant returns an operand that is the same for all threads of the launch.
func (s *static) valueConstant(u use) (uint64, bool) {
	if o, pred := s.operand(u); o < 0 && !pred {
		return s.uniform(o, pred), true
	}
	return 0, false
}
