package waitfor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// foreign is a line of another launch that may write a word.
type foreign struct {
	line device.Writer
	of   *Other
}

// elsewhere returns the lines of other launches that may write the words of a set, by the buffers that they are known
// to stay in. Which of their threads would execute them is not looked at.
func (x *explainer) elsewhere(set *set) (list []foreign) {
	if len(x.Others) == 0 || set.waits[0].kind != device.WaitMemory {
		return nil
	}
	words := set.words()
	// Shared memory is of a block, which other launches have no access to.
	if len(words) == 0 || simt.SpaceOf(anyOf(words)) != ir.Global {
		return nil
	}
	for i := range x.Others {
		other := &x.Others[i]
		for pc := range other.Grid.Prog.Code {
			in := &other.Grid.Prog.Code[pc]
			if !changes(in) || !mayReach(other.Grid, in, words) {
				continue
			}
			w := device.Writer{At: other.Grid.At(in), Op: opName(in), Holders: []device.Holder{}, Ends: !other.Over, Of: other.Name, Why: other.Why}
			if !slices.ContainsFunc(list, func(f foreign) bool { return f.of == other && lineOf(&f.line) == lineOf(&w) }) {
				list = append(list, foreign{w, other})
			}
		}
	}
	return list
}

// lineOf names the source line of a writer.
func lineOf(w *device.Writer) string {
	if len(w.At) == 0 {
		return w.Op
	}
	return fmt.Sprintf("%s:%d (%s)", w.At[0].File, w.At[0].Line, w.Op)
}

// Member is a launch of a group that waits as another one does.
type Member struct {
	Kernel  string
	GPU     int
	Waiting []device.Wait
	More    int               // waits that Waiting leaves out
	Graph   *device.WaitGraph // nil if the launch is not explained
}

// Join adds to the error of a hang on one GPU what launches on the others wait for.
func Join(hang *device.HangError, others ...Member) {
	var graphs []*device.WaitGraph
	for _, m := range others {
		hang.What += fmt.Sprintf("; so does kernel %s on GPU %d", m.Kernel, m.GPU)
		room := min(device.MaxWaits-len(hang.Waiting), len(m.Waiting))
		hang.Waiting = append(hang.Waiting, m.Waiting[:room]...)
		hang.More += m.More + len(m.Waiting) - room
		if m.Graph != nil {
			graphs = append(graphs, m.Graph)
		}
	}
	if hang.Graph != nil && len(graphs) > 0 {
		together(hang.Graph, graphs)
	}
}

// together joins what is known of kernels that wait on several GPUs of a group into the first one.
func together(first *device.WaitGraph, others []*device.WaitGraph) {
	var text strings.Builder
	for _, g := range append([]*device.WaitGraph{first}, others...) {
		fmt.Fprintf(&text, "  on GPU %d, kernel %s\n%s", *g.GPU, g.Kernel, g.Text)
	}
	first.Others, first.Text = others, text.String()
}
