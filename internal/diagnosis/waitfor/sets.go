package waitfor

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
)

// maxSets is the largest number of sets for which waits for different words of an array are
// distinguished.
const maxSets = 64

// fold makes sets of equal waits. Waits for different words of an array are one set, unless they
// wait for each other: then each word has a set of its own, so that the ring can be shown.
func (x *explainer) fold() {
	x.group(false)
	x.connect()
	// All who would end the wait wait in the set themselves, for other words of the array: taken apart it may be a ring.
	inward := func(s *set) bool {
		return len(s.edges) > 0 && !slices.ContainsFunc(s.edges, func(e edge) bool { return !e.own }) && len(s.words()) > 1
	}
	if !slices.ContainsFunc(x.sets, inward) {
		return
	}
	coarse := x.sets
	// Philosophers are shown one by one; of a thousand the picture would show nothing.
	if x.group(true); len(x.sets) <= maxSets {
		if x.connect(); x.tells() {
			return
		}
	}
	// Back to the sets as they were: the waits know their set, too.
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
	for _, group := range x.sets {
		same, to := 0, map[*set]bool{}
		for _, other := range x.sets {
			if other != group && other.waits[0].pc == group.waits[0].pc {
				same++
			}
		}
		for _, edge := range group.edges {
			if edge.to != nil && edge.to != group && edge.to.waits[0].pc == group.waits[0].pc {
				to[edge.to] = true
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
	weight := func(group *set) int {
		best := 1000
		for i := range group.edges {
			if e := &group.edges[i]; e.to == nil {
				best = min(best, rank(e.cause, false))
			}
		}
		// After all causes of their own come rings, of which those over memory name what to change.
		if best == 1000 && x.cycle(group) != nil {
			best = 100
			if group.waits[0].kind == device.WaitMemory {
				best = 99
			}
		}
		return best
	}
	weights := map[*set]int{}
	for _, group := range x.sets {
		weights[group] = weight(group)
	}
	slices.SortStableFunc(x.sets, func(a, b *set) int {
		return cmp.Or(weights[a]-weights[b], b.threads()-a.threads())
	})
	for i, group := range x.sets {
		group.id = i
	}
}

func (x *explainer) rows(words bool) (rows []row) {
	// Waits are in the order of blocks: those of one block are next to each other.
	for from := 0; from < len(x.waits); {
		to := from
		for to < len(x.waits) && x.waits[to].w.Block.ID == x.waits[from].w.Block.ID {
			to++
		}
		index := map[string]int{}
		first := len(rows)
		for _, waiting := range x.waits[from:to] {
			key := x.key(waiting, words)
			i, ok := index[key]
			if !ok {
				i = len(rows)
				index[key] = i
				rows = append(rows, row{key: key})
			}
			rows[i].waits = append(rows[i].waits, waiting)
		}
		for i := first; i < len(rows); i++ {
			// Blocks are joined only if the same warps wait there in the same way: then the set is a product, and a sentence
			// can name it.
			rows[i].key += "|" + fmt.Sprint(spansOf(warpsOf(rows[i].waits)))
		}
		from = to
	}
	return rows
}

// row is the equal waits of one block. Sets are made of rows of equal warps, so that each set is
// a product of blocks, warps and lanes.
type row struct {
	key   string
	waits []*wait
}

// key is equal for waits that are shown as one.
func (x *explainer) key(wait *wait, words bool) string {
	var text strings.Builder
	lanes := fmt.Sprintf("%08x", wait.g.Mask)
	// The last warp of a block may have fewer lanes, and is like the others if all of its lanes wait.
	if wait.g.Mask == wait.w.Exists {
		lanes = "all"
	}
	fmt.Fprintf(&text, "%s%s|%d|%s|%d|%d|%d|%v|%v|%08x", wait.kind, wait.g.Held, wait.pc, lanes, wait.g.Barrier, wait.g.Arrived, wait.g.Expected, wait.g.Mixed, wait.stale, wait.g.Missing)
	if wait.read < 0 {
		return text.String()
	}
	fmt.Fprintf(&text, "|%q", wait.text)
	if len(wait.blocked) > 0 {
		for _, blocked := range wait.blocked {
			at := x.place(blocked.addr)
			fmt.Fprintf(&text, "|%s|%t", at.name, x.remote(wait, blocked.addr))
			if words {
				fmt.Fprintf(&text, "[%d]=%d", at.index, blocked.value)
			}
		}
		return text.String()
	}
	for m := wait.lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		at := x.place(wait.addr[lane])
		fmt.Fprintf(&text, "|%s|%t", at.name, x.remote(wait, wait.addr[lane]))
		if words {
			fmt.Fprintf(&text, "[%d]=%d", at.index, wait.value[lane])
		} else {
			break
		}
	}
	return text.String()
}

// words are the addresses on which a set waits, with the instruction that reads each.
func (s *set) words() map[uint64]int32 {
	out := map[uint64]int32{}
	for _, waiting := range s.waits {
		if len(waiting.blocked) > 0 {
			for _, b := range waiting.blocked {
				out[b.addr] = b.pc
			}
			continue
		}
		for _, pc := range waiting.reads {
			last := waiting.round.last[pc]
			for m := last.lanes; m != 0; m &= m - 1 {
				out[last.addr[bits.TrailingZeros32(m)]] = pc
			}
		}
	}
	return out
}

func anyOf(words map[uint64]int32) (addr uint64) {
	for a := range words {
		return a
	}
	return 0
}
