package waitfor

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
)

// Advice is tried before it is printed: the launch is run again with it, from the memory that it began with. Advice with
// which the launch does not end is left out. What is no change of single instructions or of the launch cannot be tried.

// maxTrials limits how many changes are tried for a report.
const maxTrials = 12

// endsWithIt is what a trial has shown if nothing else is to be said.
const endsWithIt = "with that the launch ends"

// advisor collects advice.
type advisor struct {
	cures
	list   []device.Advice
	trials int // of changes
}

func newAdvisor(x *explainer) *advisor { return &advisor{cures: cures{x}, list: []device.Advice{}} }

// inSource returns what the source of the kernel calls something: a kernel in Go, or one in CUDA.
func (a *advisor) inSource(inGo, inCUDA string) string {
	if a.p.Code[0].PTX {
		return inCUDA
	}
	return inGo
}

func (a *advisor) add(v device.Advice) {
	// Two causes can have one cure, which is told once.
	if !slices.ContainsFunc(a.list, func(o device.Advice) bool { return o.Text == v.Text }) {
		a.list = append(a.list, v)
	}
}

// say adds advice that cannot be tried.
func (a *advisor) say(texts ...string) {
	for _, text := range texts {
		a.add(device.Advice{Text: text})
	}
}

// try adds advice if the launch ends with a change, or if that is not known. It reports whether it is left out.
func (a *advisor) try(text, shows string, change *remedy.Change) (useless bool) {
	if slices.ContainsFunc(a.list, func(o device.Advice) bool { return o.Text == text }) {
		return false
	}
	if change == nil {
		a.say(text)
		return false
	}
	switch helps, known, why := a.trial(*change); {
	case helps:
		a.add(device.Advice{Text: text, Tried: true, Trial: shows})
	case !known:
		a.add(device.Advice{Text: text, Trial: why})
	default:
		return true
	}
	return false
}

// only adds advice only if the launch was seen to end with a change.
func (a *advisor) only(text, shows string, change *remedy.Change) bool {
	if change == nil {
		return false
	}
	helps, _, _ := a.trial(*change)
	if helps {
		a.add(device.Advice{Text: text, Tried: true, Trial: shows})
	}
	return helps
}

// trial tries a change. If it is not known whether it helps, why says why.
func (a *advisor) trial(c remedy.Change) (helps, known bool, why string) {
	switch {
	case a.Try == nil:
		return false, false, cmp.Or(a.NoTry, "the launch cannot be run again here")
	case a.trials >= maxTrials:
		return false, false, fmt.Sprintf("%d changes were tried before", maxTrials)
	}
	// Each trial runs the whole launch again.
	a.trials++
	verdict := a.Try(c)
	var undecided *device.UndecidedError
	var fault *device.Fault
	switch {
	case errors.As(verdict.Err, &fault): // something else is wrong then
		return false, true, ""
	case errors.As(verdict.Err, &undecided):
		return false, false, "a trial had not ended after " + undecided.Budget
	case verdict.Err != nil:
		return false, false, verdict.Err.Error()
	}
	return verdict.Helps, true, ""
}

// withGrid is the launch with fewer blocks.
func withGrid(blocks int) *remedy.Change {
	return &remedy.Change{What: fmt.Sprintf("%d blocks", blocks), Launch: func(launch *device.Launch) {
		launch.Grid, launch.GridY, launch.GridZ = blocks, 0, 0
	}}
}

// withRegisters is the launch with another number of registers per thread.
func withRegisters(n int) *remedy.Change {
	return &remedy.Change{What: fmt.Sprintf("%d registers", n), Launch: func(l *device.Launch) { l.Regs = n }}
}

// edited is a change of the program.
func edited(what string, do func(e *remedy.Edit)) *remedy.Change {
	return &remedy.Change{What: what, Program: func(p *ir.Program) (*ir.Program, error) {
		edit := remedy.NewEdit(p)
		do(edit)
		return edit.Program()
	}}
}

