package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// pointee describes what an address may point into.
type pointee struct {
	root   int32 // index into roots.list, noRoot or manyRoots
	spaces uint8 // bit set of ir.Space; bit Generic: any space
}

const (
	noRoot    int32 = -1 // not (yet) known to be an address
	manyRoots int32 = -2 // several roots, or loaded from memory
)

// roots maps addresses to the parameters or variables from which they derive.
type roots struct {
	list []ir.Root
	of   []pointee // by value
	// unknown is what a number is that is no address as far as can be seen. In Go it is none. In PTX it may be one, which matters where it meets another
	// address: in a variable that is one or the other.
	unknown pointee
}

// findRoots computes the least fixed point over all 64-bit values. Go has no
// pointer arithmetic, so in a sum the operand with a root is the address and
// the other is an offset.
func findRoots(fn *ir.Func) *roots {
	r := &roots{of: make([]pointee, fn.NumValues()), unknown: pointee{root: noRoot}}
	if fn.PTX {
		r.unknown = pointee{manyRoots, 1 << ir.Generic}
	}
	for i := range r.of {
		// From nothing known upwards: in a loop that only adds to an address,
		// the phi keeps the root of its start.
		r.of[i].root = noRoot
	}
	leaf, shared, local := index(len(fn.Leaves)), index(len(fn.Shared)), index(len(fn.Local))
	intern := func(at *int32, root ir.Root) pointee {
		if *at < 0 {
			*at = int32(len(r.list))
			r.list = append(r.list, root)
		}
		return pointee{*at, 1 << root.Space}
	}
	floating := func(value *ir.Value) {
		switch value.Op {
		case ir.OpParam:
			if role := fn.Leaves[value.Imm].Role; role == ir.Base || role == ir.Pointer {
				r.of[value.ID] = intern(&leaf[value.Imm], ir.Root{Space: ir.Global, Leaf: int(value.Imm), Var: -1})
			} else if value.K.Bits() == 64 {
				r.of[value.ID] = r.unknown
			}
		case ir.OpShared:
			r.of[value.ID] = intern(&shared[value.Imm], ir.Root{Space: ir.Shared, Leaf: -1, Var: int(value.Imm)})
		case ir.OpLocal:
			r.of[value.ID] = intern(&local[value.Imm], ir.Root{Space: ir.Local, Leaf: -1, Var: int(value.Imm)})
		}
	}
	for _, b := range fn.Blocks {
		for _, list := range [][]*ir.Value{b.Phis, b.Ins} {
			for _, v := range list {
				floating(v)
				for _, arg := range v.Args {
					// In optimised kernels constants and addresses of variables
					// stand in no block and are met only as operands.
					if arg.Block == nil {
						floating(arg)
					}
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range fn.Blocks {
			for _, list := range [][]*ir.Value{b.Phis, b.Ins} {
				for _, value := range list {
					// Addresses have 64 bits.
					if value.K.Bits() != 64 || value.K.Float() || value.Op.Floating() {
						continue
					}
					if to := r.transfer(value); to != r.of[value.ID] {
						r.of[value.ID], changed = to, true
					}
				}
			}
		}
	}
	return r
}

func index(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

func (r *roots) transfer(value *ir.Value) pointee {
	switch value.Op {
	case ir.OpLea, ir.OpSub, ir.OpBitcast, ir.OpCvt:
		return r.of[value.Args[0].ID]
	case ir.OpAdd:
		x, y := r.of[value.Args[0].ID], r.of[value.Args[1].ID]
		switch {
		case x.root >= 0 && y.root < 0:
			return x
		case y.root >= 0 && x.root < 0:
			return y
		}
		return merge(x, y)
	// The product is an offset, the addend the address.
	case ir.OpMad:
		return r.of[value.Args[2].ID]
	case ir.OpPhi:
		to := pointee{root: noRoot}
		for _, arg := range value.Args {
			to = merge(to, r.of[arg.ID])
		}
		return to
	case ir.OpSelect:
		return merge(r.of[value.Args[1].ID], r.of[value.Args[2].ID])
	// A pointer that comes from memory or another lane may point anywhere.
	case ir.OpLoad, ir.OpElem, ir.OpShfl, ir.OpShflUp, ir.OpShflDown, ir.OpShflXor, ir.OpAtomExch, ir.OpAtomCAS:
		return pointee{manyRoots, 1 << ir.Generic}
	// The same variable of another block, which other threads write: it is none of this block's.
	case ir.OpMapShared:
		return pointee{manyRoots, 1 << ir.Generic}
	}
	return r.unknown
}

func merge(x, y pointee) pointee {
	switch {
	case x.root == noRoot:
		return y
	case y.root == noRoot:
		return x
	case x.root != y.root:
		x.root = manyRoots
	}
	// Several roots of one space still let the access name the space, which
	// saves the generic look-up.
	x.spaces |= y.spaces
	return x
}

// space returns the only space that p can point into, or Generic.
func (p pointee) space() ir.Space {
	switch p.spaces {
	case 1 << ir.Global:
		return ir.Global
	case 1 << ir.Shared:
		return ir.Shared
	case 1 << ir.Local:
		return ir.Local
	}
	return ir.Generic
}
