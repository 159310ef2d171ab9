package sim

import "github.com/weft-gpu/weft/sim/internal/timing"

// event is something to do in a cycle: the top byte says what, the rest which part does it.
type event = timing.Event

const (
	evNone       event = iota << eventShift
	evWake             // warp: its next instruction can issue
	evSubcore          // sub-core: a pipe is free again
	evLSU              // SM: its load-store unit takes the next instruction
	evArrive           // packet: it reaches its L2 slice
	evReply            // packet: its reply reaches the SM
	evDispatch         // the dispatcher places blocks
	evAcked            // warp: its memory accesses are done
	evBarrier          // block: its barrier opens
	evNamed            // block: a named barrier opens
	evRemote           // packet of another GPU: it reaches its L2 slice here
	eventShift   = 56
	remoteShift  = 32 // evRemote: the number of the other GPU is above the packet's
	eventPayload = 1<<eventShift - 1
)
