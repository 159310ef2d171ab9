package device

import (
	"errors"
	"fmt"
	"strings"
)

// Frame is a position in the source and its function.
type Frame struct {
	File      string
	Line, Col int
	Func      string
}

// String returns "file:line:col".
func (f Frame) String() string { return fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Col) }

// Fault is an error that a running kernel caused; it ended the launch.
type Fault struct {
	Kernel string
	What   string  // "index 12 out of range of g.Col with length 10"
	At     []Frame // innermost first, followed by the inlined calls
	Block  int     // index in the grid, x fastest
	Thread int     // index in the block, x fastest
	Shape  Shape
	// Buffer, Index and Length are set for an access out of range; Index and Length count
	// elements.
	Buffer        string
	Index, Length int64
}

// Error says what happened, where in the source, and in which thread.
func (f *Fault) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "kernel %s: ", f.Kernel)
	if len(f.At) > 0 {
		fmt.Fprintf(&s, "%s: ", f.At[0])
	}
	s.WriteString(f.What)
	if f.Block >= 0 { // a GPU's driver does not say where
		fmt.Fprintf(&s, " (block %s, thread %s)", f.Shape.BlockName(f.Block), f.Shape.ThreadName(f.Thread))
	}
	for i := 1; i < len(f.At); i++ {
		fmt.Fprintf(&s, "\n\t%s: inlined from here", f.At[i])
	}
	return s.String()
}

// Wait is a group of threads that cannot continue.
type Wait struct {
	At      []Frame
	Why     string // "waits at a barrier", "spins on done[0]"
	Block   int    // index in the grid, x fastest
	Warp    int    // index in the block
	Threads uint32 // mask of lanes of the warp
	Shape   Shape
	GPU     *int // of a group; nil on a single device
}

// ErrClosed is in the error of a call of a closed device, and of a launch that ended early because
// its device was closed meanwhile: errors.Is finds it.
var ErrClosed = errors.New("the device is closed")

// HangError reports that a kernel cannot finish, and which threads wait where.
type HangError struct {
	Kernel  string
	Kind    HangKind
	What    string // "threads of a block wait at barriers of different kinds, so none can complete"
	Waiting []Wait // at most MaxWaits, in order of block and warp
	More    int    // waits left out
	// Graph explains the hang; nil if the device knows too little.
	Graph *WaitGraph
}

// MaxWaits is the largest number of waits that a HangError or an UndecidedError lists.
const MaxWaits = 16

// Error says who waits for what and why: the text of the graph or, without one, the list of
// waits.
func (h *HangError) Error() string {
	return fmt.Sprintf("kernel %s %s: %s", h.Kernel, h.Kind.verb(), h.What) + explain(h.Graph, h.Waiting, h.More)
}

// UndecidedError reports that a budget ended a kernel, or that the kernel looked like a livelock and had no
// budget, and that it is not known whether the kernel would have ended by itself. It is neither a hang nor a
// fault.
type UndecidedError struct {
	Kernel string
	Budget string // the budget that was used up: "1,000,000 cycles"; "" if there was none
	// Still is for how long the kernel has come back to states alone that it had been in before, if it was given
	// up for that: "16,777,216 of its 18,000,000 cycles"; else "".
	Still string `json:",omitempty"`
	// Why says why nothing could have been shown about a kernel that changes memory for ever;
	// "" if something could.
	Why     string
	Waiting []Wait // where the threads were, at most MaxWaits, in order of block and warp
	More    int    // waits left out
	// Graph says what the threads were doing; nil if the device knows too little.
	Graph *WaitGraph
}

// Error says what ended the kernel and where the threads were.
func (u *UndecidedError) Error() string {
	why := ""
	if u.Why != "" {
		why = " (" + u.Why + ")"
	}
	what := fmt.Sprintf("it did not end within its budget of %s, and it was not shown to hang", u.Budget)
	if u.Still != "" {
		what = fmt.Sprintf("it looks like a livelock: for %s, its threads and its memory have had no state that they did not have before; it was not shown to go on like this for ever", u.Still)
	}
	return fmt.Sprintf("kernel %s: undecided: %s%s", u.Kernel, what, why) + explain(u.Graph, u.Waiting, u.More)
}

// ErrEnough is for a caller that ends a launch because it has seen enough, by context.WithCancelCause: the launch returns
// the context's error and no InterruptedError, and spends no time on what its threads were doing.
var ErrEnough = errors.New("enough was executed")

// InterruptedError reports that the caller ended a kernel that had run for long, and what its threads were doing. It wraps
// the error of the context.
type InterruptedError struct {
	Kernel  string
	Ran     string // "1,000,000 cycles, 3,000 warp instructions"
	Waiting []Wait // where the threads were, at most MaxWaits, in order of block and warp
	More    int    // waits left out
	// Graph says what the threads were doing; nil if the device knows too little.
	Graph *WaitGraph
	Cause error `json:"-"`
}

// Error says how long the kernel ran and what its threads were doing.
func (i *InterruptedError) Error() string {
	return fmt.Sprintf("kernel %s had not ended after %s", i.Kernel, i.Ran) + explain(i.Graph, i.Waiting, i.More)
}

// Unwrap returns the error of the context.
func (i *InterruptedError) Unwrap() error { return i.Cause }

func explain(g *WaitGraph, waiting []Wait, more int) string {
	if g == nil || g.Text == "" {
		return listWaits(waiting, more)
	}
	return "\n" + strings.TrimRight(g.Text, "\n")
}

func listWaits(waiting []Wait, more int) string {
	var s strings.Builder
	for _, w := range waiting {
		at := "" // a litmus test has no source in Go
		if len(w.At) > 0 {
			at = w.At[0].String() + ": "
		}
		on := ""
		if w.GPU != nil {
			on = fmt.Sprintf("GPU %d, ", *w.GPU)
		}
		fmt.Fprintf(&s, "\n\t%s%sblock %s, warp %d, lanes %08x: %s", at, on, w.Shape.BlockName(w.Block), w.Warp, w.Threads, w.Why)
	}
	if more > 0 {
		fmt.Fprintf(&s, "\n\tand %d more", more)
	}
	return s.String()
}

// ArgError reports that a launch does not fit the kernel's signature or the device.
type ArgError struct {
	Kernel string
	What   string
}

// Error names the kernel and what is wrong.
func (a *ArgError) Error() string { return fmt.Sprintf("launch of %s: %s", a.Kernel, a.What) }
