package simdx

import "github.com/weft-gpu/weft/gpu"

// This file has the online filter (section 4): what a thread does with a vertex that became
// active, while the iteration runs. It costs time only for active vertices, which suits
// small frontiers; its lists are not sorted, and a vertex may be in them several times.

// heads are the counters of a block's lists in shared memory: of three iterations, which
// change places as the sets of counters do.
type heads struct {
	found [sets][classes + 1]uint32 // vertices offered to each list; the last one counts arcs
	base  [classes + 1]uint32       // where the block's part of each list begins
}

// collector is the next frontier that an iteration finds, as one thread sees it.
type collector struct {
	m      Memory
	row    []uint32 // of the graph that the next iteration traverses
	mark   uint32   // the iteration of this frontier
	counts []uint32 // the set of counters to fill
	out    lists
	online bool // whether the online filter runs
	atomic bool // whether the atomic filter runs, a baseline

	heads *heads
	set   uint32  // the counters of heads to fill
	both  []entry // the block's lists, twice
	slots []entry // those to fill
	held  uint32  // vertices in the thread's bin

	thread, threads uint32 // number of the thread and of all threads with a bin
}

// open returns the next frontier of a kernel, before its first iteration. All threads of the
// block must call it, and a barrier must follow.
func open(t gpu.Thread, m Memory, online bool) collector {
	n := collector{m: m, online: online, heads: gpu.Shared[heads](t), both: gpu.DynamicShared[entry](t), thread: t.Global(), threads: gpu.Len(m.Held)}
	n.slots = n.both
	if t.Idx() < (classes+1)*sets {
		n.heads.found[t.Idx()/(classes+1)][t.Idx()%(classes+1)] = 0
	}
	return n
}

// begin prepares the frontier of a step and an iteration, in a graph with these rows.
func (n *collector) begin(step, iteration uint32, row []uint32) {
	n.row, n.mark = row, iteration
	n.counts, n.out = n.m.set(step), n.m.lists(step, n.m.Push)
}

// activate records that v became active. The mark is for the ballot filter.
func (n *collector) activate(v uint32) {
	n.m.Marks[v] = n.mark //weft:racy all threads store the same mark in an iteration, and only the next one reads it plainly
	if n.online {
		n.collect(v)
	}
	if n.atomic {
		n.append(v)
	}
}

// collect adds v to the lists of the block, or to the thread's bin if they are full.
func (n *collector) collect(v uint32) {
	if n.m.Stage > 0 && n.held == 0 && n.stage(whole(n.row, v)) {
		return
	}
	if n.held == n.m.BinSize {
		gpu.Store(&n.counts[overflowCount], 1)
		return
	}
	n.m.Bins[n.slot(n.held)] = v
	n.held++
}

// slot returns the element of Bins for a slot of this thread's bin. Neighboring threads
// have neighboring elements.
func (n *collector) slot(i uint32) uint32 { return i*n.threads + n.thread }

// stageRoom returns the room of a list of a block.
func (n *collector) stageRoom(class uint32) uint32 { return n.m.Stage >> (2 * class) }

// stageStart returns where a list of a block begins if the small list has that much room.
func stageStart(room, class uint32) uint32 {
	switch class {
	case small:
		return 0
	case medium:
		return room
	}
	return room + room>>2
}

// StageEntries returns the entries of all lists of a block if the small list has that much
// room. Shared memory has them twice.
func StageEntries(room uint32) uint32 { return room + room>>2 + room>>4 }

// stage adds an entry to the lists of the block, and reports whether there was room.
func (n *collector) stage(e entry) bool {
	arcs := e.End - e.Begin
	if n.out.shape.pieces(arcs) > 1 {
		return false
	}
	class := n.out.shape.class(arcs)
	slot := gpu.AtomicAdd(&n.heads.found[n.set][class], 1, gpu.BlockScope)
	if slot >= n.stageRoom(class) {
		return false
	}
	n.slots[stageStart(n.m.Stage, class)+slot] = e
	gpu.AtomicAdd(&n.heads.found[n.set][arcsCount], arcs, gpu.BlockScope)
	return true
}

