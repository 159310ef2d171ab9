package unionfind

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Tile is the kernel that sets the first values, as Init does, and hooks the edges within each
// tile, one block per tile. A tile is as many consecutive vertices as the dynamic shared memory
// of a block has words, which hold their parents meanwhile. Where neighbors have close numbers,
// as on road networks, few edges are left to Hook, and the trees are flat.
func Tile[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, outRow []uint32, in scheduler.Problem, f Forest, values []V) {
	tile[A, V](t, alg, g, outRow, in, f, values, owned{0, in.Vertices}, t.Block()*gpu.Len(gpu.DynamicShared[uint32](t)))
}

// tile is Tile for the tile that begins at base, of the vertices of a GPU. outRow and values are those of all vertices.
func tile[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, outRow []uint32, in scheduler.Problem, f Forest, values []V, own owned, base uint32) {
	local := Forest{gpu.DynamicShared[uint32](t)}
	size := min(gpu.Len(local.Parents), own.count-base)
	for i := t.Idx(); i < size; i += t.BlockDim() {
		id := own.first + base + i
		values[id] = alg.Init(scheduler.Vertex{ID: id, Degree: outRow[id+1] - outRow[id]}, in)
		local.Parents[i] = i
	}
	t.Sync()
	for i := t.Idx(); i < size; i += t.BlockDim() {
		local.hookDown(g, base, i)
	}
	t.Sync()
	for i := t.Idx(); i < size; i += t.BlockDim() {
		f.Parents[base+i] = base + local.root(i)
	}
}

// hookDown hooks the edges from vertex i of the tile to smaller vertices of the tile, which
// begins at base.
func (f Forest) hookDown(g scheduler.Graph, base, i uint32) {
	begin, end := g.Row[base+i], g.Row[base+i+1]
	if end-begin > ThreadDegree {
		begin = scheduler.FirstFrom(g.Col, begin, end, base)
	}
	above := i
	for e := begin; e < end; e++ {
		v := g.Col[e]
		if v >= base+i {
			return
		}
		if v >= base {
			above = f.Link(above, v-base)
		}
	}
}

// Across is the edges between tiles, each from its larger end, after Tile.
type Across struct {
	Vertices uint32 // of a tile
}

// Skips returns false.
func (Across) Skips(f Forest, u uint32) bool { return false }

// First returns 0.
func (Across) First() uint32 { return 0 }

// Ends reports whether v is in the tile of u, or larger.
func (a Across) Ends(u, v uint32) bool { return v >= u-u%a.Vertices }

// Above returns v.
func (Across) Above(f Forest, v uint32) uint32 { return v }

// Counts returns false.
func (Across) Counts() bool { return false }

// Tiled returns true.
func (Across) Tiled() bool { return true }
