package function

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
)

// others returns the launches of Run but the one that waits, and why they do not
// write what it waits for.
func (g *Group) others() (list []waitfor.Other) {
	before := device.Before(g.cmds)
	for i := range g.cmds {
		c := &g.cmds[i]
		if i == g.at || c.Launch == nil {
			continue
		}
		grid, err := g.gpus[c.GPU].bind(*c.Launch)
		if err != nil { // it could not be launched
			continue
		}
		o := waitfor.Other{Name: fmt.Sprintf("%s in command %d on GPU %d", grid.Kernel.Name, i, c.GPU), Grid: grid}
		switch {
		case i < g.at:
			o.Why, o.Over = "which has ended", true
		case before[i][g.at]:
			o.Why = "which has not begun: it comes after a command that has not ended"
			o.Advice = fmt.Sprintf("let command %d begin without waiting for others: on another stream, or without Command.After", i)
		default:
			o.Why = "which has not begun: func runs commands one after another"
		}
		list = append(list, o)
	}
	return list
}
