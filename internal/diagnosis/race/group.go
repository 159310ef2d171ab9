package race

import (
	"fmt"
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// Commands of a group. What orders two of them is that one ends before the other
// begins (device.Before), and synchronisation between threads of launches that
// run at the same time: the end of a launch hands on all that its threads have
// acquired. A copy is a thread that loads and stores each element once.

// Command is a command of a group of GPUs.
type Command struct {
	GPU    int
	Number int        // in the list of commands; -1 for a launch for which the host waits
	Grid   *simt.Grid // of a launch
	// Name says what a copy does: "copy of x to y". Src and Dst are what it loads and
	// stores; Alloc is nil for memory of the host.
	Name     string
	Src, Dst Range
	Before   []bool // by index: the command has ended before this one begins; nil: none has
}

// Range is a part of a buffer, in bytes.
type Range struct {
	Alloc      *simt.Allocation
	Off, Bytes int
}

// GroupCommands returns the commands of a call of Group.Run on GPUs of which mem is
// any memory. grids are the bound launches; nil for copies. aliases are those that
// were applied to them; nil for none.
func GroupCommands(mem *simt.Memory, cmds []device.Command, grids []*simt.Grid, aliases *simt.Aliases) []Command {
	before := device.Before(cmds)
	list := make([]Command, len(cmds))
	at := func(buffer device.Buffer) Range {
		alloc, off, err := mem.Find(buffer)
		if err != nil { // the command will say so
			return Range{}
		}
		return Range{aliases.Of(alloc), off, buffer.Bytes()}
	}
	for index := range cmds {
		command := &cmds[index]
		entry := Command{GPU: command.GPU, Number: index, Grid: grids[index], Before: before[index]}
		switch {
		case command.Copy != nil:
			entry.Name = fmt.Sprintf("copy of %s to %s", command.Copy.Src.Name, command.Copy.Dst.Name)
			entry.Src, entry.Dst = at(command.Copy.Src), at(command.Copy.Dst)
		case command.Write != nil:
			entry.Name, entry.Dst = "write to "+command.Write.Buffer.Name+" by the host", at(command.Write.Buffer)
		case command.Read != nil:
			entry.Name, entry.Src = "read of "+command.Read.Buffer.Name+" by the host", at(command.Read.Buffer)
		}
		list[index] = entry
	}
	return list
}

// Launches returns launches on one GPU that run at the same time, and for which the
// host waits: those with the same Launch.Stream one after the other.
func Launches(gpu int, grids ...*simt.Grid) []Command {
	cmds := make([]Command, len(grids))
	for index, grid := range grids {
		cmds[index] = Command{GPU: gpu, Number: -1, Grid: grid}
		for earlier, e := range grids[:index] {
			if e.Launch.Stream != grid.Launch.Stream {
				continue
			}
			if cmds[index].Before == nil {
				cmds[index].Before = make([]bool, len(grids))
			}
			cmds[index].Before[earlier] = true
		}
	}
	return cmds
}

// BeginCommands begins commands of a group. Everything before happens before them.
// Copy says when a copy takes effect. A launch that could not be bound has no Grid,
// like a copy of nothing.
func (d *Detector) BeginCommands(cmds []Command) error { return d.begin(cmds, true) }

// The instructions of a copy, by position.
var copyCode = [...]ir.Inst{{Op: ir.OpLoad, Root: -1}, {Op: ir.OpStore, Root: -1}}

// inst returns the instruction of a job at a position.
func (j *job) inst(pc int32) *ir.Inst {
	if j.grid == nil {
		return &copyCode[pc]
	}
	return &j.grid.Prog.Code[pc]
}

// planCopy records which buffers a copy accesses.
func (d *Detector) planCopy(command *Command) {
	if command.Src.Alloc != nil {
		d.use(command.Src.Alloc, hasWeakLoad)
	}
	if command.Dst.Alloc != nil {
		d.use(command.Dst.Alloc, hasWeakStore)
	}
}

// trackCopies decides which copies can race: those that access a buffer which a
// command accesses that may run at the same time.
func (d *Detector) trackCopies() {
	for _, copied := range d.jobs {
		if copied.grid != nil {
			continue
		}
		for _, other := range d.jobs {
			// What ends before the other begins is ordered, and a copy between buffers that nobody else uses now has nothing to
			// race with.
			if other != copied && !copied.follows(other) && !other.follows(copied) && (other.uses(copied.cmd.Src.Alloc) || other.uses(copied.cmd.Dst.Alloc)) {
				copied.tracks = true
				break
			}
		}
	}
}

// uses reports whether a job may access a buffer.
func (j *job) uses(alloc *simt.Allocation) bool {
	if alloc == nil {
		return false
	}
	if j.grid == nil {
		return j.cmd.Src.Alloc == alloc || j.cmd.Dst.Alloc == alloc
	}
	for i := range j.grid.Prog.Code {
		in := &j.grid.Prog.Code[i]
		if classOf(in) == none {
			continue
		}
		if at, _, any := target(j.grid, in); at == alloc || any {
			return true
		}
	}
	return false
}

// Copy records that command i, a copy, takes effect.
func (d *Detector) Copy(i int) {
	job, copier := d.jobs[i], &d.copier
	job.end = d.head(job)
	if !job.tracks {
		return
	}
	copier.d, copier.job, copier.first = d, job, job.first
	// A copy is a block of one thread with one clock: its accesses are not ordered among each other, and do not conflict.
	copier.warps = append(copier.warps[:0], warp{id: job.first, clock: d.base + 1, known: d.base, block: d.base})
	copier.warps[0].set(job.end)
	d.clocks.last = max(d.clocks.last, d.base+1)
	copier.copies(weakLoad, &job.cmd.Src)
	copier.copies(weakStore, &job.cmd.Dst)
}

// copies records the accesses of a copy to its source or its destination.
func (b *Block) copies(class class, part *Range) {
	if part.Alloc == nil || part.Bytes == 0 {
		return
	}
	shadow := b.d.shadowOf(part.Alloc)
	grain := uint8(bits.TrailingZeros(uint(part.Alloc.Elem.Bytes())))
	if !shadow.fixed {
		shadow.refine(grain)
	}
	access := mover{b: b, w: &b.warps[0], as: b.warps[0].id, s: shadow, base: b.d.base, bit: 1, info: info(grain) << infoWidth}
	if class == weakStore {
		access.info |= 1
	}
	first, last := part.Off>>shadow.grain, (part.Off+part.Bytes-1)>>shadow.grain
	for access.cell = first; access.cell <= last; access.cell++ {
		access.visit(class, &shadow.cells[access.cell])
	}
	// Who reads what the copy stored reads from no release.
	if class == weakStore && shadow.sync != nil {
		clear(shadow.sync[first : last+1])
	}
}

// follows reports whether another job has ended before this one begins.
func (j *job) follows(k *job) bool { return j.before != nil && j.before[k.n] }

// link notes which jobs others come after.
func (d *Detector) link() {
	for _, j := range d.jobs {
		for n, is := range j.before {
			d.jobs[n].leads = d.jobs[n].leads || is
		}
	}
}

// head returns what the threads of a job know when they begin: what those of the
// jobs before it knew at their end.
func (d *Detector) head(job *job) *vclock {
	if job.began || job.before == nil {
		return job.start
	}
	job.began = true
	// Blocks whose places nobody has taken since hold what their threads knew: it belongs to the end of their launch.
	for _, block := range d.blocks {
		if job.follows(block.job) {
			block.retire()
		}
	}
	for _, other := range d.jobs {
		if job.follows(other) {
			job.start = d.clocks.join(job.start, other.end)
		}
	}
	return job.start
}

// retire adds what the threads of a block know, which have ended, to what those of
// its launch do.
func (b *Block) retire() {
	if !b.job.leads {
		return
	}
	for i := range b.warps {
		warp := &b.warps[i]
		b.settle(warp)
		if warp.lanes == nil {
			continue
		}
		b.gather(warp, simt.Full)
		for k := range warp.lanes {
			lane := &warp.lanes[k]
			// Also what they have read and not yet acquired: the end of a launch orders what a fence would have.
			for _, v := range append(lane.far, lane.near, lane.all) {
				if v != nil && (len(b.parts) == 0 || b.parts[len(b.parts)-1] != v) {
					b.parts = append(b.parts, v)
				}
			}
		}
	}
	b.job.end = b.d.clocks.join(b.job.end, b.gathered())
}

// knowsOver reports whether a thread that knows vc knows that a job is over, because
// it knows of a job that came after it.
func (d *Detector) knowsOver(vc *vclock, job *job) bool {
	if vc == nil {
		return false
	}
	for _, later := range d.jobs {
		if !later.follows(job) {
			continue
		}
		// Knowing of any access of a job that came after it means that the thread has acquired from that job, which began when
		// the first one was over.
		d.clocks.add(vc)
		for _, b := range vc.sum.blocks {
			if b.block-later.first < later.warps {
				return true
			}
		}
	}
	return false
}
