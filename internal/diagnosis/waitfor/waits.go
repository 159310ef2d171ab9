package waitfor

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

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

// explainer is the state of Explain.
type explainer struct {
	*Snapshot
	*static
	waits []*wait
	sets  []*set
	// byWarp are the waits of each warp.
	byWarp map[*Warp][]*wait

	branches []int32
	classes  map[thread]string  // the ways of threads, as text
	ways     map[string]choices // by that text
	reached  map[string][]bool
	resident map[int]bool // blocks with live warps
	past     *History     // nil if the launch could not be run again
	trials   int          // of changes
	// forgotten says why the past is nil, if threads wait for words.
	forgotten string
	stepped   int // by replays, and by those with other values in memory
	tried     int
	endings   map[endsKey]bool
	effort    int // for threads that have not started or have ended; see crowd
}

// collect finds what each group of lanes waits for.
func (x *explainer) collect() {
	for i := range x.Warps {
		w := &x.Warps[i]
		x.resident[w.Block.ID] = true
		for k := range w.Groups {
			t := x.waitOf(w, &w.Groups[k])
			x.waits = append(x.waits, t)
			x.byWarp[w] = append(x.byWarp[w], t)
		}
	}
}

func (x *explainer) waitOf(w *Warp, g *Group) *wait {
	t := &wait{w: w, g: g, kind: g.Kind, pc: g.PC, read: -1}
	if g.Kind != device.WaitTurn {
		return t
	}
	held := func() *wait {
		if g.Held != "" {
			t.kind, t.pc, t.read = device.WaitHeld, g.PC, -1
		}
		return t
	}
	p := newReplay(x.Snapshot, w, g, nil)
	r := p.round(x.steps())
	x.stepped += p.taken
	t.steps = p.taken
	if len(r.steps) == 0 {
		if g.Held == "" && !x.Decided {
			x.alone(t)
		}
		return held()
	}
	t.round, t.cond = r, conditionOf(x.flow, x.uniform, r)
	if t.changes = x.changes(r); x.Decided || len(t.changes) > 0 {
		t.kind = device.WaitLoop
		t.pc = slices.Min(r.steps)
	}
	t.read = t.cond.read()
	simple, _ := t.cond.text(g.Mask)
	if t.read < 0 || len(t.changes) > 0 || simple == "" && x.several(t) {
		list, complete := x.blocked(t)
		t.unsure = !complete
		if len(list) > 0 {
			t.block(x, list)
			return t
		}
	}
	if t.read < 0 || len(t.changes) > 0 {
		t.read = -1
		return held()
	}
	s := r.last[t.read]
	t.kind, t.pc = device.WaitMemory, t.read
	t.lanes, t.addr, t.value, t.fresh = s.lanes, *s.addr, *s.value, *s.value
	t.text, t.own = t.cond.text(g.Mask)
	for _, e := range t.cond.exits {
		for _, pc := range e.reads {
			if !slices.Contains(t.reads, pc) {
				t.reads = append(t.reads, pc)
			}
		}
	}
	in := &x.p.Code[t.read]
	for m := t.lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if x.cached(w.Block.SM, in, s.addr[lane]) == nil {
			continue
		}
		data, off, _ := w.Resolve(lane, s.addr[lane])
		t.fresh[lane] = simt.Load(data, off, in.Mem.Kind)
		if t.fresh[lane] != t.value[lane] {
			leaves, ok := t.cond.leaves(lane, t.read, t.fresh[lane])
			t.stale = t.stale || leaves || !ok
		}
	}
	return t
}

// changes returns the words that a round changes, as the first lane does.
func (x *explainer) changes(r *round) (list []device.Change) {
	for _, pc := range r.steps {
		if s := r.last[pc]; s.wrote && s.lanes != 0 {
			list = merge(list, device.Change{Word: x.place(s.addr[bits.TrailingZeros32(s.lanes)]).String(), Values: s.values})
		}
	}
	return list
}

// merge adds a word, or values of a word, to a list of at most maxValues words.
func merge(list []device.Change, c device.Change) []device.Change {
	i := slices.IndexFunc(list, func(o device.Change) bool { return o.Word == c.Word })
	if i < 0 {
		if len(list) < maxValues {
			list = append(list, device.Change{Word: c.Word, Values: slices.Clone(c.Values)})
		}
		return list
	}
	for _, v := range c.Values {
		list[i].Values = distinct(list[i].Values, v)
	}
	return list
}

// lines returns the lines of a round in the file in which it begins.
func (x *explainer) lines(r *round, file string) *device.Span {
	out := &device.Span{First: math.MaxInt}
	for _, pc := range r.steps {
		if at := x.g.At(&x.p.Code[pc]); len(at) > 0 && at[0].File == file && at[0].Line > 0 {
			out.First, out.Last = min(out.First, at[0].Line), max(out.Last, at[0].Line)
		}
	}
	if out.Last == 0 {
		return nil
	}
	return out
}

// maxSets is the largest number of sets for which waits for different words of an array are
// distinguished.
const maxSets = 64

