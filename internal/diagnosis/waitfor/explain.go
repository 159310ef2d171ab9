package waitfor

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// maxWaiters is the largest number of groups that a graph lists.
const maxWaiters = 64

// Explain says why the kernel of a snapshot does not end.
func Explain(snapshot *Snapshot) *device.WaitGraph {
	explainer := newExplainer(snapshot)
	explainer.collect()
	explainer.recall()
	explainer.fold()
	explainer.order()
	graph := &device.WaitGraph{
		Device: snapshot.Device, GPU: snapshot.GPU, Kernel: snapshot.Grid.Kernel.Name, Grid: snapshot.Grid.Shape.Grid, Block: snapshot.Grid.Shape.Block,
		Waiters: []device.Waiter{}, Residency: explainer.residency(), Forgotten: explainer.forgotten,
	}
	for _, set := range explainer.sets[:min(len(explainer.sets), maxWaiters)] {
		graph.Waiters = append(graph.Waiters, explainer.waiter(set))
	}
	graph.More = len(explainer.sets) - len(graph.Waiters)
	graph.Causes = explainer.causes(graph.Residency)
	graph.Advice = newAdvisor(explainer).advice(graph)
	graph.Text = text(graph)
	return graph
}

// explainer connects those who wait with those who would end their wait, and says why they do not.
type explainer struct {
	*historian
	sets []*set
}

func newExplainer(snapshot *Snapshot) *explainer {
	r := &reader{
		Snapshot: snapshot, static: newStatic(newFlow(snapshot.Grid.Prog), snapshot.Grid), byWarp: map[*Warp][]*wait{},
		resident: map[int]bool{}, endings: map[endsKey]bool{},
	}
	f := &finder{reader: r, branches: r.static.branches(), classes: map[thread]string{}, ways: map[string]choices{}, reached: map[string][]bool{}}
	return &explainer{historian: &historian{finder: f}}
}

// waiter describes a set.
func (x *explainer) waiter(set *set) device.Waiter {
	first := set.waits[0]
	var who threads
	for _, t := range set.waits {
		who.add(t.w.Block.ID, t.w.Index, t.g.Mask)
	}
	out := device.Waiter{ID: set.id, Threads: who.plain(), Kind: first.kind, At: x.g.At(&x.p.Code[min(int(first.pc), len(x.p.Code)-1)])}
	// A loop whose state recurred is proven to go on. For another one the report says for how many steps it was followed.
	if r := first.round; r != nil && first.steps > 0 && !r.recurs && first.gate == nil {
		out.Unsettled = first.steps
	}
	switch first.kind {
	case device.WaitMemory:
		x.describeWord(set, &out)
	case device.WaitBarrier, device.WaitNamed, device.WaitCluster:
		out.Arrived, out.Expected = first.g.Arrived, first.g.Expected
		in, whose := &x.p.Code[first.g.PC], "block"
		name := simt.BarrierName(in)
		switch first.kind {
		case device.WaitNamed:
			name = fmt.Sprintf("%s of barrier %d", simt.NamedName(in), first.g.Barrier)
		case device.WaitCluster:
			name, whose = simt.ClusterName(in), "cluster"
		}
		out.What = fmt.Sprintf("at %s, to which %d of %d threads of the %s have come", name, out.Arrived, out.Expected, whose)
		if first.g.Mixed {
			out.What = fmt.Sprintf("at %s; others of the block wait at another kind of barrier", name)
		}
	case device.WaitRegisters:
		out.Arrived, out.Expected = first.g.Arrived, first.g.Expected
		out.What = fmt.Sprintf("at %s for %d more registers a thread, of which %d are free in the block", x.p.Code[first.g.PC].Name(), out.Expected, out.Arrived)
	case device.WaitWarp:
		out.What = fmt.Sprintf("at %s for %s of its warp, which its mask names", collectiveName(&x.p.Code[first.g.PC]), laneText(first.g.Missing))
	case device.WaitReconverge:
		out.What = "for the other lanes of its warp, which are on the other side of a branch"
	case device.WaitLoop:
		out.What = "goes round in a loop that does not depend on what other threads write"
		x.describeChanges(set, &out)
		if len(out.Changes) > 0 {
			out.What = "goes round in a loop" + linesText(out.Lines) + " that changes " + changesText(out.Changes)
		}
		if first.unsure {
			out.What = strings.Replace(out.What, " that does not depend on what other threads write", "", 1) + "; whether it waits for a word is not known: not all that it reads were examined"
		}
	case device.WaitHeld:
		out.What = "could go on, and " + first.g.Held + " does not let it"
	default:
		out.What = "was running"
	}
	for _, edge := range set.edges {
		// For a word, the writers say who is missing.
		if first.kind != device.WaitMemory && (edge.to != nil || edge.cause != device.CauseRunning && edge.cause != device.CauseHeld) {
			out.Missing = append(out.Missing, x.holder(edge.to, edge.cause, &edge.who))
		}
	}
	return out
}

