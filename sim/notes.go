package sim

// notes is what an SM that runs by itself in a window leaves for those who go on after it: what it sent, when its
// load-store unit was scheduled, which determines the order of what is sent, and which warps ended. All are in the order
// of their cycles.
type notes struct {
	sends  []sentNote
	works  []workNote
	before int // sends of earlier steps
	steps  []stepNote
	calls  []callNote
	leaves []leaveNote
	next   int // step that is to be replayed next, its first send, and the first of works that is not replayed
	first  int
	told   int
}

// sentNote is a packet on its way to the L2: the event of its arrival, and its cycle.
type sentNote = timed

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

// callNote is a step that was scheduled by another part: by a sub-core, in the second half of the cycle, or by the answer
// to a packet.
type callNote struct {
	in, at uint64 // cycles
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

func (n *notes) sent(arrival uint64, e event, slice uint64, work *atomicWork) {
	if work != nil {
		n.works = append(n.works, workNote{int32(len(n.sends)), int32(slice), *work})
	}
	n.sends = append(n.sends, sentNote{arrival, e})
}

func (n *notes) stepped(next uint64) {
	n.steps = append(n.steps, stepNote{int32(len(n.sends) - n.before), next})
	n.before = len(n.sends)
}

func (n *notes) queued(in, at uint64) { n.calls = append(n.calls, callNote{in: in, at: at}) }

func (n *notes) answered(in, at, order, came uint64) {
	n.calls = append(n.calls, callNote{in, at, order, came})
}

func (n *notes) left(in uint64, wp *warp) { n.leaves = append(n.leaves, leaveNote{in, wp}) }