// flush moves what the block found to the lists of the next frontier: it reserves room for
// its own lists with one atomic for each, and copies them with coalesced stores; then come
// the bins. All threads of the block must call it.
func (n *collector) flush(t gpu.Thread) {
	spilled := t.SyncOr(n.held > 0)
	if n.m.Stage > 0 {
		n.reserve(t)
		t.Sync()
		for class := range uint32(classes) {
			n.copy(t, class)
		}
	}
	if spilled {
		n.concatenate(t)
	}
	n.rotate(t)
}

// staged returns the number of entries in a list of the block.
func (n *collector) staged(class uint32) uint32 {
	return min(n.heads.found[n.set][class], n.stageRoom(class))
}

// stagedFrontier returns the size of the frontier in the lists of the block.
func (n *collector) stagedFrontier() frontier {
	return frontier{n.staged(small), n.staged(medium), n.staged(large), n.heads.found[n.set][arcsCount]}
}

// reserve reserves room for the lists of the block, and counts their arcs: four threads, one
// for each counter, so that their atomics are on the way together.
func (n *collector) reserve(t gpu.Thread) {
	counter := t.Idx()
	if counter > classes {
		return
	}
	count := n.heads.found[n.set][counter]
	if counter < classes {
		count = n.staged(counter)
	}
	if count > 0 {
		n.heads.base[counter] = gpu.AtomicAdd(&n.counts[counter], count)
	}
}

// rotate goes on to the counters of the next iteration, which are clear, and clears those of
// the iteration after.
func (n *collector) rotate(t gpu.Thread) {
	if t.Idx() <= classes {
		n.heads.found[(n.set+2)%sets][t.Idx()] = 0
	}
	n.set = (n.set + 1) % sets
}

// copy copies a list of the block.
func (n *collector) copy(t gpu.Thread, class uint32) {
	count, from := n.staged(class), stageStart(n.m.Stage, class)
	for i := t.Idx(); i < count; i += t.BlockDim() {
		n.put(class, n.heads.base[class]+i, n.slots[from+i])
	}
}

// put sets an entry of the next frontier.
func (n *collector) put(class, i uint32, e entry) {
	if !n.out.put(class, i, e) {
		gpu.Store(&n.counts[overflowCount], 1)
	}
}

// concatenate moves the bins of a warp to the lists of the next frontier (step 2 of the
// online filter): prefix sums in the warp say where the vertices of each thread go. If some
// bin has overflowed, the ballot filter will make the lists, and the bins are dropped. All
// lanes must call it together.
func (n *collector) concatenate(t gpu.Thread) {
	held := n.held
	n.held = 0
	if t.Any(gpu.FullMask, gpu.Load(&n.counts[overflowCount]) != 0) {
		return
	}
	var own frontier
	for i := range held {
		e := whole(n.row, n.m.Bins[n.slot(i)])
		own.add(n.out.shape, e.End-e.Begin)
	}
	at, all := own.below(t)
	at = at.plus(n.claim(t, all))
	for i := range held {
		e := whole(n.row, n.m.Bins[n.slot(i)])
		class := n.out.shape.class(e.End - e.Begin)
		for p := range n.out.shape.pieces(e.End - e.Begin) {
			n.put(class, at.step(class), n.out.shape.piece(e, p))
		}
	}
}

// claim reserves room in the lists for a warp, one lane a list. All lanes get the places.
func (n *collector) claim(t gpu.Thread, f frontier) frontier {
	place := uint32(0)
	if count := f.of(t.Lane()); count > 0 {
		place = gpu.AtomicAdd(&n.counts[t.Lane()], count)
	}
	from := func(lane uint32) uint32 { return gpu.Shfl(t, gpu.FullMask, place, lane) }
	return frontier{Small: from(small), Medium: from(medium), Large: from(large)}
}
