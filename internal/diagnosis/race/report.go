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
	block, detector := a.b, a.b.d
	earlier := detector.jobOf(e.warp)
	first, second := earlier.inst(e.info.pc()), block.job.inst(a.info.pc())
	key := pair{first: first, second: second, kind: kind}
	if earlier.grid == nil || block.job.grid == nil { // all copies have the same instructions
		key.jobs = [2]int{earlier.n, block.job.n}
	}
	known := detector.pairs[key]
	if known == nil {
		known = &found{}
		detector.pairs[key] = known
		detector.found = append(detector.found, known)
	}
	// Of several pairs of threads the nearest is shown, as the one that is most easily ordered: lanes of a warp, warps, blocks,
	// GPUs.
	distance := 2
	switch {
	case earlier.gpu != block.job.gpu:
		distance = 3
	case e.warp == a.w.id:
		distance = 0
	case e.warp-block.first < uint32(len(block.warps)):
		distance = 1
	}
	if known.count++; known.count > 1 && distance <= known.race.Distance() {
		return
	}
	lanes := e.lanes
	// A lane whose access is not ordered is named, and not one of the same epoch that is.
	if left := a.missing(e); left != 0 {
		lanes = left
	}
	race := device.Race{Kind: kind}
	for _, of := range []*job{earlier, block.job} {
		if of.grid != nil {
			race.Kernel = of.grid.Kernel.Name
		}
	}
	race.First = accessOf(earlier, e.warp, bits.TrailingZeros32(lanes), first, e.info.pc())
	race.Second = accessOf(block.job, a.w.id, a.lane, second, a.info.pc())
	a.name(&race)
	race.Fix = rule(earlier, block.job, &race, distance)
	race.Racy = racy(earlier.grid, first)
	if race.Racy == "" {
		race.Racy = racy(block.job.grid, second)
	}
	known.race = race
}

// accessOf describes the access of a lane.
func accessOf(j *job, warp uint32, lane int, in *ir.Inst, pc int32) device.RaceAccess {
	if j.grid == nil {
		return device.RaceAccess{What: j.cmd.Name, Command: &device.RaceCommand{GPU: j.gpu, Number: j.cmd.Number}}
	}
	n := int(warp-j.first) % j.grid.Warps
	access := device.RaceAccess{
		What: what(in), At: j.grid.At(in), Block: int(warp-j.first) / j.grid.Warps,
		Thread: n*simt.Lanes + lane, Warp: n, Lane: lane, Shape: j.grid.Shape,
		Kernel: j.grid.Launch.Kernel, PC: int(pc),
	}
	if j.cmd != nil {
		access.Command = &device.RaceCommand{GPU: j.gpu, Number: j.cmd.Number, Kernel: j.grid.Kernel.Name}
	}
	return access
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
		r.Name = a.element(r.Buffer, r.Index, al.Elem.Bytes())
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
		variable := &vars[i]
		if off < variable.Off || off >= variable.Off+variable.Size {
			continue
		}
		f := variable.Place(off - variable.Off)
		r.Buffer, r.Index, r.Name = f.Name, 0, f.Name
		if f.ElemSize > 0 && f.ElemSize < f.Size {
			r.Index = int64((off - variable.Off - f.Off) / f.ElemSize)
			r.Name = a.element(f.Name, r.Index, f.ElemSize)
		}
	}
}

// element names an element that is accessed. Buffers and variables of CUDA programs are of bytes, whatever their type in the
// source, so that the number of an element there would be taken for one of the source.
func (a *mover) element(name string, index int64, size int) string {
	if size == 1 && a.info.width() > 0 {
		return fmt.Sprintf("byte %d of %s", index, name)
	}
	return fmt.Sprintf("%s[%d]", name, index)
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
