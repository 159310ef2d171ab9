package race

import (
	"fmt"
	"math"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/memory"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// Detector finds the races of the launches on one device. The device calls it
// from one goroutine.
type Detector struct {
	races    *device.Races
	jobs     []*job
	shadows  map[*simt.Allocation]*shadow
	lists    lists
	releases []release // by index in shadow.sync; the first is empty
	pairs    map[pair]*found
	found    []*found // in the order in which they were found
	launch   uint64
	base     uint32 // clocks up to here are of earlier launches
	sync     bool   // the launches have fences, releases or acquires
	unknown  flags  // accesses to buffers that are not known when a launch begins
	most     reach  // the largest reach that differs from smaller ones
	// What sequentially consistent fences of device scope know, by GPU, and those
	// of system scope.
	fences    []*vclock
	fencesAll *vclock
	clocks    clocks
	copier    Block    // does the accesses of copies
	blocks    []*Block // that have begun in these launches
	// watching is set while somebody wants to know whether the lines of a race meet.
	watching bool
	visited  map[place]*visits
}

// job is one of the launches that run at the same time, or a copy. A copy has
// one warp.
type job struct {
	grid   *simt.Grid // nil for a copy
	first  uint32     // number of its first warp
	warps  uint32
	engine uint32 // see engineOf
	plans  []plan // by instruction
	shared flags
	gpu    int
	n      int      // its number
	before []bool   // by number: the job ends before this one begins; nil: none does
	leads  bool     // another job comes after this one
	began  bool     // start is set
	start  *vclock  // what its threads know when it begins
	end    *vclock  // what those of its threads knew at their end that have ended
	cmd    *Command // nil on a single device
	tracks bool     // a copy: its accesses can race
	marks  []mark   // by instruction, if a race is watched
}

// New returns a Detector that adds what it finds to races.
func New(races *device.Races) *Detector {
	return &Detector{races: races, shadows: map[*simt.Allocation]*shadow{}, pairs: map[pair]*found{}, releases: make([]release, 1)}
}

// resetAt is a clock after which all cells are cleared, long before clocks
// overflow.
const resetAt = 1 << 31

// Begin begins launches that run at the same time: those with the same
// Launch.Stream one after the other. Everything before happens before them.
func (d *Detector) Begin(grids ...*simt.Grid) error {
	return d.begin(Launches(0, grids...), false)
}

// begin begins commands of a group, or launches of a single device.
func (d *Detector) begin(cmds []Command, group bool) error {
	d.launch++
	// Clocks grow over all launches of a device, so that cells of earlier ones need no clearing. Once in two billion they start
	// again.
	if d.clocks.last >= resetAt {
		d.clocks.last = 0
		clear(d.shadows)
	}
	// Everything before these launches happens before them: the host waited for it.
	d.base = d.clocks.last
	d.lists.reset()
	clear(d.releases)
	d.releases = d.releases[:1]
	d.fencesAll, d.blocks = nil, d.blocks[:0]
	d.clocks.reset()
	d.forget()
	for len(d.jobs) < len(cmds) {
		d.jobs = append(d.jobs, &job{})
	}
	d.jobs = d.jobs[:len(cmds)]
	warps, gpus := uint64(0), 1
	d.most = onGPU
	for i := range cmds {
		command, size, engine := &cmds[i], uint64(1), uint32(0)
		if grid := command.Grid; grid != nil {
			size = uint64(grid.Blocks) * uint64(grid.Warps)
			if engine = engineOf(grid); engine > 0 {
				size *= engines
			}
			// An access keeps its instruction in 24 bits, and its warp in 32.
			if len(grid.Prog.Code) > int(infoPC) || warps+size > math.MaxUint32 {
				return &device.ArgError{Kernel: grid.Kernel.Name, What: "too large for the race detector"}
			}
		}
		*d.jobs[i] = job{grid: command.Grid, first: uint32(warps), warps: uint32(size), engine: engine, n: i, plans: d.jobs[i].plans, gpu: command.GPU, before: command.Before}
		if group {
			d.jobs[i].cmd = command
		}
		warps += size
		// On one GPU device scope and system scope include the same threads, so that they count as one.
		if gpus = max(gpus, command.GPU+1); command.GPU != cmds[0].GPU {
			d.most = onAll
		}
	}
	d.fences = slices.Grow(d.fences[:0], gpus)[:gpus]
	clear(d.fences)
	d.link()
	d.prune()
	d.planAll()
	d.watch()
	return d.room()
}

// room returns an error if the memory for the cells of the launches does not
// suffice.
func (d *Detector) room() error {
	need := uint64(0)
	for _, shadow := range d.shadows {
		clear(shadow.sync) // also of a buffer that these launches reach by an address alone
		if shadow.used != d.launch {
			continue
		}
		if !shadow.fixed && shadow.flags&(hasWeakStore|hasStrongStore) != 0 {
			need += uint64(shadow.bytes/shadow.alloc.Elem.Bytes()) * cellBytes
		}
	}
	err := memory.Need(need, "the race detector")
	for _, job := range d.jobs {
		if err != nil && job.grid != nil {
			return fmt.Errorf("launch of %s: %w", job.grid.Kernel.Name, err)
		}
	}
	return err
}

const (
	cellBytes = 64
	keepBytes = 1 << 30
)

// prune drops the cells of buffers that are not in use if they take much memory.
func (d *Detector) prune() {
	have := 0
	for _, s := range d.shadows {
		have += len(s.cells) * cellBytes
	}
	if have < keepBytes && len(d.shadows) < 1024 {
		return
	}
	for alloc, shadow := range d.shadows {
		// Those of the last launches stay: a loop on the host uses them again.
		if shadow.used+1 < d.launch {
			delete(d.shadows, alloc)
		}
	}
}

// shadowOf returns the cells of a buffer.
func (d *Detector) shadowOf(alloc *simt.Allocation) *shadow {
	s := d.shadows[alloc]
	if s == nil {
		s = &shadow{bytes: alloc.Bytes(), alloc: alloc}
		d.shadows[alloc] = s
	}
	return s
}

// jobOf returns the launch of a warp.
func (d *Detector) jobOf(warp uint32) *job {
	// Few launches run at the same time, and most often the question is about the last.
	i := len(d.jobs) - 1
	for d.jobs[i].first > warp {
		i--
	}
	return d.jobs[i]
}

// blockOf returns the number of the first warp of a warp's block.
func (j *job) blockOf(warp uint32) uint32 {
	w := uint32(1)
	if j.grid != nil {
		w = uint32(j.grid.Warps)
	}
	return j.first + (warp-j.first)/w*w
}

// End ends the launches and adds what was found to the Races. raced reports
// whether there was a race that the source does not mark as intended.
func (d *Detector) End() (raced bool) {
	raced = d.Raced()
	for _, found := range d.found {
		found.race.Count = found.count
		d.races.Add(found.race)
	}
	d.forget()
	return raced
}

// Raced reports whether there was a race so far that the source does not mark as
// intended.
func (d *Detector) Raced() bool {
	return slices.ContainsFunc(d.found, func(f *found) bool { return f.race.Racy == "" })
}

// forget drops the races that were found.
func (d *Detector) forget() {
	clear(d.pairs)
	clear(d.found)
	d.found = d.found[:0]
}

// addUp adds up all clocks that are in use, so that the memory of those from
// which they were made is free.
func (d *Detector) addUp() {
	clocks := &d.clocks
	clocks.add(d.fencesAll)
	for _, v := range d.fences {
		clocks.add(v)
	}
	for i := range d.releases {
		clocks.add(d.releases[i].near)
		clocks.add(d.releases[i].far)
		clocks.add(d.releases[i].all)
	}
	for _, job := range d.jobs {
		clocks.add(job.start)
		clocks.add(job.end)
	}
	for _, b := range d.blocks {
		b.addUp()
	}
	clocks.freed = clocks.born
}
