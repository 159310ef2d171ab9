package simt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// Block is a block that is resident on an SM.
type Block struct {
	Grid   *Grid
	ID     int    // index in the grid
	SM     int    // SM that it runs on
	Shared []byte // its shared memory, poisoned by Start
	Warps  []*Warp
	// NewRows, if not nil, allocates the registers of a block.
	NewRows func(n int) []Row
	// Scratch holds the result of a partly active instruction before it is merged. Blocks that one goroutine executes may
	// share it; Start allocates one if it is nil.
	Scratch *Row
	rows    []Row // of all warps
	// Cluster is that of the block; nil if it is alone in it. The executor sets it before the block runs.
	Cluster *Cluster
	Rank    int // in the cluster
}

// SharedPoison is the byte that fills the shared memory of a starting block.
const SharedPoison = 0xA5

// RegisterPoison fills registers and predicates if Grid.Poison is set. Like all
// 32-bit values it is zero-extended. As an index it is out of range; as a float
// it is NaN.
const RegisterPoison = 0x7FE5A5A5

var poisonRow = func() (r Row) {
	for i := range r {
		r[i] = RegisterPoison
	}
	return r
}()

// Start prepares b to run block id of the grid on SM sm, with its warps at the
// first instruction. It reuses b's memory.
func (b *Block) Start(grid *Grid, id, sm int) {
	b.Grid, b.ID, b.SM = grid, id, sm
	if b.Scratch == nil {
		b.Scratch = new(Row)
	}
	if bytes := grid.SharedBytes; cap(b.Shared) < bytes {
		b.Shared = alignedBytes(bytes)
	} else {
		b.Shared = b.Shared[:bytes]
	}
	for i := range b.Shared {
		// Shared memory is not initialised on a GPU; what the block before left
		// there must not help.
		b.Shared[i] = SharedPoison
	}
	for len(b.Warps) < grid.Warps {
		// A larger block ran here before: its warps are still behind the end of
		// the slice.
		if len(b.Warps) < cap(b.Warps) && b.Warps[:len(b.Warps)+1][len(b.Warps)] != nil {
			b.Warps = b.Warps[:len(b.Warps)+1]
			continue
		}
		b.Warps = append(b.Warps, new(Warp))
	}
	b.Warps = b.Warps[:grid.Warps]
	if rows := grid.Warps * grid.Prog.NumRegs; cap(b.rows) < rows {
		if b.NewRows != nil {
			b.rows = b.NewRows(rows)
		} else {
			b.rows = make([]Row, rows)
		}
	}
	for i, warp := range b.Warps {
		warp.start(b, i)
	}
}

// Path is an entry of the reconvergence stack: lanes that will continue at PC.
type Path struct {
	PC    int32
	Recon int32 // where these lanes reconverge with those below in the stack; -1: at the exit
	Mask  uint32
}

// Warp is the architectural state of a warp: registers, predicates, and the
// positions of its lanes. It is reused from block to block without allocation.
type Warp struct {
	// Path is what currently executes: PC, active lanes, and where they
	// reconverge with the lanes on top of Stack. Mask contains no exited lane.
	Path
	Exists uint32 // lanes for which the block has threads
	Exited uint32
	Regs   []Row
	Preds  []uint32 // every instruction needs the fields up to here: they fill a cache line
	Grid   *Grid
	Parts  []Part // lanes on paths of their own; see Part
	Stack  []Path
	Block  *Block
	Index  int    // index in the block
	Local  []byte // Lanes arrays of Program.LocalBytes, one after the other
	_      [24]byte
}

