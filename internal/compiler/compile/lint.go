package compile

import (
	"fmt"
	"slices"
	"sort"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Warning reports something that may be wrong with a kernel.
type Warning struct {
	At   Place
	Msg  string
	From []Place // the inlined calls, innermost first
}

// String returns "file:line:col: what" followed by the chain of inlining.
func (w Warning) String() string { return (&Error{w.At, w.Msg, w.From}).Error() }

// LintKernel looks for races in a kernel. One kind are plain loads of a buffer that the same kernel updates with atomics or
// ordered stores: such a load may be served from a stale cache line or hoisted out of a loop; if that matters, the kernel
// must use gpu.Load. The other kind are plain updates of one address by many threads. Warnings are sorted, one for each
// place. Of kernels read from PTX it says nothing: they are not written with the functions that warnings recommend.
func LintKernel(k *ir.Kernel) []Warning {
	if k.Source != nil {
		return nil
	}
	return tidyWarnings(suspicious(k.Func))
}

// suspicious returns all warnings of a function, of which places may have
// several.
func suspicious(f *ir.Func) []Warning { return append(racyLoads(f), lostUpdates(f)...) }

// tidyWarnings sorts warnings and keeps the first one of each place.
func tidyWarnings(found []Warning) []Warning {
	sort.SliceStable(found, func(i, j int) bool {
		a, b := found[i].At, found[j].At
		if a.File != b.File {
			return a.File < b.File
		}
		return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col
	})
	return slices.CompactFunc(found, func(a, b Warning) bool { return a.At == b.At })
}

// updateName returns the name of an update in the source.
func updateName(v *ir.Value) string {
	switch {
	case v.Op != ir.OpStore:
		return "gpu." + ir.Ops[v.Op].Func
	case v.Mem.Order == ir.Release:
		return "gpu.StoreRelease"
	}
	return "gpu.Store"
}

// racyLoads finds the plain loads of buffers that f also updates atomically.
func racyLoads(f *ir.Func) (found []Warning) {
	updates := map[int64]*ir.Value{} // by leaf: the first update
	each := func(visit func(v *ir.Value, leaf int64)) {
		for _, b := range f.Blocks {
			for _, v := range b.Ins {
				if !v.Op.Addressed() {
					continue
				}
				if leaf, ok := rootLeaf(v.Args[0]); ok {
					visit(v, leaf)
				}
			}
		}
	}
	each(func(v *ir.Value, leaf int64) {
		if (v.Op.IsAtomic() || v.Op == ir.OpStore && v.Mem.Order != ir.Weak) && updates[leaf] == nil {
			updates[leaf] = v
		}
	})
	each(func(v *ir.Value, leaf int64) {
		u := updates[leaf]
		if u == nil || v.Op != ir.OpLoad || v.Mem.Order != ir.Weak {
			return
		}
		at := f.Pos[u.Pos]
		chain := places(f, v.Pos)
		if len(chain) == 0 {
			return
		}
		found = append(found, Warning{
			At: chain[0],
			Msg: fmt.Sprintf("plain load of %s, which %s at %s:%d updates: other threads may do so at any time; use gpu.Load",
				f.Leaves[leaf].Name, updateName(u), at.File, at.Line),
			From: chain[1:],
		})
	})
	return found
}

// rootLeaf returns the parameter that an address derives from.
func rootLeaf(v *ir.Value) (leaf int64, ok bool) {
	leaf = -1
	seen := map[*ir.Value]bool{}
	var visit func(v *ir.Value) bool
	visit = func(v *ir.Value) bool {
		if seen[v] {
			return true
		}
		seen[v] = true
		switch v.Op {
		case ir.OpLea, ir.OpAdd:
			return visit(v.Args[0])
		case ir.OpPhi:
			for _, a := range v.Args {
				if !visit(a) {
					return false
				}
			}
			return true
		case ir.OpParam:
			if leaf >= 0 && leaf != v.Imm {
				return false
			}
			leaf = v.Imm
			return true
		}
		return false
	}
	ok = visit(v) && leaf >= 0
	return leaf, ok
}

// places returns a position and the calls that it was inlined from.
func places(f *ir.Func, p ir.Pos) (chain []Place) {
	for ; p != 0; p = f.Pos[p].Parent {
		chain = append(chain, Place{f.Pos[p].File, f.Pos[p].Line, f.Pos[p].Col})
	}
	return chain
}