// withDeviceScope has an access of device scope.
func withDeviceScope(pc int32) *remedy.Change {
	return edited("device scope", func(e *remedy.Edit) { e.Scope(pc, ir.ScopeDevice) })
}

// without lacks some instructions.
func without(pcs ...int32) *remedy.Change {
	return edited("without it", func(edit *remedy.Edit) {
		for _, pc := range pcs {
			edit.Delete(pc)
		}
	})
}

// code collects instructions that are to be inserted at the place of another one.
type code struct {
	e    *remedy.Edit
	pos  ir.Pos
	list []ir.Inst
}

// blank returns an instruction without operands.
func (c *code) blank(op ir.Op, k ir.Kind) ir.Inst {
	return ir.Inst{Op: op, K: k, ArgK: k, Class: ir.ClassOf(op, k), Guard: ir.NoGuard, Root: -1, Recon: -1, Pos: c.pos}
}

// put appends an instruction that computes a value of a kind from others of the same kind, into a register of its own.
func (c *code) put(op ir.Op, kind ir.Kind, src ...ir.Operand) ir.Operand {
	to := ir.Operand(c.e.Register())
	c.into(to, op, kind, src...)
	return to
}

// into is put into a register.
func (c *code) into(to ir.Operand, op ir.Op, k ir.Kind, src ...ir.Operand) {
	in := c.blank(op, k)
	in.NSrc, in.NDst, in.Dst[0] = uint8(len(src)), 1, int32(to)
	copy(in.Src[:], src)
	c.list = append(c.list, in)
}

// special appends the reading of the thread's place.
func (c *code) special(which ir.Special) ir.Operand {
	to := c.put(ir.OpSpecial, ir.U32)
	c.list[len(c.list)-1].Imm = int64(which)
	return to
}

// compare appends a comparison of numbers of a kind.
func (c *code) compare(op ir.Op, kind ir.Kind, a, b ir.Operand) ir.Operand {
	in := c.blank(op, ir.Pred)
	in.ArgK, in.Class = kind, ir.ClassOf(op, kind)
	in.NSrc, in.NDst, in.Dst[0], in.Src[0], in.Src[1] = 2, 1, c.e.Predicate(), a, b
	c.list = append(c.list, in)
	return ir.Operand(in.Dst[0])
}

// back appends a branch to the instruction that so many stand before it.
func (c *code) back(n int, if_ ir.Operand) {
	in := c.blank(ir.OpBra, ir.Void)
	in.Guard, in.Target, in.Recon = if_, int32(-n), remedy.After
	c.list = append(c.list, in)
}

// leave lets a loop be left at once. It returns false if no branch leaves it.
func (f *flow) leave(edit *remedy.Edit, loop *loop) bool {
	for pc := range loop.in {
		in := &f.p.Code[pc]
		if !loop.in[pc] || in.Op != ir.OpBra || in.Guard == ir.NoGuard {
			continue
		}
		next, target := f.succs(int32(pc))[0], in.Target
		// Either side of the branch may be the way out: the branch is then always taken, or never.
		switch stays := [2]bool{next >= 0 && loop.in[next], loop.in[target]}; {
		case stays[0] && !stays[1]:
			out := *in
			out.Op, out.Guard, out.GuardNot, out.Class = ir.OpJmp, ir.NoGuard, false, ir.ClassOf(ir.OpJmp, ir.Void)
			edit.Replace(int32(pc), out)
			return true
		case !stays[0] && stays[1]:
			edit.Delete(int32(pc))
			return true
		}
	}
	return false
}

// around returns the largest or the smallest loop of the program that has all of some instructions.
func (x *reader) around(pcs []int32, largest bool) (found *loop) {
	for _, loop := range x.naturalLoops() {
		if !slices.ContainsFunc(pcs, func(pc int32) bool { return !loop.in[pc] }) && (found == nil || largest) {
			// Loops are in the order of their last branches back: the first that has the instructions is the smallest.
			found = &loop
		}
	}
	return found
}
