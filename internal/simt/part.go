package simt

// Under independent thread scheduling (Volta and later) the diverged lanes of a
// warp all make progress. A warp still executes one path after the other by
// the reconvergence stack, as long as this does: lanes meet again where their
// branch's sides do, and convergent code costs nothing. Only where the lanes in
// place cannot go on (at a barrier or a collective that waits for lanes
// elsewhere, or spinning) they are taken out of the stack and become a part of
// the warp that goes its own way. Parts take turns, and become one again when
// their positions meet.

// Wait is what a part of a warp waits for.
type Wait uint8

// The states of a part.
const (
	Runs   Wait = iota // it waits for its turn only
	AtBar              // at the block's barrier
	AtMask             // at a collective, for lanes that its mask names
)

// Part is a part of a warp that is not in place: lanes that go on at Path. It
// has no stack: those that waited for it there stayed when it was taken out.
type Part struct {
	Path
	Wait Wait
}

// Diverged reports whether lanes other than the active ones are live.
func (w *Warp) Diverged() bool { return len(w.Stack) > 0 || len(w.Parts) > 0 }

// Split makes the active lanes the last of the warp's parts. Those that wait
// for them on the stack are in place then; Mask is 0 where there are none.
func (w *Warp) Split(wait Wait) {
	w.Parts = append(w.Parts, Part{Path: w.Detach(), Wait: wait})
}

// Take puts part i in place, where no lane is, and runs it.
func (w *Warp) Take(i int) {
	w.Path = w.Parts[i].Path
	w.drop(i)
}

// Meet joins the lanes in place with the parts that are at the same position.
// A part that waits for the block's barrier stays where it is.
func (w *Warp) Meet() {
	for i := 0; i < len(w.Parts); {
		p := &w.Parts[i]
		if p.PC != w.PC || p.Wait == AtBar {
			i++
			continue
		}
		// Whatever way the lanes that join take from here, they pass the points
		// where those in place meet others: these lie on every way to the exit.
		for j := range w.Stack {
			if w.Stack[j].Mask&w.Mask != 0 {
				w.Stack[j].Mask |= p.Mask
			}
		}
		w.Mask |= p.Mask
		w.drop(i)
	}
}

// drop removes part i and keeps the order of the others.
func (w *Warp) drop(i int) {
	w.Parts = append(w.Parts[:i], w.Parts[i+1:]...)
}
