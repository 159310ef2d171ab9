package simt

// Under independent thread scheduling (Volta and later) all diverged lanes of a
// warp make progress. A warp here still executes one path after the other by
// the reconvergence stack as long as that works: lanes reconverge where the
// sides of their branch do, and convergent code costs nothing. Only if the
// lanes in place cannot continue (at a barrier or a collective that waits for
// lanes elsewhere, or spinning) are they removed from the stack; they become a
// part of the warp with its own path. Parts take turns, and merge when their
// positions are the same.

// Wait is what a part of a warp waits for.
type Wait uint8

// The states of a part.
const (
	Runs   Wait = iota // waits only for its turn
	AtBar              // at the block's barrier
	AtMask             // at a collective, for lanes named by its mask
	AtStep             // before an access to memory, for its turn in a schedule
)

// Part is a part of a warp that is not in place: lanes that continue at Path.
// It has no stack: the lanes that waited for it on the stack stayed there when
// it was removed.
type Part struct {
	Path
	Wait Wait
}

// Diverged reports whether there are live lanes besides the active ones.
func (w *Warp) Diverged() bool { return len(w.Stack) > 0 || len(w.Parts) > 0 }

// Split makes the active lanes the last of the warp's parts. The lanes on top
// of the stack are then in place; Mask is 0 if there are none.
func (w *Warp) Split(wait Wait) {
	w.Parts = append(w.Parts, Part{Path: w.Detach(), Wait: wait})
}

// SetAside makes some of the active lanes a part that waits where they are.
func (w *Warp) SetAside(lanes uint32, wait Wait) {
	for i := range w.Stack {
		// As in Detach: entries of the stack must not wake lanes that have a
		// path of their own.
		w.Stack[i].Mask &^= lanes
	}
	w.Mask &^= lanes
	w.Parts = append(w.Parts, Part{Path: Path{PC: w.PC, Recon: -1, Mask: lanes}, Wait: wait})
}

// Take puts part i in place, where no lane may be, and continues it.
func (w *Warp) Take(i int) {
	w.Path = w.Parts[i].Path
	w.drop(i)
}

// Meet merges the lanes in place with the parts at the same position. A part
// that waits for the block's barrier is not merged.
func (w *Warp) Meet() {
	for i := 0; i < len(w.Parts); {
		part := &w.Parts[i]
		// At the block's barrier a part has arrived already; lanes that come to
		// the same barrier have not.
		if part.PC != w.PC || part.Wait == AtBar {
			i++
			continue
		}
		// Whichever path the merged lanes take from here, they pass through the
		// points where those in place reconverge with others: these points lie
		// on every path to the exit.
		for j := range w.Stack {
			if w.Stack[j].Mask&w.Mask != 0 {
				w.Stack[j].Mask |= part.Mask
			}
		}
		w.Mask |= part.Mask
		w.drop(i)
	}
}

// drop removes part i and preserves the order of the others.
func (w *Warp) drop(i int) {
	w.Parts = append(w.Parts[:i], w.Parts[i+1:]...)
}
