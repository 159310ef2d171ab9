package ir

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/mma"
)

// String lists the program, one instruction per line after its index:
//
//	12  @!p0 bra 20 recon 31             ; kernels/bfs.go:14
//	13  r4 = load.u32.global [r2+4] {g.Row} ; kernels/bfs.go:15
func (p *Program) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "program %s: %d instructions, %d rows, %d predicates, about %d registers, %d bytes shared, %d local\n",
		p.Name, len(p.Code), p.NumRegs, p.NumPreds, p.RegCount, p.SharedBytes, p.LocalBytes)
	names := leafNames(p.Leaves)
	target := make([]bool, len(p.Code)+1)
	for i := range p.Code {
		switch in := &p.Code[i]; in.Op {
		case OpBra, OpJmp:
			target[in.Target] = true
		}
	}
	for i := range p.Code {
		in := &p.Code[i]
		mark := ' '
		if target[i] {
			mark = '>'
		}
		line := fmt.Sprintf("%c%4d  %s", mark, i, p.inst(in, names))
		if in.Pos > 0 && int(in.Pos) < len(p.Pos) {
			line = fmt.Sprintf("%-56s ; %s:%d", line, p.Pos[in.Pos].File, p.Pos[in.Pos].Line)
		}
		text.WriteString(line + "\n")
	}
	return text.String()
}

func (p *Program) inst(in *Inst, names []string) string {
	var text strings.Builder
	if in.Guard != NoGuard {
		not := ""
		if in.GuardNot {
			not = "!"
		}
		fmt.Fprintf(&text, "@%s%s ", not, p.pred(in.Guard))
	}
	for d := range int(in.NDst) {
		if d > 0 {
			text.WriteString(", ")
		}
		if in.K == Pred {
			fmt.Fprintf(&text, "p%d", in.Dst[d])
		} else {
			fmt.Fprintf(&text, "r%d:%v", in.Dst[d], in.K)
		}
	}
	if in.NDst > 0 {
		text.WriteString(" = ")
	}
	text.WriteString(in.Op.String())
	if in.ArgK != in.K && in.ArgK != Void && !in.Op.Memory() {
		fmt.Fprintf(&text, ".%v", in.ArgK)
	}
	text.WriteString(memText(in.Mem))
	sep := " "
	for i := range int(in.NSrc) {
		o := p.operand(in, i, names)
		if i == 0 && in.Op.Addressed() {
			if in.Imm != 0 {
				o += fmt.Sprintf("%+d", in.Imm)
			}
			o = "[" + o + "]"
		}
		text.WriteString(sep + o)
		sep = ", "
	}
	switch Ops[in.Op].Imm {
	case NoImm, ImmOffset:
	case ImmSpecial:
		text.WriteString(sep + Special(in.Imm).String())
	case ImmFragment:
		text.WriteString(sep + mma.Fragments[in.Imm].String())
	case ImmMMA:
		text.WriteString(sep + MMA(in.Imm).String())
	default:
		fmt.Fprintf(&text, "%s#%d", sep, in.Imm)
	}
	switch in.Op.Action() {
	case ActJump:
		fmt.Fprintf(&text, " %d", in.Target)
	case ActBranch:
		fmt.Fprintf(&text, " %d recon %d", in.Target, in.Recon)
	}
	if in.Op.Addressed() {
		text.WriteString(" {" + p.rootName(in.Root) + "}")
	}
	return text.String()
}

func (p *Program) rootName(r int32) string {
	if r < 0 {
		return "?"
	}
	switch root := p.Roots[r]; root.Space {
	case Shared:
		return p.Shared[root.Var].Name
	case Local:
		return p.Local[root.Var].Name
	default:
		return p.Leaves[root.Leaf].Name
	}
}

func (p *Program) pred(o Operand) string {
	switch o {
	case PredTrue:
		return "true"
	case PredFalse:
		return "false"
	}
	return "p" + strconv.Itoa(int(o))
}

func (p *Program) operand(in *Inst, i int, names []string) string {
	if in.SrcPred(i) {
		return p.pred(in.Src[i])
	}
	o := in.Src[i]
	if o >= 0 {
		return "r" + strconv.Itoa(int(o))
	}
	u := p.Uniforms[^o]
	switch {
	case u.Leaf >= 0:
		return names[u.Leaf]
	case u.Space == Shared:
		return fmt.Sprintf("shared+%d", u.Bits&^SharedWindow)
	case u.Space == Local:
		return fmt.Sprintf("local+%d", u.Bits&^LocalWindow)
	}
	return literal(u.K, u.Bits) + ":" + u.K.String()
}

// SrcPred reports whether operand i is a predicate.
func (in *Inst) SrcPred(i int) bool {
	return in.Op.ArgKind(i, in.K, in.ArgK, in.Mem.Kind) == Pred
}
