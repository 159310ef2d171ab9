package function

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
)

// job is a command of Group.Run.
type job struct {
	*device.Command
	n     int        // its number in the list
	waits int        // commands that have not ended and must do so first
	next  []*job     // commands that wait for this one
	grid  *simt.Grid // of a launch, once it was its turn
	run   *run       // of a launch that has begun
	over  bool
	// crowded means that there was no room for the launch beside those that run on its GPU.
	crowded bool
}

// jobsOf returns the commands of a list, each with those that wait for it.
func jobsOf(cmds []device.Command) []*job {
	jobs, last := make([]*job, len(cmds)), map[[2]int]*job{}
	for i := range cmds {
		j := &job{Command: &cmds[i], n: i}
		jobs[i] = j
		// Commands of one stream run in their order (CUDA C++ Programming Guide, "Streams").
		stream := [2]int{j.GPU, j.Stream}
		if before := last[stream]; before != nil {
			j.after(before)
		}
		last[stream] = j
		for _, n := range j.After {
			j.after(jobs[n])
		}
	}
	return jobs
}

func (j *job) after(other *job) {
	j.waits++
	other.next = append(other.next, j)
}

// end notes that the command has ended.
func (j *job) end() {
	j.over = true
	for _, next := range j.next {
		next.waits--
	}
}

// doAll does the commands, in the order of the list as far as it can: a launch
// runs until it has ended, or until all its threads wait for something outside.
// Then the next command begins that may, and the launch goes on after it. So
// launches that wait for each other, on one GPU or on several, get on, and all
// others run as if they were alone. If nothing gets on any more, whatever is left
// waits for ever.
func (g *Group) doAll(ctx context.Context, cmds []device.Command, times []device.Timing) error {
	g.jobs = jobsOf(cmds)
	defer func() { g.jobs = nil }()
	for {
		left, moved := false, false
		for _, j := range g.jobs {
			if j.over {
				continue
			}
			left = true
			if j.waits > 0 {
				continue
			}
			changed, err := g.do(ctx, j, times)
			if err != nil {
				g.reportRest(times)
				return j.Failed(j.n, err)
			}
			moved = moved || changed
		}
		if !left {
			return nil
		}
		if moved {
			continue
		}
		if j, err := g.standing(); err != nil {
			g.reportRest(times)
			return j.Failed(j.n, err)
		}
	}
}

// reportRest makes the reports of launches that have begun and will not end.
func (g *Group) reportRest(times []device.Timing) {
	for _, j := range g.jobs {
		if j.run != nil && !j.over {
			g.report(j, times)
		}
	}
}

// report makes the report of a launch, and counts what it did.
func (g *Group) report(j *job, times []device.Timing) {
	r, d := j.run, j.run.d
	d.insts += r.insts
	g.accessed(d.mem.GPU(), r)
	times[j.n].Report = d.report(r)
}

// do does a command, or a launch as far as it gets. changed says whether it has
// ended, or has changed anything that others may wait for.
func (g *Group) do(ctx context.Context, j *job, times []device.Timing) (changed bool, err error) {
	if err := ctx.Err(); err != nil && j.run == nil {
		return false, err
	}
	if j.Launch != nil {
		return g.launch(ctx, j, times)
	}
	d := g.gpus[j.GPU]
	switch {
	case j.Write != nil:
		err = d.Write(j.Write.Buffer, j.Write.Host)
	case j.Read != nil:
		err = d.Read(j.Read.Buffer, j.Read.Host)
	default:
		err = g.copyBetween(*j.Copy)
	}
	if err != nil {
		return false, err
	}
	if g.race != nil {
		g.race.Copy(j.n)
	}
	times[j.n].Report = j.CopyReport(0)
	j.end()
	return true, nil
}

// launch begins a launch, if there is room for it, and lets it run until it has
// ended or waits.
func (g *Group) launch(ctx context.Context, j *job, times []device.Timing) (changed bool, err error) {
	began := j.run != nil
	if !began {
		if j.run, err = g.begin(ctx, j); j.run == nil {
			return false, err
		}
	}
	r := j.run
	if g.alone(j) {
		r.changed()
		err = r.rounds(ctx)
	} else {
		before := r.generation
		var how progress
		how, err = r.advance(ctx)
		if err == nil && how != ended {
			// A launch that is not alone is not shown to go on for ever, since that of another may change what it reads.
			if err = r.standsStill(); err == nil {
				return !began || how == goesOn || r.generation != before+1, nil
			}
		}
	}
	if g.race != nil {
		if err != nil {
			err = r.outcome(err, g.race.Raced())
		} else if g.unwritten == nil && r.unwritten != nil {
			g.unwritten, g.late = r.unwritten, j.n
		}
	}
	g.report(j, times)
	j.end()
	for _, other := range g.jobs {
		other.crowded = false // there may be room now
	}
	return true, err
}

