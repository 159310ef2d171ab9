package simt

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// The limits of a launch.
const (
	MaxThreads = 1024      // threads per block
	MaxBlocks  = 1<<31 - 1 // blocks per grid, along x
	MaxBlocksY = 1<<16 - 1 // blocks per grid, along y and along z
	MaxDepth   = 64        // threads per block, along z
)

// Limits are the limits of a device for a launch. A zero field adds no limit.
type Limits struct {
	Threads int // per block
	Blocks  int // per grid
	Shared  int // bytes per block, static and dynamic
	Local   int // bytes per thread
}

// Grid is a launch bound to its arguments. It does not change during the
// launch.
type Grid struct {
	Kernel  *ir.Kernel
	Prog    *ir.Program
	Launch  device.Launch
	Mem     *Memory
	Shape   device.Shape
	Blocks  int // per grid
	Threads int // per block
	Warps   int // per block
	Cluster int // blocks per cluster, at least 1
	// Shared is Program.Shared with the size of dynamic shared memory filled
	// in. SharedBytes is the size of static and dynamic shared memory per
	// block.
	Shared      []ir.Var
	SharedBytes int
	// Uniforms holds the rows of Program.Uniforms, with all lanes equal.
	Uniforms []Row
	// Roots holds the ranges of Program.Roots.
	Roots []Range
	// Leaves holds the values of Program.Leaves.
	Leaves []uint64
	// Tensors are the tensor maps that the kernel copies boxes of.
	Tensors []Tensor
	// Poison makes the registers of a starting warp hold RegisterPoison instead
	// of zeros. Kernels do not behave differently, since verified code reads
	// only what it has written.
	Poison bool
	// Seed chooses the values that shuffles return where PTX leaves them undefined.
	Seed uint64
}

// Range is the memory that accesses with a certain Root must stay in.
type Range struct {
	Space ir.Space
	Name  string // "g.Col", or the variable's name
	Lo    uint64 // address of the first byte, with the window bits
	Bytes uint64
	Size  uint64 // bytes per element, for the index in messages; at least 1
	// Alloc and Data are for ir.Global: the allocation, and its bytes from Lo
	// on. Both are nil for a nil slice or pointer.
	Alloc   *Allocation
	Data    []byte
	Pointer bool // a pointer, to one element
}

// Bind checks a launch against the kernel's signature and the limits, and
// computes the state that all its threads share. It returns a *device.ArgError
// if the launch is invalid.
func Bind(mem *Memory, l device.Launch, lim Limits) (*Grid, error) {
	return new(Binder).Bind(mem, l, lim)
}

// Binder binds launches one after the other without allocating for each. The
// grid that it returns is valid until the next Bind.
type Binder struct {
	grid   Grid
	values []leafValue
}

// Bind is like the function Bind.
func (r *Binder) Bind(mem *Memory, launch device.Launch, limits Limits) (*Grid, error) {
	kernel := ir.Compiled(launch.Kernel)
	if kernel == nil || kernel.Program == nil {
		return nil, &device.ArgError{Kernel: "?", What: "no kernel"}
	}
	fail := func(format string, args ...any) (*Grid, error) {
		return nil, &device.ArgError{Kernel: kernel.Name, What: fmt.Sprintf(format, args...)}
	}
	if mem.Closed() {
		return nil, fmt.Errorf("launch of %s: %w", kernel.Name, device.ErrClosed)
	}
	maxThreads, maxBlocks := orDefault(limits.Threads, MaxThreads), orDefault(limits.Blocks, MaxBlocks)
	shape := launch.Shape()
	if why := misshapen(&shape, maxThreads, maxBlocks); why != "" {
		return fail("%s", why)
	}
	if why := unfit(kernel, &shape); why != "" {
		return fail("%s", why)
	}
	if why := unclustered(kernel, &launch, &shape); why != "" {
		return fail("%s", why)
	}
	switch prog := kernel.Program; {
	case launch.DynamicShared < 0:
		return fail("%d bytes of dynamic shared memory", launch.DynamicShared)
	case launch.Regs < 0:
		return fail("%d registers a thread", launch.Regs)
	case limits.Shared > 0 && prog.SharedBytes+launch.DynamicShared > limits.Shared:
		return fail("a block takes %d bytes of shared memory; the device has %d", prog.SharedBytes+launch.DynamicShared, limits.Shared)
	case limits.Local > 0 && prog.LocalBytes > limits.Local:
		return fail("a thread takes %d bytes of local memory; the device has %d", prog.LocalBytes, limits.Local)
	}
	grid := &r.grid
	*grid = Grid{
		Kernel: kernel, Prog: kernel.Program, Launch: launch, Mem: mem,
		Shape: shape, Blocks: shape.Blocks(), Threads: shape.Threads(), Warps: (shape.Threads() + Lanes - 1) / Lanes, Cluster: clusterBlocks(&launch),
		Leaves: resized(grid.Leaves, len(kernel.Program.Leaves)), Roots: resized(grid.Roots, len(kernel.Program.Roots)), Tensors: grid.Tensors[:0],
	}
	r.values = resized(r.values, len(grid.Prog.Leaves))
	binding := binder{mem: mem, leaves: grid.Prog.Leaves, values: r.values}
	if err := binding.bind(kernel.Params, launch.Args); err != nil {
		return fail("%s", err)
	}
	if err := binding.bindTables(); err != nil {
		return fail("%s", err)
	}
	for i, v := range binding.values {
		grid.Leaves[i] = v.bits
	}
	grid.placeShared()
	if !mem.virtual { // it is not executed here
		grid.spreadUniforms()
	}
	for i, root := range grid.Prog.Roots {
		grid.Roots[i] = grid.rangeOf(root, binding.values)
	}
	if why := grid.bindTensors(binding.values); why != "" {
		return fail("%s", why)
	}
	return grid, nil
}

