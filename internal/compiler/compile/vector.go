package compile

import "github.com/weft-gpu/weft/internal/compiler/ir"

// A struct or array of 8 or 16 bytes that is loaded or stored as a whole takes
// a single access of two or four elements if its parts have the same size and
// its address is known to be aligned to its size. gpu.Load2 and similar
// functions do the same for elements of a slice.

// vector returns how many elements an access to a value of layout l at address
// a has, and their kind. n is 0 if each part needs its own access.
func (lo *lowerer) vector(a *ir.Value, l *layout) (n int, k ir.Kind) {
	n = len(l.leaves)
	if n != 2 && n != 4 {
		return 0, k
	}
	k = l.leaves[0].m
	size := int64(k.Bytes())
	for i, t := range l.leaves {
		switch {
		case t.k == ir.Void || t.m == ir.Pred || t.m.Bits() < 32 || int64(t.m.Bytes()) != size || t.off != int64(i)*size:
			return 0, k
		case t.m != k:
			k = bitsKind(k)
		}
	}
	if _, known := lo.constElement(a, l.leaves[0]); known {
		return 0, k // part of a table: constants in the code
	}
	if total := int64(n) * size; total > 16 || !lo.aligned(a, 0, total, false) {
		return 0, k
	}
	return n, k
}

// aligned reports whether the address off bytes after a is a multiple of n,
// given that the buffer or variable starts at such a multiple. If bind is set,
// it requires this alignment: a launch then rejects a buffer without it.
func (lo *lowerer) aligned(a *ir.Value, off, n int64, bind bool) bool {
	for {
		a = lo.res(a)
		switch a.Op {
		case ir.OpAdd:
			if a.Args[1].Op != ir.OpConst {
				return false
			}
			off += a.Args[1].Imm
			a = a.Args[0]
		case ir.OpLea:
			if a.Imm%n != 0 {
				return false
			}
			a = a.Args[0]
		case ir.OpParam:
			l := &lo.f.Leaves[a.Imm]
			if !l.Addr() || off%n != 0 || int64(l.Size)%n != 0 {
				return false
			}
			if bind {
				l.Align = max(l.Align, int(n))
			}
			return true
		case ir.OpShared:
			if off%n != 0 {
				return false
			}
			if v := &lo.f.Shared[a.Imm]; bind {
				v.Align = max(v.Align, int(n))
			}
			return true
		default:
			return false
		}
	}
}

// loadVector loads a value of n elements of kind k.
func (lo *lowerer) loadVector(a *ir.Value, l *layout, n int, k ir.Kind) []leaf {
	v := lo.emit(ir.OpLoad, k.Register(), a)
	v.Mem = ir.Mem{Kind: k, Vec: uint8(n)}
	lo.vectors = append(lo.vectors, v)
	r := make([]leaf, n)
	for i, t := range l.leaves {
		e := lo.emit(ir.OpElem, k.Register(), v)
		e.Imm = int64(i)
		r[i] = lo.bitcast(e, t.k)
	}
	return r
}

// storeVector stores n elements of kind k.
func (lo *lowerer) storeVector(a *ir.Value, vals []*ir.Value, k ir.Kind) {
	args := []*ir.Value{a}
	for _, v := range vals {
		args = append(args, lo.bitcast(v, k.Register()))
	}
	v := lo.emit(ir.OpStore, ir.Void, args...)
	v.Mem = ir.Mem{Kind: k, Vec: uint8(len(vals))}
	lo.vectors = append(lo.vectors, v)
}

// bitcast returns the bits of v as kind k.
func (lo *lowerer) bitcast(v *ir.Value, k ir.Kind) *ir.Value {
	if v.K == k {
		return v
	}
	return lo.pure(ir.OpBitcast, k, v.K, v)
}

// narrowVectors makes loads of whole values load only the used part: all, half
// or one element. It then requires the alignment for what is accessed at once.
func (lo *lowerer) narrowVectors() {
	if len(lo.vectors) == 0 {
		return
	}
	live := lo.live()
	elems := map[*ir.Value][]*ir.Value{}
	for _, b := range lo.f.Blocks {
		for _, v := range b.Ins {
			if v.Op == ir.OpElem {
				elems[v.Args[0]] = append(elems[v.Args[0]], v)
			}
		}
	}
	gone := map[*ir.Value]bool{}
	for _, v := range lo.vectors {
		if v.Op == ir.OpLoad {
			lo.narrow(v, elems[v], live, gone)
		}
		if v.Mem.Vec > 1 {
			lo.aligned(v.Args[0], v.Imm, int64(v.Mem.Bytes()), true)
		}
	}
	for _, b := range lo.f.Blocks {
		ins := b.Ins[:0]
		for _, v := range b.Ins {
			if !gone[v] {
				ins = append(ins, v)
			}
		}
		b.Ins = ins
	}
}

// narrow makes a load fetch only the elements in live and adds unused ones to
// gone.
func (lo *lowerer) narrow(v *ir.Value, elems []*ir.Value, live, gone map[*ir.Value]bool) {
	elements := int64(v.Mem.Vec)
	first, last := elements, int64(-1)
	for _, e := range elems {
		if live[e] {
			first, last = min(first, e.Imm), max(last, e.Imm)
		}
	}
	switch {
	case last < 0: // no element is used
		elements, first = 1, 0
	case first == last:
		elements = 1
	case elements == 4 && first/2 == last/2:
		elements, first = 2, first&^1
	default:
		return
	}
	v.Mem.Vec = uint8(elements)
	v.Imm += first * int64(v.Mem.Kind.Bytes())
	for _, e := range elems {
		e.Imm -= first
		switch {
		case elements == 1:
			gone[e] = true
			lo.setForward(e, v)
		case e.Imm < 0 || e.Imm >= elements: // unused
			gone[e] = true
			lo.setForward(e, lo.constant(e.K, 0))
		}
	}
}

// live returns the values on which instructions with an effect and branches
// depend.
func (lo *lowerer) live() map[*ir.Value]bool {
	live := map[*ir.Value]bool{}
	var work []*ir.Value
	use := func(v *ir.Value) {
		if v = lo.res(v); !live[v] {
			live[v] = true
			work = append(work, v)
		}
	}
	for _, b := range lo.f.Blocks {
		if b.Cond != nil {
			use(b.Cond)
		}
		for _, v := range b.Ins {
			if v.Op.Effect() || v.Op.Memory() && v.Mem.Order != ir.Weak || ir.Ops[v.Op].Faults {
				use(v)
			}
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.Args {
			use(a)
		}
	}
	return live
}
