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
	evCopied           // warp: asynchronous copies have landed for which mbarriers wait
	evSuspended        // warp: a try_wait has suspended it long enough; of no meaning if it has gone on before
	evAnswer           // packet: its reply from another GPU reaches the SM
	evRemote           // packet of another GPU: it reaches its L2 slice here; links bring this one and evAnswer
	eventShift   = 56
	packetShift  = 32 // the number of a packet's SM is above the packet's
	packetSM     = 1<<16 - 1
	remoteShift  = 48 // evRemote: and above that, the number of its GPU
	eventPayload = 1<<eventShift - 1
)

// linksLast moves the events of a cycle that links bring behind the others, and keeps the order of both. A link says
// that something arrives long before it does; whether the GPU has simulated the cycles by then in which it schedules
// its own events depends on how far ahead of the other GPUs it is, which must not matter.
func linksLast(es []event) {
	var links [8]event
	late, n := links[:0], 0
	for _, e := range es {
		if e >= evAnswer {
			late = append(late, e)
			continue
		}
		es[n] = e
		n++
	}
	copy(es[n:], late)
}