// describeWord says for which word a set waits, who wrote it last, and which lines could change it.
func (x *explainer) describeWord(set *set, out *device.Waiter) {
	out.Word = x.word(set)
	if e := x.wrote(set); e != nil {
		out.Word.Written = x.last(e, set.closed != nil)
	}
	out.What = waitsFor(out.Word)
	x.describeChanges(set, out)
	if set.waits[0].unsure {
		out.What += "; it may wait for other words too: not all that its loop reads were examined"
	}
	for _, writer := range set.writers {
		// A loop that was unrolled has a line several times.
		if line := x.writer(writer); !slices.ContainsFunc(out.Writers, func(o device.Writer) bool { return reflect.DeepEqual(o, line) }) {
			out.Writers = append(out.Writers, line)
		}
	}
	for _, w := range x.elsewhere(set) {
		out.Writers = append(out.Writers, w.line)
	}
}

// describeChanges says which words a loop changes, and in which lines it is.
func (x *explainer) describeChanges(s *set, out *device.Waiter) {
	first := s.waits[0]
	for _, t := range s.waits {
		for _, c := range t.changes {
			out.Changes = merge(out.Changes, c)
		}
	}
	if len(out.At) > 0 && (first.kind == device.WaitLoop || len(out.Changes) > 0) {
		out.Lines = x.lines(first.round, out.At[0].File)
	}
	// A loop that waits and changes words is what a livelock looks like: both are told.
	if first.kind == device.WaitMemory && len(out.Changes) > 0 {
		out.What += "; its loop" + linesText(out.Lines) + " changes " + changesText(out.Changes)
	}
}

func collectiveName(in *ir.Inst) string {
	if in.PTX {
		return in.CUDAName()
	}
	if name := ir.Ops[in.Op].Func; name != "" {
		return strings.TrimPrefix(name, "Thread.")
	}
	return in.Op.String()
}

func (x *explainer) holder(in *set, cause device.CauseKind, who *threads) device.Holder {
	h := device.Holder{Threads: who.plain(), Cause: cause, Waiter: -1}
	if in != nil {
		h.Waiter = in.id
	}
	return h
}

// writer describes a line that may change a word.
func (x *explainer) writer(writer *writer) device.Writer {
	in := &x.p.Code[writer.pc]
	out := device.Writer{Unexamined: writer.unseen, At: x.g.At(in), Op: opName(in), Guard: x.guardOf(writer.pc), Holders: []device.Holder{}, Ends: !writer.vain && !writer.never}
	i := 1
	// The second operand of a compare-and-swap is compared; the third is stored.
	if in.Op == ir.OpAtomCAS {
		i = 2
	}
	if v, ok := x.valueConstant(use{writer.pc, i}); ok && (in.Op == ir.OpStore || in.Op == ir.OpAtomExch || in.Op == ir.OpAtomCAS) && in.Mem.Vec <= 1 {
		out.Value = number(in.Mem.Kind, v)
	}
	// Who holds a line back matters only if the line would end the wait.
	if out.Ends {
		for _, h := range writer.holders {
			out.Holders = append(out.Holders, x.holder(h.set, h.cause, &h.who))
		}
	}
	if len(writer.passed.lanes) > 0 {
		passed := writer.passed.plain()
		out.Executed = &passed
	}
	return out
}

