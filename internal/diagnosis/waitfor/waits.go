package waitfor

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// wait is a group of lanes of a warp and what it waits for.
type wait struct {
	w       *Warp
	g       *Group
	kind    device.WaitKind
	pc      int32 // of the source line to show
	round   *round
	cond    *condition
	text    string   // of the condition, with placeholders; "" if it is not simple
	own     []string // values for ownMark
	read    int32    // the load or atomic whose value is waited for; -1 for none
	reads   []int32  // all on which the ends of the loop depend
	lanes   uint32   // of the read
	addr    simt.Row
	value   simt.Row        // what the lanes read
	fresh   simt.Row        // what memory has
	changes []device.Change // the words that the loop changes: it does not only wait
	blocked []blocked       // the words because of which the loop goes on, if it reads several
	unsure  bool            // there may be more such words: not all could be tried
	gate    *readWord       // alone, it would leave its loop because of what this word has
	steps   int             // that its loop was executed for, to find its period
	stale   bool            // value is older than fresh, and with fresh the lanes would go on
	set     *set
}

// set is a group of waits that are shown as one.
type set struct {
	id      int
	waits   []*wait
	edges   []edge
	writers []*writer
	closed  *closing
	// contested is set if the words change all the time: the state of the device recurs, and this is a moment of it.
	contested bool
}

// reader reads the state of the warps: for what each group of lanes waits, by executing its loop on a copy.
type reader struct {
	*Snapshot
	*static
	waits []*wait
	// byWarp are the waits of each warp.
	byWarp   map[*Warp][]*wait
	resident map[int]bool // blocks with live warps
	stepped  int          // by replays, and by those with other values in memory
	tried    int
	endings  map[endsKey]bool
}

// collect finds what each group of lanes waits for.
func (x *reader) collect() {
	for i := range x.Warps {
		warp := &x.Warps[i]
		x.resident[warp.Block.ID] = true
		for k := range warp.Groups {
			t := x.waitOf(warp, &warp.Groups[k])
			x.waits = append(x.waits, t)
			x.byWarp[warp] = append(x.byWarp[warp], t)
		}
	}
}

func (x *reader) waitOf(warp *Warp, group *Group) *wait {
	out := &wait{w: warp, g: group, kind: group.Kind, pc: group.PC, read: -1}
	if group.Kind != device.WaitTurn {
		return out
	}
	// A group that a schedule does not let go on waits for the schedule, unless its loop shows that a turn would not help.
	held := func() *wait {
		if group.Held != "" {
			out.kind, out.pc, out.read = device.WaitHeld, group.PC, -1
		}
		return out
	}
	// What a group that could run waits for is seen by running it, alone and on a copy: the other threads are then where they
	// wait.
	p := newReplay(x.Snapshot, warp, group, nil)
	round := p.round(x.steps())
	x.stepped += p.taken
	out.steps = p.taken
	if len(round.steps) == 0 {
		// It left its loop alone. If nothing in memory changes any more, it will; otherwise the others may change it back in
		// time.
		if group.Held == "" && !x.Decided {
			x.alone(out)
		}
		return held()
	}
	out.round, out.cond = round, conditionOf(x.flow, x.uniform, round)
	// A loop that changes memory does not only wait. Where nothing can change any more, each loop is shown with its lines.
	if out.changes = x.changes(round); x.Decided || len(out.changes) > 0 {
		out.kind = device.WaitLoop
		out.pc = slices.Min(round.steps)
	}
	out.read = out.cond.read()
	simple, _ := out.cond.text(group.Mask)
	// The condition is not one on a single word: which words hold the loop is found by trial.
	if out.read < 0 || len(out.changes) > 0 || simple == "" && x.several(out) {
		list, complete := x.blocked(out)
		out.unsure = !complete
		if len(list) > 0 {
			out.block(x, list)
			return out
		}
	}
	if out.read < 0 || len(out.changes) > 0 {
		out.read = -1
		return held()
	}
	last := round.last[out.read]
	out.kind, out.pc = device.WaitMemory, out.read
	out.lanes, out.addr, out.value, out.fresh = last.lanes, *last.addr, *last.value, *last.value
	out.text, out.own = out.cond.text(group.Mask)
	// Each way out may depend on a word of its own, and a write to any of them ends the wait.
	for _, e := range out.cond.exits {
		for _, pc := range e.reads {
			if !slices.Contains(out.reads, pc) {
				out.reads = append(out.reads, pc)
			}
		}
	}
	x.refresh(out)
	return out
}

