package waitfor

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/remedy"
)

// Advice that is a change of the launch or of one instruction is tried before it is printed: the launch is run again with
// it, from the memory that it began with. It is said if it helped. Advice that did not help is left out.

// maxChecks limits how many changes are tried for a report.
const maxChecks = 4

// helps tries a change. known is false if it could not be tried, or if a budget ended the trial.
func (x *explainer) try(c remedy.Change) (helps, known bool) {
	if x.Try == nil || x.checks >= maxChecks {
		return false, false
	}
	x.checks++
	v := x.Try(c)
	return v.Helps, v.Err == nil
}

// checked returns advice with what a trial of it has shown; "" if it did not help.
func (x *explainer) checked(text string, c remedy.Change) string {
	switch helps, known := x.try(c); {
	case !known:
		return text
	case helps:
		return text + " (checked: with that the launch ends)"
	}
	return ""
}

// withGrid is the launch with fewer blocks.
func withGrid(blocks int) remedy.Change {
	return remedy.Change{What: fmt.Sprintf("%d blocks", blocks), Launch: func(l *device.Launch) {
		l.Grid, l.GridY, l.GridZ = blocks, 0, 0
	}}
}

// withRegisters is the launch with another number of registers per thread.
func withRegisters(n int) remedy.Change {
	return remedy.Change{What: fmt.Sprintf("%d registers", n), Launch: func(l *device.Launch) { l.Regs = n }}
}

// withDeviceScope has an access of device scope.
func withDeviceScope(pc int32) remedy.Change {
	return remedy.Change{What: "device scope", Program: func(p *ir.Program) (*ir.Program, error) {
		return remedy.NewEdit(p).Scope(pc, ir.ScopeDevice).Program()
	}}
}

// without lacks an instruction.
func without(pc int32) remedy.Change {
	return remedy.Change{What: "without it", Program: func(p *ir.Program) (*ir.Program, error) {
		return remedy.NewEdit(p).Delete(pc).Program()
	}}
}

// releaseBeforeExit gives back before a thread leaves by an exit what a line would give back, if that line has the same
// operands in each place.
func (x *explainer) releaseBeforeExit(release, exit int32) (c remedy.Change, ok bool) {
	in := x.p.Code[release]
	for i := range int(in.NSrc) {
		if in.Src[i] >= 0 || in.SrcPred(i) { // a register, which may have another value there
			return c, false
		}
	}
	leave := x.p.Code[exit]
	in.Guard, in.GuardNot, in.NDst = leave.Guard, leave.GuardNot, 0
	return remedy.Change{What: "give it back before leaving", Program: func(p *ir.Program) (*ir.Program, error) {
		return remedy.NewEdit(p).Before(exit, in).Program()
	}}, true
}
