package simt

import "github.com/weft-gpu/weft/internal/ir"

// Alias gives the buffers of the grids' arguments addresses and a physical placement as
// if they had been allocated in the order of the arguments and nothing else had. The
// grids then have a memory of their own, with the same bytes. Kernels cannot tell,
// since they cannot store addresses; caches can.
func Alias(grids ...*Grid) {
	mem := NewMemory(0)
	byID := map[uint64]*Allocation{}
	alias := func(addr uint64) (uint64, *Allocation) {
		id := addr >> addrBits
		if id == 0 {
			return addr, nil
		}
		a := byID[id]
		if a == nil {
			c := *grids[0].Mem.allocs[id]
			a = &c
			a.of, a.ID, a.Phys = grids[0].Mem.allocs[id], len(mem.allocs), mem.place(uint64(c.Bytes()))
			mem.allocs = append(mem.allocs, a)
			byID[id] = a
		}
		return a.Base() | addr&offMask, a
	}
	for _, g := range grids {
		for i := range g.Prog.Leaves {
			if r := g.Prog.Leaves[i].Role; r == ir.Base || r == ir.Pointer {
				g.Leaves[i], _ = alias(g.Leaves[i])
			}
		}
		for i, u := range g.Prog.Uniforms {
			if u.Leaf >= 0 {
				spread(&g.Uniforms[i], g.Leaves[u.Leaf])
			}
		}
		for i := range g.Roots {
			if r := &g.Roots[i]; r.Space == ir.Global {
				r.Lo, r.Alloc = alias(r.Lo)
			}
		}
	}
	for _, g := range grids {
		g.Mem = mem
	}
}
