package waitfor

import (
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/device"
)

// DOT draws a graph for Graphviz: a box for each group of threads that waits, and for each group of
// those that would end a wait and are in none of the boxes; an arrow from a group to whom it waits
// for, with the line that these would execute, and why they do not.
func DOT(g *device.WaitGraph) string {
	var s strings.Builder
	shape := device.Shape{Grid: g.Grid, Block: g.Block}
	fmt.Fprintf(&s, "digraph waits {\n\tlabel=%s;\n\tnode [shape=box, fontname=\"monospace\"];\n\tedge [fontname=\"monospace\"];\n", quoted(g.Kernel+" on "+g.Device))
	for i := range g.Waiters {
		w := &g.Waiters[i]
		fmt.Fprintf(&s, "\tw%d [label=%s];\n", w.ID, quoted(fmt.Sprintf("[%d] %s", w.ID, threadsText(&w.Threads, shape)), innermost(w.At), verb(w.Kind)+w.What))
	}
	outside := map[string]int{}
	arrow := func(from int, h *device.Holder, line string) {
		to := fmt.Sprintf("w%d", h.Waiter)
		if h.Waiter < 0 {
			label := quoted(threadsText(&h.Threads, shape), string(h.Cause))
			n, ok := outside[label]
			if !ok {
				n = len(outside)
				outside[label] = n
				fmt.Fprintf(&s, "\tx%d [label=%s, style=dashed];\n", n, label)
			}
			to = fmt.Sprintf("x%d", n)
		}
		fmt.Fprintf(&s, "\tw%d -> %s [label=%s];\n", from, to, quoted(line, causeName(h.Cause)))
	}
	for i := range g.Waiters {
		w := &g.Waiters[i]
		for k := range w.Missing {
			arrow(w.ID, &w.Missing[k], "")
		}
		for k := range w.Writers {
			o := &w.Writers[k]
			for n := range o.Holders {
				if h := &o.Holders[n]; o.Ends && h.Waiter != w.ID {
					arrow(w.ID, h, o.Op+" "+innermost(o.At))
				}
			}
		}
	}
	s.WriteString("}\n")
	return s.String()
}

// innermost is the innermost position.
func innermost(at []device.Frame) string {
	if len(at) == 0 {
		return "?"
	}
	return fmt.Sprintf("%s:%d", at[0].File, at[0].Line)
}

// quoted is a label of these lines.
func quoted(lines ...string) string {
	var parts []string
	for _, l := range lines {
		if l != "" {
			parts = append(parts, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(l))
		}
	}
	return `"` + strings.Join(parts, `\n`) + `"`
}
