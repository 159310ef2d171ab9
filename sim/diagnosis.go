package sim

import (
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
)

// diagnosis says of launches that do not end why they do not: it reads the state of the parts and changes none. It looks
// for a hang (repeat.go) and for a recurrence of the whole state (livelock.go), and tells what threads wait for (hang.go,
// waits.go).
type diagnosis struct {
	*chip
	sms        []sm
	warps      []warp
	dispatcher *dispatcher
	links      *linkPort
	machine    *machine // for those who compare whole machines

	// doomed looks for lanes that are unable to end, and doomedAt is the cycle of the launch after which it looks again.
	doomed   waitfor.Doomsday
	doomedAt uint64

	// standstill looks for a sign that the launches do not get on, and stands says that it was there at the last look.
	standstill repeat.Standstill
	stands     bool

	// again makes a second run that explains a hang; nil if it cannot be made. try runs the launch again with a change.
	again func(h *waitfor.History) error
	try   func(c remedy.Change) remedy.Verdict
}

// begin forgets the launches that have ended.
func (d *diagnosis) begin() {
	d.doomed, d.doomedAt = waitfor.Doomsday{}, 0
	d.standstill, d.stands = repeat.Standstill{}, false
}
