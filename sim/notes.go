package sim

// notes is what an SM that runs by itself in a window leaves for those who go on after it: what it sent, when its
// load-store unit was scheduled, which determines the order of what is sent, and which warps ended. All are in the order
// of their cycles.
type notes struct {
	sends  []timed // the events of their arrival at the L2
	works  []workNote
	before int // sends of earlier steps
	steps  []stepNote
	calls  []call
	leaves []leaveNote
	next   int // step that is to be replayed next, its first send, and the first of works that is not replayed
	first  int
	told   int
}

// workNote is what atomicUnit.room has not been told yet of one of the sends.
type workNote struct {
	send  int32
	slice int32
	work  atomicWork
}

// stepNote is a step of the load-store unit: what it sent, and the cycle of the next step that it scheduled; 0 for none.
type stepNote struct {
	sends int32
	next  uint64
}

// call is a step that another part has scheduled: a sub-core, in the second half of a cycle, or the answer to a packet.
type call struct {
	sm     int32
	in, at uint64 // cycles: of the call and of the step
	order  uint64 // of the answer; 0 for a sub-core
	came   uint64 // cycle in which the packet reached the L2
}

// leaveNote is a warp that ended.
type leaveNote struct {
	in uint64
	wp *warp
}

func (n *notes) reset() {
	n.sends, n.works, n.steps, n.calls, n.leaves = n.sends[:0], n.works[:0], n.steps[:0], n.calls[:0], n.leaves[:0]
	n.before, n.next, n.first, n.told = 0, 0, 0, 0
}

func (n *notes) sent(arrival uint64, event event, slice uint64, work *atomicWork) {
	// Loads and stores promise the atomic unit nothing.
	if work != nil {
		n.works = append(n.works, workNote{int32(len(n.sends)), int32(slice), *work})
	}
	n.sends = append(n.sends, timed{arrival, event})
}

func (n *notes) stepped(next uint64) {
	// Every send belongs to the step that made it: the replay lets them out together.
	n.steps = append(n.steps, stepNote{int32(len(n.sends) - n.before), next})
	n.before = len(n.sends)
}

func (n *notes) left(in uint64, wp *warp) { n.leaves = append(n.leaves, leaveNote{in, wp}) }