// fold makes sets of equal waits. Waits for different words of an array are one set, unless they
// wait for each other: then each word has a set of its own, so that the ring can be shown.
func (x *explainer) fold() {
	x.group(false)
	x.connect()
	inward := func(s *set) bool {
		return len(s.edges) > 0 && !slices.ContainsFunc(s.edges, func(e edge) bool { return !e.own }) && len(s.words()) > 1
	}
	if !slices.ContainsFunc(x.sets, inward) {
		return
	}
	coarse := x.sets
	if x.group(true); len(x.sets) <= maxSets {
		if x.connect(); x.tells() {
			return
		}
	}
	x.sets = coarse
	for _, s := range coarse {
		for _, t := range s.waits {
			t.set = s
		}
	}
}

// tells reports whether it is known which sets wait for which. It is not if each could be ended by
// all others that wait at the same place: the addresses of the stores are then unknown.
func (x *explainer) tells() bool {
	for _, s := range x.sets {
		same, to := 0, map[*set]bool{}
		for _, other := range x.sets {
			if other != s && other.waits[0].pc == s.waits[0].pc {
				same++
			}
		}
		for _, e := range s.edges {
			if e.to != nil && e.to != s && e.to.waits[0].pc == s.waits[0].pc {
				to[e.to] = true
			}
		}
		if same > 1 && len(to) == same {
			return false
		}
	}
	return true
}

// group makes sets of equal waits; words says whether the indices of words and their values count.
func (x *explainer) group(words bool) {
	sets := map[string]*set{}
	x.sets = nil
	for _, blocks := range x.rows(words) {
		s := sets[blocks.key]
		if s == nil {
			s = &set{id: len(x.sets)}
			sets[blocks.key] = s
			x.sets = append(x.sets, s)
		}
		s.waits = append(s.waits, blocks.waits...)
	}
	for _, s := range x.sets {
		for _, t := range s.waits {
			t.set = s
		}
	}
}

// order numbers the sets: first those whose wait has a reason of its own, then those that wait for
// each other, then the others, and among equals those with more threads.
func (x *explainer) order() {
	weight := func(s *set) int {
		best := 1000
		for i := range s.edges {
			if e := &s.edges[i]; e.to == nil {
				best = min(best, rank(e.cause, false))
			}
		}
		if best == 1000 && x.cycle(s) != nil {
			best = 100
			if s.waits[0].kind == device.WaitMemory {
				best = 99
			}
		}
		return best
	}
	weights := map[*set]int{}
	for _, s := range x.sets {
		weights[s] = weight(s)
	}
	slices.SortStableFunc(x.sets, func(a, b *set) int {
		return cmp.Or(weights[a]-weights[b], b.threads()-a.threads())
	})
	for i, s := range x.sets {
		s.id = i
	}
}

// row is the equal waits of one block. Sets are made of rows of equal warps, so that each set is
// a product of blocks, warps and lanes.
type row struct {
	key   string
	waits []*wait
}

func (x *explainer) rows(words bool) (rows []row) {
	for from := 0; from < len(x.waits); {
		to := from
		for to < len(x.waits) && x.waits[to].w.Block.ID == x.waits[from].w.Block.ID {
			to++
		}
		index := map[string]int{}
		first := len(rows)
		for _, t := range x.waits[from:to] {
			key := x.key(t, words)
			i, ok := index[key]
			if !ok {
				i = len(rows)
				index[key] = i
				rows = append(rows, row{key: key})
			}
			rows[i].waits = append(rows[i].waits, t)
		}
		for i := first; i < len(rows); i++ {
			rows[i].key += "|" + fmt.Sprint(spansOf(warpsOf(rows[i].waits)))
		}
		from = to
	}
	return rows
}

// key is equal for waits that are shown as one.
func (x *explainer) key(t *wait, words bool) string {
	var s strings.Builder
	lanes := fmt.Sprintf("%08x", t.g.Mask)
	if t.g.Mask == t.w.Exists {
		lanes = "all"
	}
	fmt.Fprintf(&s, "%s%s|%d|%s|%d|%d|%d|%v|%v|%08x", t.kind, t.g.Held, t.pc, lanes, t.g.Barrier, t.g.Arrived, t.g.Expected, t.g.Mixed, t.stale, t.g.Missing)
	if t.read < 0 {
		return s.String()
	}
	fmt.Fprintf(&s, "|%q", t.text)
	if len(t.blocked) > 0 {
		for _, b := range t.blocked {
			at := x.place(b.addr)
			fmt.Fprintf(&s, "|%s", at.name)
			if words {
				fmt.Fprintf(&s, "[%d]=%d", at.index, b.value)
			}
		}
		return s.String()
	}
	for m := t.lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		at := x.place(t.addr[lane])
		fmt.Fprintf(&s, "|%s", at.name)
		if words {
			fmt.Fprintf(&s, "[%d]=%d", at.index, t.value[lane])
		} else {
			break
		}
	}
	return s.String()
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
func (x *explainer) place(addr uint64) place {
	switch simt.SpaceOf(addr) {
	case ir.Shared:
		off := int(addr &^ ir.SharedWindow)
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

func (p place) String() string {
	if p.whole {
		return p.name
	}
	return fmt.Sprintf("%s[%d]", p.name, p.index)
}
