package waitfor

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
)

// Picture is a graph of waits as boxes and arrows.
type Picture struct {
	Boxes  []Box
	Arrows []Arrow
}

// Box is a group of threads: first those that wait, as in the graph, and then those that would end a
// wait and are in none of the groups.
type Box struct {
	ID      string // "w0" or "x0"
	Lines   []string
	Outside bool
}

// Arrow leads from a group to one that it waits for. Its lines are the source line that these would
// execute, if there is one, and why they do not.
type Arrow struct {
	From, To int // indices of boxes
	Lines    []string
}

// Draw returns the picture of a graph.
func Draw(graph *device.WaitGraph) *Picture {
	picture := &Picture{}
	shape := device.Shape{Grid: graph.Grid, Block: graph.Block}
	waiters, outside := map[int]int{}, map[string]int{}
	for i := range graph.Waiters {
		waiter := &graph.Waiters[i]
		waiters[waiter.ID] = i
		picture.Boxes = append(picture.Boxes, Box{ID: fmt.Sprintf("w%d", waiter.ID), Lines: []string{fmt.Sprintf("[%d] %s", waiter.ID, threadsText(&waiter.Threads, shape)), innermost(waiter.At), verb(waiter.Kind) + waiter.What}})
	}
	arrow := func(from int, holder *device.Holder, line string) {
		to, ok := waiters[holder.Waiter]
		if !ok {
			lines := []string{threadsText(&holder.Threads, shape), string(holder.Cause)}
			key := fmt.Sprintf("%q", lines)
			if to, ok = outside[key]; !ok {
				to = len(picture.Boxes)
				picture.Boxes = append(picture.Boxes, Box{ID: fmt.Sprintf("x%d", len(outside)), Lines: lines, Outside: true})
				outside[key] = to
			}
		}
		arrow := Arrow{From: from, To: to}
		for _, l := range []string{line, causeName(holder.Cause)} {
			if l != "" {
				arrow.Lines = append(arrow.Lines, l)
			}
		}
		picture.Arrows = append(picture.Arrows, arrow)
	}
	for i := range graph.Waiters {
		waiter := &graph.Waiters[i]
		for k := range waiter.Missing {
			arrow(i, &waiter.Missing[k], "")
		}
		for k := range waiter.Writers {
			o := &waiter.Writers[k]
			for n := range o.Holders {
				if holder := &o.Holders[n]; o.Ends && holder.Waiter != waiter.ID {
					arrow(i, holder, o.Op+" "+innermost(o.At))
				}
			}
		}
	}
	return picture
}

// innermost is the innermost position.
func innermost(at []device.Frame) string {
	if len(at) == 0 {
		return "?"
	}
	return fmt.Sprintf("%s:%d", at[0].File, at[0].Line)
}
