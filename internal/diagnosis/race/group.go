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
	at := func(b device.Buffer) Range {
		a, off, err := mem.Find(b)
		if err != nil { // the command will say so
			return Range{}
		}
		return Range{aliases.Of(a), off, b.Bytes()}
	}
	for i := range cmds {
		c := &cmds[i]
		r := Command{GPU: c.GPU, Number: i, Grid: grids[i], Before: before[i]}
		switch {
		case c.Copy != nil:
			r.Name = fmt.Sprintf("copy of %s to %s", c.Copy.Src.Name, c.Copy.Dst.Name)
			r.Src, r.Dst = at(c.Copy.Src), at(c.Copy.Dst)
		case c.Write != nil:
			r.Name, r.Dst = "write to "+c.Write.Buffer.Name+" by the host", at(c.Write.Buffer)
		case c.Read != nil:
			r.Name, r.Src = "read of "+c.Read.Buffer.Name+" by the host", at(c.Read.Buffer)
		}
		list[i] = r
	}
	return list
}

// Launches returns launches on one GPU that run at the same time, and for which the
// host waits: those with the same Launch.Stream one after the other.
func Launches(gpu int, grids ...*simt.Grid) []Command {
	cmds := make([]Command, len(grids))
	for i, g := range grids {
		cmds[i] = Command{GPU: gpu, Number: -1, Grid: g}
		for k, e := range grids[:i] {
			if e.Launch.Stream != g.Launch.Stream {
				continue
			}
			if cmds[i].Before == nil {
				cmds[i].Before = make([]bool, len(grids))
			}
			cmds[i].Before[k] = true
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
func (d *Detector) planCopy(c *Command) {
	if c.Src.Alloc != nil {
		d.use(c.Src.Alloc, hasWeakLoad)
	}
	if c.Dst.Alloc != nil {
		d.use(c.Dst.Alloc, hasWeakStore)
	}
}

// trackCopies decides which copies can race: those that access a buffer which a
// command accesses that may run at the same time.
func (d *Detector) trackCopies() {
	for _, j := range d.jobs {
		if j.grid != nil {
			continue
		}
		for _, k := range d.jobs {
			if k != j && !j.follows(k) && !k.follows(j) && (k.uses(j.cmd.Src.Alloc) || k.uses(j.cmd.Dst.Alloc)) {
				j.tracks = true
				break
			}
		}
	}
}

// uses reports whether a job may access a buffer.
func (j *job) uses(a *simt.Allocation) bool {
	if a == nil {
		return false
	}
	if j.grid == nil {
		return j.cmd.Src.Alloc == a || j.cmd.Dst.Alloc == a
	}
	for i := range j.grid.Prog.Code {
		in := &j.grid.Prog.Code[i]
		if classOf(in) == none {
			continue
		}
		if at, _, any := target(j.grid, in); at == a || any {
			return true
		}
	}
	return false
}

// Copy records that command i, a copy, takes effect.
func (d *Detector) Copy(i int) {
	j, b := d.jobs[i], &d.copier
	j.end = d.head(j)
	if !j.tracks {
		return
	}
	b.d, b.job, b.first = d, j, j.first
	b.warps = append(b.warps[:0], warp{id: j.first, clock: d.base + 1, known: d.base, block: d.base})
	b.warps[0].set(j.end)
	d.clocks.last = max(d.clocks.last, d.base+1)
	b.copies(weakLoad, &j.cmd.Src)
	b.copies(weakStore, &j.cmd.Dst)
}

// copies records the accesses of a copy to its source or its destination.
func (b *Block) copies(c class, r *Range) {
	if r.Alloc == nil || r.Bytes == 0 {
		return
	}
	s := b.d.shadowOf(r.Alloc)
	grain := uint8(bits.TrailingZeros(uint(r.Alloc.Elem.Bytes())))
	if !s.fixed {
		s.refine(grain)
	}
	a := mover{b: b, w: &b.warps[0], s: s, base: b.d.base, bit: 1, info: info(grain) << infoWidth}
	if c == weakStore {
		a.info |= 1
	}
	first, last := r.Off>>s.grain, (r.Off+r.Bytes-1)>>s.grain
	for a.cell = first; a.cell <= last; a.cell++ {
		a.visit(c, &s.cells[a.cell])
	}
	if c == weakStore && s.sync != nil {
		clear(s.sync[first : last+1])
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
func (d *Detector) head(j *job) *vclock {
	if j.began || j.before == nil {
		return j.start
	}
	j.began = true
	for _, b := range d.blocks {
		if j.follows(b.job) {
			b.retire()
		}
	}
	for _, k := range d.jobs {
		if j.follows(k) {
			j.start = d.clocks.join(j.start, k.end)
		}
	}
	return j.start
}

// retire adds what the threads of a block know, which have ended, to what those of
// its launch do.
func (b *Block) retire() {
	if !b.job.leads {
		return
	}
	for i := range b.warps {
		w := &b.warps[i]
		b.settle(w)
		if w.lanes == nil {
			continue
		}
		b.gather(w, simt.Full)
		for k := range w.lanes {
			l := &w.lanes[k]
			for _, v := range append(l.far, l.near, l.all) {
				if v != nil && (len(b.parts) == 0 || b.parts[len(b.parts)-1] != v) {
					b.parts = append(b.parts, v)
				}
			}
		}
	}
	b.job.end = b.d.clocks.join(b.job.end, b.gathered())
}

// knowsOver reports whether a thread that knows v knows that a job is over, because
// it knows of a job that came after it.
func (d *Detector) knowsOver(v *vclock, j *job) bool {
	if v == nil {
		return false
	}
	for _, k := range d.jobs {
		if !k.follows(j) {
			continue
		}
		d.clocks.add(v)
		for _, b := range v.sum.blocks {
			if b.block-k.first < k.warps {
				return true
			}
		}
	}
	return false
}