// resized returns a slice of n zero elements; it reuses s if it is large
// enough.
func resized[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

func (g *Grid) spreadUniforms() {
	// As rows, a uniform is read like a register, without a test in the
	// operation.
	g.Uniforms = make([]Row, len(g.Prog.Uniforms))
	for i, u := range g.Prog.Uniforms {
		bits := u.Bits
		if u.Leaf >= 0 {
			bits = g.Leaves[u.Leaf]
		}
		spread(&g.Uniforms[i], bits)
	}
}

// placeShared sets the size of dynamic shared memory.
func (g *Grid) placeShared() {
	g.Shared, g.SharedBytes = g.Prog.Shared, g.Prog.SharedBytes
	for i := range g.Shared {
		if g.Shared[i].Dynamic {
			// The program is shared by launches, each with its own size.
			g.Shared = slices.Clone(g.Shared)
			g.Shared[i].Size = g.Launch.DynamicShared
			g.SharedBytes += g.Launch.DynamicShared
		}
	}
}

func (g *Grid) rangeOf(root ir.Root, values []leafValue) Range {
	switch {
	case root.Space == ir.Shared && root.Var >= 0:
		variable := &g.Shared[root.Var]
		return Range{Space: ir.Shared, Name: variable.Name, Lo: ir.SharedWindow | uint64(variable.Off), Bytes: uint64(variable.Size), Size: uint64(max(variable.ElemSize, 1))}
	case root.Space == ir.Local && root.Var >= 0:
		variable := &g.Prog.Local[root.Var]
		return Range{Space: ir.Local, Name: variable.Name, Lo: ir.LocalWindow | uint64(variable.Off), Bytes: uint64(variable.Size), Size: uint64(max(variable.ElemSize, 1))}
	}
	leaf, value := &g.Prog.Leaves[root.Leaf], &values[root.Leaf]
	out := Range{
		Space: ir.Global, Name: leaf.Name, Lo: value.bits, Bytes: uint64(value.count) * uint64(leaf.Size),
		Size: uint64(max(leaf.Size, 1)), Pointer: leaf.Role == ir.Pointer, Alloc: value.alloc,
	}
	if leaf.Table != nil {
		out.Size, out.Pointer = uint64(max(leaf.Table.ElemSize, 1)), false
	}
	if leaf.Variable != nil {
		out.Size, out.Pointer, out.Bytes = 1, false, uint64(leaf.Variable.Size)
	}
	if value.alloc != nil && value.alloc.Data != nil {
		off := value.bits & offMask
		out.Data = value.alloc.Data[off : off+out.Bytes]
	}
	return out
}

// unfit returns why a block is not one that the directives of a kernel allow; "" if it is.
func unfit(k *ir.Kernel, shape *device.Shape) string {
	b := shape.Block
	if only := k.OnlyBlock; only[0] > 0 && b != only {
		return fmt.Sprintf("a block of %dx%dx%d threads; the kernel is for blocks of %dx%dx%d (.reqntid)", b[0], b[1], b[2], only[0], only[1], only[2])
	}
	if most := k.MaxBlock; most[0] > 0 && b[0]*b[1]*b[2] > most[0]*most[1]*most[2] {
		by := "//weft:block"
		if k.Source != nil {
			by = ".maxntid, __launch_bounds__"
		}
		return fmt.Sprintf("a block of %d threads; the kernel is for at most %d (%s)", b[0]*b[1]*b[2], most[0]*most[1]*most[2], by)
	}
	return ""
}

// misshapen returns what is wrong with the shape of a launch; "" if nothing is.
func misshapen(shape *device.Shape, maxThreads, maxBlocks int) string {
	block, grid := shape.Block, shape.Grid
	flat := block[1] == 1 && block[2] == 1
	switch {
	case flat && (block[0] < 1 || block[0] > maxThreads):
		return fmt.Sprintf("a block of %d threads; it may have 1 to %d", block[0], maxThreads)
	case block[0] < 1 || block[1] < 1 || block[2] < 1:
		return fmt.Sprintf("a block of %dx%dx%d threads; each dimension is at least 1", block[0], block[1], block[2])
	// A block has at most 64 threads along z and 1024 in all; a grid 2^31-1
	// blocks along x and 65535 along y and z (CUDA Programming Guide, technical
	// specifications per compute capability).
	case block[2] > MaxDepth:
		return fmt.Sprintf("a block of %dx%dx%d threads; it may be %d deep", block[0], block[1], block[2], MaxDepth)
	// Each dimension first: the product of three large ones could wrap around.
	case block[0] > maxThreads || block[1] > maxThreads || block[0]*block[1]*block[2] > maxThreads:
		return fmt.Sprintf("a block of %dx%dx%d threads; it may have 1 to %d in all", block[0], block[1], block[2], maxThreads)
	case grid[0] < 1 || grid[0] > maxBlocks:
		return fmt.Sprintf("a grid of %d blocks; it may have 1 to %d", grid[0], maxBlocks)
	case min(grid[1], grid[2]) < 1 || max(grid[1], grid[2]) > MaxBlocksY:
		return fmt.Sprintf("a grid of %dx%dx%d blocks; its second and third dimension are 1 to %d", grid[0], grid[1], grid[2], MaxBlocksY)
	}
	return ""
}

func orDefault(n, def int) int {
	if n <= 0 || n > def {
		return def
	}
	return n
}