// alone reports whether a launch is all that runs, and all that is left waits for it to end or has no room before: then it hangs, or
// goes on for ever, as one on a single GPU would.
func (g *Group) alone(j *job) bool {
	for _, other := range g.jobs {
		if other != j && !other.over && other.waits == 0 && !other.crowded {
			return false
		}
	}
	return true
}

// begin begins a launch. It returns nil if there is no room for it beside those
// that run on its GPU.
func (g *Group) begin(ctx context.Context, j *job) (*run, error) {
	d := g.gpus[j.GPU]
	if err := g.bind(j); err != nil {
		return nil, err
	}
	grid := j.grid
	occ, err := d.Fit(grid.Launch)
	if err != nil {
		return nil, err
	}
	c, err := d.code(grid)
	if err != nil {
		return nil, err
	}
	all, free := occ.BlocksPerSM*occ.SMs, 1.0
	for _, other := range g.jobs {
		if r := other.run; r != nil && !other.over && other.GPU == j.GPU {
			occ, err := d.Fit(r.g.Launch)
			if err != nil {
				return nil, err
			}
			free -= float64(len(r.slots)) / float64(occ.BlocksPerSM*occ.SMs)
			d.slots = nil // they are of the other one
		}
	}
	resident := min(int(free*float64(all)), grid.Blocks)
	j.crowded = resident == 0 || grid.Launch.Cooperative && resident < grid.Blocks
	if j.crowded {
		return nil, nil
	}
	r := newRun(d, grid, c, resident)
	r.ctx = ctx
	r.begin()
	return r, nil
}

// bind binds the arguments of a launch, once.
func (g *Group) bind(j *job) (err error) {
	if j.grid == nil && g.bound != nil {
		j.grid = g.bound[j.n] // the one that the race detector knows
	}
	if j.grid == nil {
		j.grid, err = g.gpus[j.GPU].bind(*j.Launch)
	}
	return err
}

// standing is called when nothing has got on: all launches that have begun wait, and nothing else can begin. It returns the
// error of the first one; none if it has found threads that can go on after all.
func (g *Group) standing() (*job, error) {
	var first *job
	var others []waitfor.Member
	for _, j := range g.jobs {
		switch {
		case j.run == nil || j.over:
		case first == nil:
			first = j
		default:
			list, more := j.run.waits()
			others = append(others, waitfor.Member{Kernel: j.run.g.Kernel.Name, GPU: j.GPU, Waiting: list, More: more, Graph: j.run.graph(true, false)})
		}
	}
	err := first.run.stalled()
	var hang *device.HangError
	if errors.As(err, &hang) {
		waitfor.Join(hang, others...)
	}
	return first, err
}

// others returns the launches of Run but one that waits, and why they do not write
// what it waits for. decided says that nothing gets on any more.
func (g *Group) others(but *run, decided bool) (list []waitfor.Other) {
	for _, j := range g.jobs {
		if j.Launch == nil || j.run == but {
			continue
		}
		o := waitfor.Other{Name: fmt.Sprintf("%s in command %d on GPU %d", j.Launch.Kernel.Name, j.n, j.GPU)}
		if err := g.bind(j); err != nil { // it cannot be launched
			continue
		}
		o.Grid = j.grid
		switch {
		case j.over:
			o.Why, o.Over = "which has ended", true
		case j.run == nil && j.waits > 0:
			o.Why = "which has not begun: it comes after a command that has not ended"
			o.Advice = fmt.Sprintf("let command %d begin without waiting for others: on another stream, or without Command.After", j.n)
		case j.run == nil:
			o.Why = fmt.Sprintf("which has not begun: there is no room for it beside what runs on GPU %d", j.GPU)
			o.Advice = fmt.Sprintf("launch fewer blocks on GPU %d", j.GPU)
		case !decided:
			o.Why, o.Runs = "which goes on and may still come there", true
		default:
			o.Why = "whose threads wait or repeat themselves, too"
			o.Advice = fmt.Sprintf("let a thread of command %d on GPU %d write it before it waits itself", j.n, j.GPU)
		}
		list = append(list, o)
	}
	return list
}
