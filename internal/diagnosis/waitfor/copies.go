package waitfor

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// copies are the reads before a loop on which its conditions depend.
func (x *reader) copies(t *wait) (loads []int32, head int32) {
	inner := x.around([]int32{t.g.PC}, false)
	if inner == nil {
		return nil, -1
	}
	// Of each branch that can leave the loop: on which loads its guard depends, also those before the loop.
	for pc := range inner.in {
		in := &x.p.Code[pc]
		if !inner.in[pc] || in.Guard == ir.NoGuard || in.Op != ir.OpBra && in.Op != ir.OpExit {
			continue
		}
		stays := true
		for _, s := range x.succs(int32(pc)) {
			stays = stays && (s < 0 || inner.in[s])
		}
		if !stays {
			loads = x.loadsOf(use{int32(pc), guard}, maxDepth, loads)
		}
	}
	return loads, inner.head
}

// loadsOf appends the loads that an operand depends on, as far as each register has one definition.
func (x *reader) loadsOf(u use, depth int, list []int32) []int32 {
	def := x.definition(u)
	if def < 0 || depth == 0 {
		return list
	}
	in := &x.p.Code[def]
	if in.Op == ir.OpLoad {
		if in.Mem.Space == ir.Local || slices.Contains(list, def) {
			return list
		}
		return append(list, def)
	}
	for i := range int(in.NSrc) {
		list = x.loadsOf(use{def, i}, depth-1, list)
	}
	return list
}

// copyText says that a loop looks at a copy of a word that was read before it; "" if it does not.
func (x *reader) copyText(wait *wait) (text, word, value string, load, head int32) {
	loads, head := x.copies(wait)
	// With several loads it is not clear which one should have been in the loop.
	if len(loads) != 1 {
		return "", "", "", 0, 0
	}
	load = loads[0]
	in := &x.p.Code[load]
	lane := bits.TrailingZeros32(wait.g.Mask)
	addr, ok := x.address(load, thread{wait.w.Block.ID, wait.w.Index*simt.Lanes + lane})
	if !ok || in.Mem.Vec > 1 || in.Mem.Kind.Bytes() > 8 {
		return "", "", "", 0, 0
	}
	word = x.place(addr).String()
	data, off, _ := wait.w.Resolve(lane, addr)
	if data == nil {
		return "", "", "", 0, 0
	}
	now := number(in.Mem.Kind, simt.Load(data, off, in.Mem.Kind))
	value = number(in.Mem.Kind, wait.w.Regs[in.Dst[0]][lane])
	return fmt.Sprintf("its loop looks at a copy of %s, which it read at %s before the loop and which is %s; %s is %s in memory now", word, x.line(load), value, word, now), word, value, load, head
}

// copyOf is copyText of the first wait of a set.
func (x *reader) copyOf(s *set) string {
	text, _, _, _, _ := x.copyText(s.waits[0])
	return text
}
