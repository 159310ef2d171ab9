package opt

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// widen replaces loads of neighbouring words of shared memory by one load of two or four, as ptxas does: of a matrix product by tiles whose
// inner loop is unrolled, an H200 executes eight loads of four words where the source has 32 (results/hw/h200, micro-counters.json). A load
// of several words has to be aligned by their size, which must be known of the address. Loads of different source lines stay apart,
// so that what is said of an access names its line.
func widen(c *context) {
	if len(c.f.Shared) == 0 {
		return
	}
	w := &widener{context: c, roots: findRoots(c.f), open: map[wordKey]*ir.Value{}}
	w.vars, _ = layoutVars(c.f.Shared)
	w.low = findLowBits(c.f, w.vars)
	for _, block := range c.f.Blocks {
		w.block(block)
	}
	c.resolve()
}

// widest is the number of bytes that a thread loads at once at most.
const widest = 16

// widener is the state of widen.
type widener struct {
	*context
	roots *roots
	vars  []ir.Var              // those in shared memory, with their offsets
	low   []lowBits             // by value
	open  map[wordKey]*ir.Value // the loads of a block behind which nothing may have written
}

// wordKey identifies a word in shared memory and the line that loads it.
type wordKey struct {
	address int // a value
	imm     int64
	kind    ir.Kind
	mem     ir.Mem
	file    string
	line    int
}

func (w *widener) key(load *ir.Value) wordKey {
	var at ir.PosInfo
	if int(load.Pos) < len(w.f.Pos) {
		at = w.f.Pos[load.Pos]
	}
	return wordKey{load.Args[0].ID, load.Imm, load.K, load.Mem, at.File, at.Line}
}

// block finds the loads of the block that go together and replaces them.
func (w *widener) block(block *ir.Block) {
	groups := map[*ir.Value][]*ir.Value{} // by the load that comes first
	var region []*ir.Value
	flush := func() {
		w.group(region, groups)
		region = region[:0]
	}
	for _, value := range block.Ins {
		switch {
		case w.candidate(value):
			region = append(region, value)
		case value.Op == ir.OpLoad && value.Mem.Order == ir.Weak:
		case value.Op == ir.OpStore && value.Mem.Order == ir.Weak && (value.Mem.Space == ir.Global || value.Mem.Space == ir.Local):
		case clobbers(value) || ir.Ops[value.Op].Fixed:
			flush()
		}
	}
	flush()
	if len(groups) == 0 {
		return
	}
	var out []*ir.Value
	for _, value := range block.Ins {
		group := groups[value]
		if group == nil {
			out = append(out, value) // those that were replaced are dropped by resolve
			continue
		}
		low := group[0]
		wide := w.value(block, ir.OpLoad, low.K, value.Pos, low.Args[0])
		wide.Mem, wide.Imm = low.Mem, low.Imm
		wide.Mem.Vec = uint8(len(group))
		out = append(out, wide)
		for i, part := range group {
			element := w.value(block, ir.OpElem, part.K, part.Pos, wide)
			element.Imm = int64(i)
			out = append(out, element)
			w.replace(part, element)
		}
		out = append(out, value)
	}
	block.Ins = out
}

// candidate reports whether the value loads a word of a variable in shared memory and is known to be aligned, or not, for a load of two.
func (w *widener) candidate(value *ir.Value) bool {
	if value.Op != ir.OpLoad || value.Mem.Order != ir.Weak || value.Mem.Space != ir.Shared || value.Mem.Vec != 1 || value.Guard != nil {
		return false
	}
	if size := value.Mem.Kind.Bytes(); size < 4 || w.modulus(value) < 2*size {
		return false
	}
	root := w.roots.of[value.Args[0].ID].root
	return root >= 0 && w.roots.list[root].Space == ir.Shared
}

// modulus returns the power of two, at most widest, modulo which the address of the load is known.
func (w *widener) modulus(load *ir.Value) int {
	return min(widest, 1<<min(w.low[load.Args[0].ID].known, 30))
}

// group finds the loads of a region that go together, and adds each set in the order of its words to groups, at the load of it that comes first.
func (w *widener) group(region []*ir.Value, groups map[*ir.Value][]*ir.Value) {
	if len(region) < 2 {
		return
	}
	clear(w.open)
	for _, load := range region {
		w.open[w.key(load)] = load
	}
	for _, first := range region {
		size, at := int64(first.Mem.Kind.Bytes()), int64(w.low[first.Args[0].ID].bits)+first.Imm
		for n := int64(w.modulus(first)) / size; n >= 2; n /= 2 {
			key := w.key(first)
			key.imm -= at & (n*size - 1) // to the multiple of the width below; this holds for negative offsets as well
			var set []*ir.Value
			for range n {
				if load := w.open[key]; load != nil {
					set = append(set, load)
				}
				key.imm += size
			}
			if int64(len(set)) < n {
				continue
			}
			for _, load := range set {
				delete(w.open, w.key(load))
			}
			groups[first] = set
			break
		}
	}
}
