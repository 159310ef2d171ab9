package simt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// Aliases gives buffers the addresses and the physical placement that they
// would have if they had been allocated in the order in which launches name
// them, and no others had been.
type Aliases struct {
	mems []*Memory // by GPU
	of   map[*Allocation]*Allocation
}

// NewAliases returns Aliases without buffers.
func NewAliases() *Aliases {
	return &Aliases{of: map[*Allocation]*Allocation{}}
}

// Apply makes grids use the aliases. The grids then have a separate memory with
// the same bytes. Kernels cannot detect this, since they cannot store
// addresses; caches can.
func (a *Aliases) Apply(grids ...*Grid) {
	for _, g := range grids {
		if a.mems == nil {
			a.mems = NewMemories(make([]uint64, len(g.Mem.gpus))...)
		}
		for i := range g.Prog.Leaves {
			if r := g.Prog.Leaves[i].Role; r == ir.Base || r == ir.Pointer {
				g.Leaves[i], _ = a.alias(g.Mem, g.Leaves[i])
			}
		}
		for i, u := range g.Prog.Uniforms {
			if u.Leaf >= 0 {
				spread(&g.Uniforms[i], g.Leaves[u.Leaf])
			}
		}
		for i := range g.Roots {
			if r := &g.Roots[i]; r.Space == ir.Global {
				r.Lo, r.Alloc = a.alias(g.Mem, r.Lo)
			}
		}
	}
	for _, g := range grids {
		g.Mem = a.mems[g.Mem.gpu]
	}
}

// alias returns the alias of an address in mem, with its allocation.
func (a *Aliases) alias(mem *Memory, addr uint64) (uint64, *Allocation) {
	id := addr >> addrBits
	if id == 0 {
		return addr, nil
	}
	c := a.Of(mem.allocs[id])
	return c.Base() | addr&offMask, c
}

// Of returns the alias of a buffer; the buffer itself if Apply was not called yet.
func (a *Aliases) Of(real *Allocation) *Allocation {
	if a == nil || a.mems == nil {
		return real
	}
	c := a.of[real]
	if c == nil {
		copied := *real
		c = &copied
		own := a.mems[real.GPU]
		c.of, c.ID, c.Phys = real, len(own.allocs), own.place(uint64(c.Bytes()))
		own.allocs = append(own.allocs, c)
		a.of[real] = c
	}
	return c
}
