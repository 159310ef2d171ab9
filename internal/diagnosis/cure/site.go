package cure

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// line is a line of the source.
type line struct {
	file string
	line int
}

func (l line) String() string { return fmt.Sprintf("%s:%d", l.file, l.line) }

// lineOf returns the line of an instruction.
func lineOf(p *ir.Program, in *ir.Inst) line {
	if int(in.Pos) >= len(p.Pos) {
		return line{}
	}
	at := p.Pos[in.Pos]
	return line{at.File, at.Line}
}

// site is an access or a fence in the source: all instructions that were made of it.
type site struct {
	prog *ir.Program
	at   line
	col  int
	in   *ir.Inst // the first of them
	pcs  []int32
}

// text names the site: "gpu.Store at a.go:7".
func (s *site) text() string { return s.in.Source() + " at " + s.at.String() }

// sites returns the accesses to memory and the fences of a program that keep selects.
func sites(p *ir.Program, keep func(in *ir.Inst) bool) (list []*site) {
	for pc := range p.Code {
		in := &p.Code[pc]
		if !keep(in) {
			continue
		}
		at, col := lineOf(p, in), p.Pos[in.Pos].Col
		i := slices.IndexFunc(list, func(s *site) bool {
			return s.at == at && s.col == col && s.in.Op == in.Op && s.in.Mem.Order == in.Mem.Order && s.in.Mem.Scope == in.Mem.Scope
		})
		if i < 0 {
			list = append(list, &site{prog: p, at: at, col: col, in: in})
			i = len(list) - 1
		}
		list[i].pcs = append(list[i].pcs, int32(pc))
	}
	return list
}

// isShared reports whether other threads may access what an instruction accesses.
func isShared(in *ir.Inst) bool { return in.Op.Addressed() && in.Mem.Space != ir.Local }

func isWeak(in *ir.Inst) bool {
	return isShared(in) && in.Mem.Order == ir.Weak && !in.Op.IsAtomic()
}

func isStrong(in *ir.Inst) bool {
	return isShared(in) && (in.Mem.Order != ir.Weak || in.Op.IsAtomic())
}

func isLoad(in *ir.Inst) bool  { return in.Op.Action() == ir.ActLoad }
func isStore(in *ir.Inst) bool { return in.Op.Action() == ir.ActStore }

// sameWord reports whether two instructions access the same address, as far as their operands say. It is asked of
// instructions that are near each other.
func sameWord(a, b *ir.Inst) bool {
	return a.Root == b.Root && a.Src[0] == b.Src[0] && a.Imm == b.Imm
}

// scopeFor is the scope that two threads at a distance need, see device.Race.Distance.
func scopeFor(distance int) ir.Scope {
	switch distance {
	case 0, 1:
		return ir.ScopeBlock
	case 2:
		return ir.ScopeDevice
	}
	return ir.ScopeSystem
}

// scopeOf returns the scope of an access or a fence. An atomic without one has device scope.
func scopeOf(in *ir.Inst) ir.Scope {
	if in.Mem.Scope == ir.NoScope {
		return ir.ScopeDevice
	}
	return in.Mem.Scope
}

// scopeName names a scope as the source writes it.
func scopeName(s ir.Scope) string {
	return [ir.NumScopes]string{"", "gpu.BlockScope", "gpu.DeviceScope", "gpu.SystemScope"}[s]
}

// programOf returns the program of an access; nil for a copy.
func programOf(a *device.RaceAccess) *ir.Program {
	k := ir.Compiled(a.Kernel)
	if k == nil {
		return nil
	}
	return k.Program
}

// instOf returns the instruction of an access; nil for a copy.
func instOf(a *device.RaceAccess) *ir.Inst {
	p := programOf(a)
	if p == nil || a.PC < 0 || a.PC >= len(p.Code) {
		return nil
	}
	return &p.Code[a.PC]
}
