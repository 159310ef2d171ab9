package waitfor

import (
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/device"
)

// DOT draws a graph for Graphviz: a box for each group of threads that waits, and for each group of
// those that would end a wait and are in none of the boxes; an arrow from a group to whom it waits
// for, with the line that these would execute, and why they do not.
func DOT(graph *device.WaitGraph) string {
	var text strings.Builder
	picture := Draw(graph)
	fmt.Fprintf(&text, "digraph waits {\n\tlabel=%s;\n\tnode [shape=box, fontname=\"monospace\"];\n\tedge [fontname=\"monospace\"];\n", quoted(graph.Kernel+" on "+graph.Device))
	for _, b := range picture.Boxes {
		style := ""
		if b.Outside {
			style = ", style=dashed"
		}
		fmt.Fprintf(&text, "\t%s [label=%s%s];\n", b.ID, quoted(b.Lines...), style)
	}
	for _, a := range picture.Arrows {
		fmt.Fprintf(&text, "\t%s -> %s [label=%s];\n", picture.Boxes[a.From].ID, picture.Boxes[a.To].ID, quoted(a.Lines...))
	}
	text.WriteString("}\n")
	return text.String()
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
