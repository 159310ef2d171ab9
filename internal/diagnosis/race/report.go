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

// report records that an access races with entry, which is not a list.
func (a *mover) report(entry *epoch, kind device.RaceKind) {
	block, detector := a.b, a.b.d
	earlier := detector.jobOf(entry.warp)
	first, second := earlier.inst(entry.info.pc()), block.job.inst(a.info.pc())
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
	distance, warp := 2, earlier.threadsOf(entry.warp)
	switch {
	case earlier.gpu != block.job.gpu:
		distance = 3
	case warp == a.w.id:
		distance = 0
	case warp-block.first < uint32(len(block.warps)):
		distance = 1
	}
	if known.count++; known.count > 1 && distance <= known.race.Distance() {
		return
	}
	lanes := entry.lanes
	// A lane whose access is not ordered is named, and not one of the same epoch that is.
	if left := a.missing(entry); left != 0 {
		lanes = left
	}
	race := device.Race{Kind: kind}
	for _, of := range []*job{earlier, block.job} {
		if of.grid != nil {
			race.Kernel = of.grid.Kernel.Name
		}
	}
	race.First = accessOf(earlier, entry.warp, bits.TrailingZeros32(lanes), first, entry.info.pc())
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
func accessOf(job *job, warp uint32, lane int, in *ir.Inst, pc int32) device.RaceAccess {
	if job.grid == nil {
		return device.RaceAccess{What: job.cmd.Name, Command: &device.RaceCommand{GPU: job.gpu, Number: job.cmd.Number}}
	}
	warp = job.threadsOf(warp)
	n := int(warp-job.first) % job.grid.Warps
	access := device.RaceAccess{
		What: what(in), At: job.grid.At(in), Block: int(warp-job.first) / job.grid.Warps,
		Thread: n*simt.Lanes + lane, Warp: n, Lane: lane, Shape: job.grid.Shape,
		Kernel: job.grid.Launch.Kernel, PC: int(pc),
	}
	if job.cmd != nil {
		access.Command = &device.RaceCommand{GPU: job.gpu, Number: job.cmd.Number, Kernel: job.grid.Kernel.Name}
	}
	return access
}

// what describes an access as the source writes it.
func what(in *ir.Inst) string {
	switch {
	case in.Op.StoresBulk():
		return bulkName
	case in.Op.Action() == ir.ActBulk:
		return reduceName
	case in.Op.SendsValue() && in.Op.Updates() != ir.OpInvalid:
		return sendUpdateName
	case in.Op.SendsValue():
		return sendStoreName
	case in.Op.ToCluster():
		return sendName
	case in.Op.Action() == ir.ActCopy:
		return copyName
	case in.Op.IsGroupMMA():
		return productName
	}
	if classOf(in) < strongLoad {
		if in.Op.Stores() {
			return "plain store"
		}
		return "plain load"
	}
	return fmt.Sprintf("%s (%s scope)", in.Source(), scopeName(in.Mem))
}

func scopeName(mem ir.Mem) string {
	if mem.Scope == ir.NoScope {
		return ir.ScopeDevice.String()
	}
	return mem.Scope.String()
}

// name sets the names of the address of a race.
func (a *mover) name(race *device.Race) {
	off := a.cell << a.s.grain
	if al := a.s.alloc; al != nil {
		race.Space, race.Buffer, race.Index = "global", al.Name, int64(off/al.Elem.Bytes())
		race.Name = a.element(race.Buffer, race.Index, al.Elem.Bytes())
		if a.b.job.cmd != nil {
			gpu := al.GPU
			race.GPU = &gpu
		}
		return
	}
	race.Space, race.Buffer = "shared", "shared memory"
	race.Index, race.Name = int64(off), fmt.Sprintf("byte %d", off)
	vars := a.b.job.grid.Shared
	for i := range vars {
		variable := &vars[i]
		if off < variable.Off || off >= variable.Off+variable.Size {
			continue
		}
		f := variable.Place(off - variable.Off)
		race.Buffer, race.Index, race.Name = f.Name, 0, f.Name
		if f.ElemSize > 0 && f.ElemSize < f.Size {
			race.Index = int64((off - variable.Off - f.Off) / f.ElemSize)
			race.Name = a.element(f.Name, race.Index, f.ElemSize)
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
func racy(grid *simt.Grid, in *ir.Inst) string {
	if grid == nil { // a copy
		return ""
	}
	for _, f := range grid.At(in) {
		for _, marked := range grid.Prog.Racy {
			if marked.File == f.File && marked.From <= f.Line && f.Line <= marked.To {
				return marked.Reason
			}
		}
	}
	return ""
}
