package ir

import "github.com/weft-gpu/weft/internal/mbarrier"

// IsMBarrier reports whether o is an operation on an mbarrier.
func (o Op) IsMBarrier() bool { return o >= OpMBarInit && o <= OpMBarTryParity }

// IsMBarrierWait reports whether o asks whether a phase of an mbarrier is complete, and changes nothing.
func (o Op) IsMBarrierWait() bool { return o >= OpMBarTest && o <= OpMBarTryParity }

// AwaitsCopies reports whether o tells an mbarrier of the asynchronous copies of a thread, which arrive when they have landed.
func (o Op) AwaitsCopies() bool { return o == OpMBarTrack || o == OpMBarCopied }

// Arrives reports whether threads arrive at an mbarrier by o.
func (o Op) Arrives() bool {
	return o == OpMBarArrive || o >= OpMBarArriveExpect && o <= OpMBarDropPart
}

// Drops reports whether the arrivals of o are ones that later phases of the mbarrier do not take.
func (o Op) Drops() bool { return o == OpMBarDrop || o == OpMBarDropExpect || o == OpMBarDropPart }

// ExpectsBytes reports whether o is for copies that bring bytes to an mbarrier.
func (o Op) ExpectsBytes() bool {
	return o == OpMBarExpect || o == OpMBarArriveExpect || o == OpMBarDropExpect
}

// ByParity reports whether a wait names its phase by parity.
func (o Op) ByParity() bool { return o == OpMBarTestParity || o == OpMBarTryParity }

// MBarrierName names an operation on an mbarrier as a kernel writes it: "MBarrier.Arrive". A wait may be a method of another
// name, since Wait is a loop of TryWaitParity.
func (o Op) MBarrierName() string {
	return "MBarrier." + [...]string{"Init", "Inval", "Arrive", "Expect", "ArriveExpect", "ArriveDrop", "ArriveDropExpect", "Arrive", "ArriveDrop", "TrackCopies", "ArriveCopied", "TestWait", "TestWaitParity", "TryWait", "Wait"}[o-OpMBarInit]
}

// UpdateMBarrier returns the word of an mbarrier after an operation with operand y, and what is undefined of it in PTX; then the
// word is unchanged.
func (o Op) UpdateMBarrier(old, y uint64) (now uint64, misuse string) {
	s := mbarrier.State(old)
	switch o {
	case OpMBarInit:
		s, misuse = s.Init(y)
	case OpMBarInval:
		s, misuse = s.Inval()
	case OpMBarArrive:
		s, misuse = s.Arrive(y)
	case OpMBarExpect:
		s, misuse = s.Expect(y)
	case OpMBarArriveExpect:
		s, misuse = s.ArriveExpect(y)
	case OpMBarDrop:
		s, misuse = s.Drop(y)
	case OpMBarDropExpect:
		s, misuse = s.DropExpect(y)
	case OpMBarArrivePart:
		s, misuse = s.ArrivePart(y)
	case OpMBarDropPart:
		s, misuse = s.DropPart(y)
	case OpMBarTrack:
		s, misuse = s.Track()
	case OpMBarCopied: // the arrival comes later
		misuse = s.Tracked()
	default:
		misuse = s.Wait()
	}
	return uint64(s), misuse
}
