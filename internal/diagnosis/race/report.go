package race

import (
	"fmt"
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// pair identifies the instructions of a race.
type pair struct {
	first, second *ir.Inst
	kind          device.RaceKind
	jobs          [2]int // if one is a copy
}

// found is a race of the current launches.
type found struct {
	race  device.Race
	count uint64
}

// report records that an access races with e, which is not a list.
func (a *mover) report(e *epoch, kind device.RaceKind) {
	b, d := a.b, a.b.d
	j := d.jobOf(e.warp)
	first, second := j.inst(e.info.pc()), b.job.inst(a.info.pc())
	key := pair{first: first, second: second, kind: kind}
	if j.grid == nil || b.job.grid == nil { // all copies have the same instructions
		key.jobs = [2]int{j.n, b.job.n}
	}
	f := d.pairs[key]
	if f == nil {
		f = &found{}
		d.pairs[key] = f
		d.found = append(d.found, f)
	}
	distance := 2
	switch {
	case j.gpu != b.job.gpu:
		distance = 3
	case e.warp == a.w.id:
		distance = 0
	case e.warp-b.first < uint32(len(b.warps)):
		distance = 1
	}
	if f.count++; f.count > 1 && distance <= f.race.Distance() {
		return
	}
	lanes := e.lanes
	if left := a.missing(e); left != 0 {
		lanes = left
	}
	r := device.Race{Kind: kind}
	for _, of := range []*job{j, b.job} {
		if of.grid != nil {
			r.Kernel = of.grid.Kernel.Name
		}
	}
	r.First = accessOf(j, e.warp, bits.TrailingZeros32(lanes), first, e.info.pc())
	r.Second = accessOf(b.job, a.w.id, a.lane, second, a.info.pc())
	a.name(&r)
	r.Fix = rule(j, b.job, &r, distance)
	r.Racy = racy(j.grid, first)
	if r.Racy == "" {
		r.Racy = racy(b.job.grid, second)
	}
	f.race = r
}

// accessOf describes the access of a lane.
func accessOf(j *job, warp uint32, lane int, in *ir.Inst, pc int32) device.RaceAccess {
	if j.grid == nil {
		return device.RaceAccess{What: j.cmd.Name, Command: &device.RaceCommand{GPU: j.gpu, Number: j.cmd.Number}}
	}
	n := int(warp-j.first) % j.grid.Warps
	a := device.RaceAccess{
		What: what(in), At: j.grid.At(in), Block: int(warp-j.first) / j.grid.Warps,
		Thread: n*simt.Lanes + lane, Warp: n, Lane: lane, Shape: j.grid.Shape,
		Kernel: j.grid.Launch.Kernel, PC: int(pc),
	}
	if j.cmd != nil {
		a.Command = &device.RaceCommand{GPU: j.gpu, Number: j.cmd.Number, Kernel: j.grid.Kernel.Name}
	}
	return a
}

// what describes an access as the source writes it.
func what(in *ir.Inst) string {
	if classOf(in) < strongLoad {
		if in.Op == ir.OpStore {
			return "plain store"
		}
		return "plain load"
	}
	return fmt.Sprintf("%s (%s scope)", in.Source(), scopeName(in.Mem))
}

func scopeName(m ir.Mem) string {
	if m.Scope == ir.NoScope {
		return ir.ScopeDevice.String()
	}
	return m.Scope.String()
}

// name sets the names of the address of a race.
func (a *mover) name(r *device.Race) {
	off := a.cell << a.s.grain
	if al := a.s.alloc; al != nil {
		r.Space, r.Buffer, r.Index = "global", al.Name, int64(off/al.Elem.Bytes())
		r.Name = fmt.Sprintf("%s[%d]", r.Buffer, r.Index)
		if a.b.job.cmd != nil {
			gpu := al.GPU
			r.GPU = &gpu
		}
		return
	}
	r.Space, r.Buffer = "shared", "shared memory"
	r.Index, r.Name = int64(off), fmt.Sprintf("byte %d", off)
	vars := a.b.job.grid.Shared
	for i := range vars {
		v := &vars[i]
		if off < v.Off || off >= v.Off+v.Size {
			continue
		}
		f := v.Place(off - v.Off)
		r.Buffer, r.Index, r.Name = f.Name, 0, f.Name
		if f.ElemSize > 0 && f.ElemSize < f.Size {
			r.Index = int64((off - v.Off - f.Off) / f.ElemSize)
			r.Name = fmt.Sprintf("%s[%d]", f.Name, r.Index)
		}
	}
}

// racy returns the reason for which the source allows an access, or a call from
// which it was inlined, to race; "" if it does not.
func racy(g *simt.Grid, in *ir.Inst) string {
	if g == nil { // a copy
		return ""
	}
	for _, f := range g.At(in) {
		for _, m := range g.Prog.Racy {
			if m.File == f.File && m.From <= f.Line && f.Line <= m.To {
				return m.Reason
			}
		}
	}
	return ""
}