func (w *Warp) start(block *Block, index int) {
	grid := block.Grid
	w.Grid, w.Block, w.Index = grid, block, index
	rows := grid.Prog.NumRegs
	w.Regs = block.rows[index*rows : (index+1)*rows : (index+1)*rows]
	w.Preds = resize(w.Preds, grid.Prog.NumPreds)
	if grid.Poison {
		for i := range w.Regs {
			w.Regs[i] = poisonRow
		}
		for i := range w.Preds {
			w.Preds[i] = RegisterPoison
		}
	} else {
		clear(w.Regs)
		clear(w.Preds)
	}
	w.Local = resize(w.Local, Lanes*grid.Prog.LocalBytes)
	for i := range w.Local {
		w.Local[i] = SharedPoison
	}
	w.Exists = Full
	if threads := grid.Threads - index*Lanes; threads < Lanes {
		w.Exists = 1<<threads - 1
	}
	w.Exited = 0
	w.Stack, w.Parts = w.Stack[:0], w.Parts[:0]
	w.Path = Path{PC: 0, Recon: -1, Mask: w.Exists}
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Live returns the mask of the lanes that exist and have not exited.
func (w *Warp) Live() uint32 { return w.Exists &^ w.Exited }

// Done reports whether every lane has exited.
func (w *Warp) Done() bool { return w.Exited == w.Exists }

// Row returns the row of a non-predicate operand.
func (w *Warp) Row(o ir.Operand) *Row {
	if o >= 0 {
		return &w.Regs[o]
	}
	return &w.Grid.Uniforms[^o]
}

// Pred returns the mask of a predicate operand, over all lanes.
func (w *Warp) Pred(o ir.Operand) uint32 {
	if o >= 0 {
		return w.Preds[o]
	}
	if o == ir.PredTrue {
		return Full
	}
	return 0
}

// SetPred sets predicate p to v in the lanes of mask.
func (w *Warp) SetPred(p int32, v, mask uint32) {
	w.Preds[p] = w.Preds[p]&^mask | v&mask
}

// Guarded returns the mask of the active lanes that execute in. For OpBra it is
// the mask of the lanes that take the branch.
func (w *Warp) Guarded(in *ir.Inst) uint32 {
	if in.Guard == ir.NoGuard {
		return w.Mask
	}
	p := w.Pred(in.Guard)
	if in.GuardNot {
		p = ^p
	}
	return w.Mask & p
}

var zeroRow, laneRow = Row{}, func() (r Row) {
	for i := range r {
		r[i] = uint64(i)
	}
	return r
}()

// Special writes the destination of an OpSpecial or OpReadSpecial; clock and
// timer are the current values of the clocks.
func (w *Warp) Special(in *ir.Inst, mask uint32, clock, timer uint64) {
	dst := &w.Regs[in.Dst[0]]
	var value uint64
	switch ir.Special(in.Imm) {
	case ir.TID:
		// In a flat block the index is the linear one; a division for each lane
		// is saved.
		if b := &w.Grid.Shape.Block; b[1] != 1 || b[2] != 1 {
			// Threads are numbered along x first, then y, then z (CUDA
			// Programming Guide, Thread Hierarchy).
			w.coordinate(dst, mask, 1, b[0])
			return
		}
		w.lanes(dst, mask, uint64(w.Index*Lanes))
		return
	case ir.TIDY:
		w.coordinate(dst, mask, w.Grid.Shape.Block[0], w.Grid.Shape.Block[1])
		return
	case ir.TIDZ:
		w.coordinate(dst, mask, w.Grid.Shape.Block[0]*w.Grid.Shape.Block[1], w.Grid.Shape.Block[2])
		return
	case ir.LaneID:
		w.lanes(dst, mask, 0)
		return
	case ir.CTAID:
		value = uint64(w.Grid.Shape.Place(w.Block.ID)[0])
	case ir.CTAIDY:
		value = uint64(w.Grid.Shape.Place(w.Block.ID)[1])
	case ir.CTAIDZ:
		value = uint64(w.Grid.Shape.Place(w.Block.ID)[2])
	case ir.NTID:
		value = uint64(w.Grid.Shape.Block[0])
	case ir.NTIDY:
		value = uint64(w.Grid.Shape.Block[1])
	case ir.NTIDZ:
		value = uint64(w.Grid.Shape.Block[2])
	case ir.NCTAID:
		value = uint64(w.Grid.Shape.Grid[0])
	case ir.NCTAIDY:
		value = uint64(w.Grid.Shape.Grid[1])
	case ir.NCTAIDZ:
		value = uint64(w.Grid.Shape.Grid[2])
	case ir.ClusterRank:
		value = uint64(w.Block.ID % w.Grid.Cluster)
	case ir.ClusterSize:
		value = uint64(w.Grid.Cluster)
	case ir.ClusterRankX, ir.ClusterRankY, ir.ClusterRankZ:
		index, _ := w.Grid.clusterPlace(w.Block.ID, int(ir.Special(in.Imm)-ir.ClusterRankX))
		value = uint64(index)
	case ir.ClusterSizeX, ir.ClusterSizeY, ir.ClusterSizeZ:
		_, size := w.Grid.clusterPlace(w.Block.ID, int(ir.Special(in.Imm)-ir.ClusterSizeX))
		value = uint64(size)
	case ir.DynamicBytes:
		value = uint64(w.Grid.Launch.DynamicShared)
	case ir.SMID:
		value = uint64(w.Block.SM)
	case ir.Clock64:
		value = clock
	case ir.GlobalTimer:
		value = timer
	}
	if vectors {
		vectorAdd(dst, &zeroRow, value, mask)
		return
	}
	for i := range dst {
		if mask>>i&1 != 0 {
			dst[i] = value
		}
	}
}

// coordinate sets dst to the threads' index along a dimension of size n.
// Neighbours along this dimension are below threads apart in the linear order.
func (w *Warp) coordinate(dst *Row, mask uint32, below, n int) {
	for i := range dst {
		if mask>>i&1 != 0 {
			dst[i] = uint64((w.Index*Lanes + i) / below % n)
		}
	}
}

func (w *Warp) lanes(dst *Row, mask uint32, base uint64) {
	if vectors {
		vectorAdd(dst, &laneRow, base, mask)
		return
	}
	for i := range dst {
		if mask>>i&1 != 0 {
			dst[i] = base + uint64(i)
		}
	}
}