// opName names an access as in the source.
func opName(in *ir.Inst) string {
	switch {
	case in.PTX:
		return in.PTXName()
	case in.Op == ir.OpLoad && in.Mem.Order == ir.Acquire:
		return "gpu.LoadAcquire"
	case in.Op == ir.OpLoad && in.Mem.Order != ir.Weak:
		return "gpu.Load"
	case in.Op == ir.OpLoad:
		return "a load"
	case in.Op.IsMBarrier():
		return in.Op.MBarrierName()
	case in.Op.Action() == ir.ActCopy:
		return in.Source()
	case in.Op != ir.OpStore:
		if name, of := strings.CutPrefix(ir.Ops[in.Op].Func, "Thread."); of {
			return "t." + name
		}
		return "gpu." + ir.Ops[in.Op].Func
	case in.Mem.Order == ir.Release:
		return "gpu.StoreRelease"
	case in.Mem.Order != ir.Weak:
		return "gpu.Store"
	}
	return "an assignment"
}

// shared notes that a word is in shared memory, and whether that is another block's.
func (x *explainer) shared(t *wait, addr uint64, word *device.Word) {
	if simt.SpaceOf(addr) == ir.Shared {
		word.Space, word.Remote = "shared", x.remote(t, addr)
	}
}

// word describes the words that a set waits for.
func (x *explainer) word(set *set) *device.Word {
	first := set.waits[0]
	in := &x.p.Code[first.read]
	word := &device.Word{Space: "global", Values: []string{}}
	var indices []int
	var old []string
	wants := []string{}
	for _, waiting := range set.waits {
		for _, held := range waiting.blocked {
			at := x.place(held.addr)
			word.Buffer, word.Scalar = at.name, at.whole
			x.shared(waiting, held.addr, word)
			kind := x.p.Code[held.pc].Mem.Kind
			indices = append(indices, at.index)
			word.Values, wants = distinct(word.Values, number(kind, x.fresh(waiting, held))), distinct(wants, number(kind, held.want))
		}
		if len(waiting.blocked) > 0 {
			continue
		}
		for m := waiting.lanes & waiting.g.Mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			at := x.place(waiting.addr[lane])
			word.Buffer, word.Scalar = at.name, at.whole
			x.shared(waiting, waiting.addr[lane], word)
			indices = append(indices, at.index)
			word.Values = distinct(word.Values, number(in.Mem.Kind, waiting.fresh[lane]))
			old = distinct(old, number(in.Mem.Kind, waiting.value[lane]))
		}
	}
	word.Indices = spansOf(indices)
	// What L1 still gives the loop differs from memory: both are shown, since the cure is another kind of load.
	if first.stale {
		word.Cached = old
	}
	if w := x.phaseOf(set); w != nil {
		word.Buffer = strings.TrimSuffix(word.Buffer, ".state")
		word.Until = fmt.Sprintf("the phase of parity %d of %s is complete", w.parity, wordName(word))
		if len(word.Values) == 1 {
			word.Values = []string{w.stateText()}
		}
		return word
	}
	// Without a simple condition the values say it with which the loop was seen to end.
	if first.text == "" {
		word.Ends = wants
		return word
	}
	var own []string
	for _, waiting := range set.waits {
		for _, v := range waiting.own {
			own = distinct(own, v)
		}
	}
	word.Until = strings.ReplaceAll(first.text, wordMark+fmt.Sprint(first.read)+wordMark, wordName(word))
	for pc, last := range first.round.last { // other words of the condition
		mark := wordMark + fmt.Sprint(pc) + wordMark
		if strings.Contains(word.Until, mark) {
			word.Until = strings.ReplaceAll(word.Until, mark, x.place(last.addr[bits.TrailingZeros32(last.lanes)&31]).String())
		}
	}
	switch {
	case len(own) == 1:
		word.Until = strings.ReplaceAll(word.Until, ownMark, own[0])
	case len(own) > 1:
		word.Until = strings.ReplaceAll(word.Until, ownMark, "its own value ("+listOf(own)+")")
	}
	return word
}

// distinct appends a text that is not in the list; it keeps one more than maxValues, which shows that there are more.
func distinct(list []string, v string) []string {
	if len(list) > maxValues || slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

const maxValues = 4
