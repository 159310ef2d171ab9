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
	for _, grid := range grids {
		// Physical addresses start anew, as if nothing had been allocated
		// before.
		if a.mems == nil {
			a.mems = NewMemories(make([]uint64, len(grid.Mem.gpus))...)
		}
		for i := range grid.Prog.Leaves {
			if within := grid.Prog.Leaves[i].Role; within == ir.Base || within == ir.Pointer {
				grid.Leaves[i], _ = a.alias(grid.Mem, grid.Leaves[i])
			}
		}
		for i, uniform := range grid.Prog.Uniforms {
			if uniform.Leaf >= 0 {
				spread(&grid.Uniforms[i], grid.Leaves[uniform.Leaf])
			}
		}
		for i := range grid.Roots {
			if within := &grid.Roots[i]; within.Space == ir.Global {
				within.Lo, within.Alloc = a.alias(grid.Mem, within.Lo)
			}
		}
	}
	for _, grid := range grids {
		grid.Mem = a.mems[grid.Mem.gpu]
	}
}

// alias returns the alias of an address in mem, with its allocation.
func (a *Aliases) alias(mem *Memory, addr uint64) (uint64, *Allocation) {
	id := addr >> addrBits
	// A nil slice or pointer has no allocation and needs no alias.
	if id == 0 {
		return addr, nil
	}
	twin := a.Of(mem.allocs[id])
	return twin.Base() | addr&offMask, twin
}

// Of returns the alias of a buffer; the buffer itself if Apply was not called yet.
func (a *Aliases) Of(real *Allocation) *Allocation {
	if a == nil || a.mems == nil {
		return real
	}
	twin := a.of[real]
	if twin == nil {
		// A shallow copy: both have the same bytes.
		copied := *real
		twin = &copied
		own := a.mems[real.GPU]
		twin.of, twin.ID, twin.Phys = real, len(own.allocs), own.place(uint64(twin.Bytes()))
		own.allocs = append(own.allocs, twin)
		a.of[real] = twin
	}
	return twin
}