// refresh notes what memory has where lanes read from L1: L1 of an SM is not kept coherent with the others, so a weak load may
// get a value from it that others have replaced (PTX ISA, "Cache Operators": .ca).
func (x *reader) refresh(wait *wait) {
	in := &x.p.Code[wait.read]
	for mask := wait.lanes; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros32(mask)
		if x.cached(wait.w.Block.SM, in, wait.addr[lane]) == nil {
			continue
		}
		data, off, _ := wait.w.Resolve(lane, wait.addr[lane])
		wait.fresh[lane] = simt.Load(data, off, in.Mem.Kind)
		if wait.fresh[lane] == wait.value[lane] {
			continue
		}
		// If it is not known whether the lane would go on with it, the old value is the likeliest reason that it does not.
		leaves, known := wait.cond.leaves(lane, wait.read, wait.fresh[lane])
		wait.stale = wait.stale || leaves || !known
	}
}

// changes returns the words that a round changes, as the first lane does.
func (x *reader) changes(round *round) (list []device.Change) {
	for _, pc := range round.steps {
		if s := round.last[pc]; s.wrote && s.lanes != 0 {
			list = merge(list, device.Change{Word: x.place(s.addr[bits.TrailingZeros32(s.lanes)]).String(), Values: s.values})
		}
	}
	return list
}

// merge adds a word, or values of a word, to a list of at most maxValues words.
func merge(list []device.Change, change device.Change) []device.Change {
	index := slices.IndexFunc(list, func(o device.Change) bool { return o.Word == change.Word })
	// A long list of words helps nobody: the first are shown.
	if index < 0 {
		if len(list) < maxValues {
			list = append(list, device.Change{Word: change.Word, Values: slices.Clone(change.Values)})
		}
		return list
	}
	for _, v := range change.Values {
		list[index].Values = distinct(list[index].Values, v)
	}
	return list
}

// lines returns the lines of a round in the file in which it begins.
func (x *reader) lines(round *round, file string) *device.Span {
	out := &device.Span{First: math.MaxInt}
	for _, pc := range round.steps {
		if at := x.g.At(&x.p.Code[pc]); len(at) > 0 && at[0].File == file && at[0].Line > 0 {
			out.First, out.Last = min(out.First, at[0].Line), max(out.Last, at[0].Line)
		}
	}
	if out.Last == 0 {
		return nil
	}
	return out
}

func (s *set) threads() (n int) {
	for _, t := range s.waits {
		n += bits.OnesCount32(t.g.Mask)
	}
	return n
}

func warpsOf(list []*wait) (warps []int) {
	for _, t := range list {
		warps = append(warps, t.w.Index)
	}
	return warps
}

// spansOf returns numbers as sorted ranges.
func spansOf(numbers []int) (spans []device.Span) {
	sorted := slices.Clone(numbers)
	slices.Sort(sorted)
	for _, n := range slices.Compact(sorted) {
		if k := len(spans) - 1; k >= 0 && spans[k].Last == n-1 {
			spans[k].Last = n
			continue
		}
		spans = append(spans, device.Span{First: n, Last: n})
	}
	return spans
}

// place is an element of an array in memory.
type place struct {
	space ir.Space
	name  string
	index int
	whole bool // a variable that is no array
}

// place names an address as the host or the source does.
func (x *reader) place(addr uint64) place {
	switch simt.SpaceOf(addr) {
	// A variable of shared memory may be an array or a struct: the field is named that the address lies in.
	case ir.Shared:
		_, own, _ := ir.SharedOf(addr)
		off := int(own &^ ir.SharedWindow)
		for i := range x.g.Shared {
			v := &x.g.Shared[i]
			if off < v.Off || off >= v.Off+v.Size {
				continue
			}
			f := v.Place(off - v.Off)
			return place{ir.Shared, f.Name, (off - v.Off - f.Off) / max(f.ElemSize, 1), f.ElemSize == f.Size}
		}
		return place{ir.Shared, "shared memory, byte ", off, false}
	case ir.Local:
		return place{ir.Local, "local memory", int(addr &^ ir.LocalWindow), false}
	}
	a, off := x.g.Mem.Lookup(addr)
	if a == nil {
		return place{ir.Global, "address ", int(addr), false}
	}
	return place{ir.Global, a.Name, off / a.Elem.Bytes(), false}
}

// remote reports whether a word for which a thread waits is in the shared memory of another block of its cluster.
func (x *reader) remote(t *wait, addr uint64) bool {
	rank, _, named := ir.SharedOf(addr)
	return simt.SpaceOf(addr) == ir.Shared && named && rank != t.w.Block.ID%x.g.Cluster
}

func (p place) String() string {
	if p.whole {
		return p.name
	}
	return fmt.Sprintf("%s[%d]", p.name, p.index)
}
