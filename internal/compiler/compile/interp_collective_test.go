package compile

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

func (m *interp) barrier(ts []*ithread) {
	n, all, any := uint64(0), uint64(1), uint64(0)
	var op *ir.Value
	for _, t := range ts {
		if t.done {
			continue
		}
		op = t.ins()
		if len(op.Args) > 0 {
			p := t.get(op.Args[0])
			n, all, any = n+p, all&p, any|p
		}
	}
	for _, t := range ts {
		if t.done {
			continue
		}
		if t.ins() != op {
			panic("threads wait at different barriers")
		}
		t.finish(map[ir.Op]uint64{ir.OpBarCount: n, ir.OpBarAnd: all, ir.OpBarOr: any}[op.Op])
	}
}

func (t *ithread) finish(x uint64) {
	t.val[t.ins().ID] = x
	t.waiting = false
	t.ip++
}

// collective executes a warp operation for the lanes that wait at v.
func (m *interp) collective(warp []*ithread, v *ir.Value) {
	var mask uint32
	for i, t := range warp {
		if t.waiting && t.ins() == v {
			mask |= 1 << i
		}
	}
	type result struct{ x uint64 }
	res := map[int]result{}
	for i := range warp {
		if mask>>i&1 == 0 {
			continue
		}
		arg := func(lane, n int) uint64 { return warp[lane].get(v.Args[n]) }
		want := mask
		if len(v.Args) > 0 {
			want = uint32(arg(i, 0))
		}
		var x uint64
		switch v.Op {
		case ir.OpBallot, ir.OpVoteAny, ir.OpVoteAll, ir.OpMatch:
			for j := range warp {
				if want&mask>>j&1 == 0 {
					continue
				}
				if v.Op == ir.OpMatch && arg(j, 1) == arg(i, 1) || v.Op != ir.OpMatch && arg(j, 1) != 0 {
					x |= 1 << j
				}
			}
			if v.Op == ir.OpVoteAny {
				x = uint64(min(bits.OnesCount64(x), 1))
			} else if v.Op == ir.OpVoteAll {
				all := x == uint64(want&mask)
				x = 0
				if all {
					x = 1
				}
			}
		case ir.OpActiveMask:
			x = uint64(mask)
		case ir.OpShfl, ir.OpShflUp, ir.OpShflDown, ir.OpShflXor:
			d := int(arg(i, 2))
			src := map[ir.Op]int{ir.OpShfl: d & 31, ir.OpShflUp: i - d, ir.OpShflDown: i + d, ir.OpShflXor: i ^ d}[v.Op]
			if src < 0 || src > 31 || want&mask>>src&1 == 0 {
				src = i
			}
			x = arg(src, 1)
		}
		res[i] = result{x}
	}
	for i, r := range res {
		warp[i].finish(r.x)
	}
}

// namedBarrier counts the arrival of a warp whose lanes all wait at v.
func (m *interp) namedBarrier(ts, warp []*ithread, v *ir.Value) {
	first := warp[0]
	id, threads := first.get(v.Args[1]), first.get(v.Args[2])
	for _, t := range warp {
		if !t.waiting || t.ins() != v || t.get(v.Args[1]) != id || t.get(v.Args[2]) != threads {
			panic("a warp comes to a named barrier in parts")
		}
		if t.parked = v.Op == ir.OpBarSync; !t.parked {
			t.finish(0)
		}
	}
	if m.named[id] += 32; m.named[id] < threads {
		return
	}
	m.named[id] = 0
	for _, t := range ts {
		if t.parked && t.get(t.ins().Args[1]) == id {
			t.parked = false
			t.finish(0)
		}
	}
}
