package sim

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
)

// join adds to the error of a hang on one GPU what the others do that run: their threads wait or repeat themselves, too.
func (g *Group) join(hang *device.HangError, m *machine) {
	var others []waitfor.Member
	for _, d := range g.gpus {
		other := d.m
		if other == m || other.run.over {
			continue
		}
		list, more := other.diagnosis.waits()
		others = append(others, waitfor.Member{Kernel: other.run.unfinished().grid.Kernel.Name, GPU: other.gpu, Waiting: list, More: more, Graph: other.diagnosis.graph(true, false, false)})
	}
	waitfor.Join(hang, others...)
}

// others returns the launches of the commands that run, but one: they may write what it waits for. decided says that no
// thread of them can change anything.
func (g *Group) others(but *simt.Grid, decided bool) (list []waitfor.Other) {
	if g.plan == nil {
		return nil
	}
	for _, t := range g.plan.tasks {
		for i := range t.jobs {
			j := &t.jobs[i]
			if j.grid == but {
				continue
			}
			o := waitfor.Other{Name: fmt.Sprintf("%s in command %d on GPU %d", j.grid.Kernel.Name, t.n, t.gpu), Grid: j.grid}
			if len(t.jobs) > 1 { // no command: launches for which the host waits
				o.Name = fmt.Sprintf("%s on GPU %d", j.grid.Kernel.Name, t.gpu)
			}
			switch {
			case t.over:
				o.Why, o.Over = "which has ended", true
			case !t.began:
				o.Why = "which has not begun: it comes after a command that has not ended"
				o.Advice = fmt.Sprintf("let command %d begin without waiting for others: on another stream, or without Command.After", t.n)
			// Only where a thread still makes progress may the word be written later; then it is no hang of this kernel alone.
			case !decided && g.gpus[t.gpu].m.diagnosis.goesOn(j.grid):
				o.Why, o.Runs = "which goes on and may still come there", true
			default:
				o.Why = "whose threads wait or repeat themselves, too"
				o.Advice = fmt.Sprintf("let a thread of command %d on GPU %d write it before it waits itself", t.n, t.gpu)
			}
			list = append(list, o)
		}
	}
	return list
}
