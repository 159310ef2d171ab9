package simt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// Kept is a copy of the buffers that launches may change, as they were before. With it, a launch can be run again from
// the memory that it began with. The zero Kept keeps nothing.
type Kept struct {
	buffers []keptBuffer
	ok      bool
	only    map[*ir.Program][]bool // of programs seen: the buffers that they only read; nil if they wait for nobody
}

type keptBuffer struct {
	of   *Allocation
	data []byte
}

// Keep copies the buffers that grids may change, if these have at most so many bytes and are all known. It reuses the
// memory of the copies before.
func (k *Kept) Keep(most int, grids ...*Grid) {
	old := k.buffers
	k.buffers, k.ok = k.buffers[:0], false
	for _, grid := range grids {
		only, known := k.only[grid.Prog]
		if !known {
			if k.only == nil {
				k.only = map[*ir.Program][]bool{}
			}
			if grid.Prog.Polls() {
				only = grid.Prog.ReadOnly()
			}
			k.only[grid.Prog] = only
		}
		// A program that waits for nobody cannot hang, so nobody will ask for
		// its memory.
		if only == nil {
			continue
		}
		for i := range grid.Roots {
			buffer := grid.Roots[i].Alloc
			if grid.Roots[i].Space != ir.Global || buffer == nil || only[i] || k.has(buffer) {
				continue
			}
			// Not even a part is of use then: ok stays false.
			if most -= len(buffer.Data); most < 0 {
				return
			}
			at := len(k.buffers)
			var data []byte
			if at < len(old) {
				data = old[at].data
			}
			k.buffers = append(k.buffers, keptBuffer{buffer, append(data[:0], buffer.Data...)})
		}
	}
	k.ok = true
}

func (k *Kept) has(a *Allocation) bool {
	for i := range k.buffers {
		if k.buffers[i].of == a {
			return true
		}
	}
	return false
}

// Restore gives the buffers the content that was kept; undo gives them the content that they had when it was called. ok
// is false if nothing was kept.
func (k *Kept) Restore() (undo func(), ok bool) {
	if !k.ok {
		return nil, false
	}
	now := make([][]byte, len(k.buffers))
	for i, buffer := range k.buffers {
		now[i] = append(now[i], buffer.of.Data...)
		copy(buffer.of.Data, buffer.data)
	}
	return func() {
		for i, buffer := range k.buffers {
			copy(buffer.of.Data, now[i])
		}
	}, true
}
