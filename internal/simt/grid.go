package simt

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
)

// The largest launch.
const (
	MaxThreads = 1024      // a block
	MaxBlocks  = 1<<31 - 1 // a grid, along x
	MaxBlocksY = 1<<16 - 1 // a grid, along y and along z
	MaxDepth   = 64        // threads of a block along z
)

// Limits is what a device allows a launch; a zero field is no limit of its own.
type Limits struct {
	Threads int // a block
	Blocks  int // a grid
	Shared  int // bytes per block, static and dynamic
	Local   int // bytes per thread
}

// Grid is a launch bound to its arguments. It does not change while it runs.
type Grid struct {
	Kernel  *ir.Kernel
	Prog    *ir.Program
	Launch  device.Launch
	Mem     *Memory
	Shape   device.Shape
	Blocks  int // in the grid
	Threads int // a block
	Warps   int // a block
	// Shared are Program.Shared, with the size of dynamic shared memory; SharedBytes is
	// how much of both kinds a block can address.
	Shared      []ir.Var
	SharedBytes int
	// Uniforms are the rows of Program.Uniforms, all lanes equal.
	Uniforms []Row
	// Roots are the ranges of Program.Roots.
	Roots []Range
	// Leaves are the values of Program.Leaves.
	Leaves []uint64
	// Poison fills the registers of a warp that starts with RegisterPoison, not
	// with zeros. Nothing shows it, since verified code reads what it has written.
	Poison bool
	// tmp is the result of a partly active instruction before it is merged. A
	// grid runs in one goroutine.
	tmp Row
}

// Range is the memory that accesses with one Root must stay in.
type Range struct {
	Space ir.Space
	Name  string // "g.Col", or the variable
	Lo    uint64 // address of the first byte, with the window tag
	Bytes uint64
	Size  uint64 // bytes per element, for the index in messages; at least 1
	// Alloc and Data are for ir.Global: the allocation, and its bytes from Lo
	// on. Both are nil for a nil slice or pointer.
	Alloc   *Allocation
	Data    []byte
	Pointer bool // a pointer: one element
}

// Bind checks a launch against the kernel's signature and the limits, and
// computes what is the same for all its threads. The error is a
// *device.ArgError where the launch is wrong.
func Bind(mem *Memory, l device.Launch, lim Limits) (*Grid, error) {
	return new(Binder).Bind(mem, l, lim)
}

// Binder binds launches one after the other without allocating for each: a grid
// that it gave is gone with the next.
type Binder struct {
	grid   Grid
	values []leafValue
}

// Bind returns the function of that name.
func (r *Binder) Bind(mem *Memory, l device.Launch, lim Limits) (*Grid, error) {
	if l.Kernel == nil || l.Kernel.Program == nil {
		return nil, &device.ArgError{Kernel: "?", What: "no kernel"}
	}
	fail := func(format string, args ...any) (*Grid, error) {
		return nil, &device.ArgError{Kernel: l.Kernel.Name, What: fmt.Sprintf(format, args...)}
	}
	if mem.closed {
		return fail("the device is closed")
	}
	maxThreads, maxBlocks := orDefault(lim.Threads, MaxThreads), orDefault(lim.Blocks, MaxBlocks)
	shape := l.Shape()
	if why := misshapen(&shape, maxThreads, maxBlocks); why != "" {
		return fail("%s", why)
	}
	switch p := l.Kernel.Program; {
	case l.DynamicShared < 0:
		return fail("%d bytes of dynamic shared memory", l.DynamicShared)
	case l.Regs < 0:
		return fail("%d registers a thread", l.Regs)
	case lim.Shared > 0 && p.SharedBytes+l.DynamicShared > lim.Shared:
		return fail("a block takes %d bytes of shared memory; the device has %d", p.SharedBytes+l.DynamicShared, lim.Shared)
	case lim.Local > 0 && p.LocalBytes > lim.Local:
		return fail("a thread takes %d bytes of local memory; the device has %d", p.LocalBytes, lim.Local)
	}
	g := &r.grid
	*g = Grid{
		Kernel: l.Kernel, Prog: l.Kernel.Program, Launch: l, Mem: mem,
		Shape: shape, Blocks: shape.Blocks(), Threads: shape.Threads(), Warps: (shape.Threads() + Lanes - 1) / Lanes,
		Leaves: resized(g.Leaves, len(l.Kernel.Program.Leaves)), Roots: resized(g.Roots, len(l.Kernel.Program.Roots)),
	}
	r.values = resized(r.values, len(g.Prog.Leaves))
	b := binder{mem: mem, leaves: g.Prog.Leaves, values: r.values}
	if err := b.bind(l.Kernel.Params, l.Args); err != nil {
		return fail("%s", err)
	}
	if err := b.bindTables(); err != nil {
		return fail("%s", err)
	}
	for i, v := range b.values {
		g.Leaves[i] = v.bits
	}
	g.placeShared()
	if !mem.virtual { // nobody executes it here
		g.spreadUniforms()
	}
	for i, r := range g.Prog.Roots {
		g.Roots[i] = g.rangeOf(r, b.values)
	}
	return g, nil
}

// resized returns a slice of n zero elements, in s where that has the room.
func resized[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

func (g *Grid) spreadUniforms() {
	g.Uniforms = make([]Row, len(g.Prog.Uniforms))
	for i, u := range g.Prog.Uniforms {
		bits := u.Bits
		if u.Leaf >= 0 {
			bits = g.Leaves[u.Leaf]
		}
		spread(&g.Uniforms[i], bits)
	}
}

// placeShared gives dynamic shared memory its size.
func (g *Grid) placeShared() {
	g.Shared, g.SharedBytes = g.Prog.Shared, g.Prog.SharedBytes
	for i := range g.Shared {
		if g.Shared[i].Dynamic {
			g.Shared = slices.Clone(g.Shared)
			g.Shared[i].Size = g.Launch.DynamicShared
			g.SharedBytes += g.Launch.DynamicShared
		}
	}
}

func (g *Grid) rangeOf(r ir.Root, values []leafValue) Range {
	switch {
	case r.Space == ir.Shared && r.Var >= 0:
		v := &g.Shared[r.Var]
		return Range{Space: ir.Shared, Name: v.Name, Lo: ir.SharedWindow | uint64(v.Off), Bytes: uint64(v.Size), Size: uint64(max(v.ElemSize, 1))}
	case r.Space == ir.Local && r.Var >= 0:
		v := &g.Prog.Local[r.Var]
		return Range{Space: ir.Local, Name: v.Name, Lo: ir.LocalWindow | uint64(v.Off), Bytes: uint64(v.Size), Size: uint64(max(v.ElemSize, 1))}
	}
	leaf, v := &g.Prog.Leaves[r.Leaf], &values[r.Leaf]
	out := Range{
		Space: ir.Global, Name: leaf.Name, Lo: v.bits, Bytes: uint64(v.count) * uint64(leaf.Size),
		Size: uint64(max(leaf.Size, 1)), Pointer: leaf.Role == ir.Pointer, Alloc: v.alloc,
	}
	if leaf.Table != nil {
		out.Size, out.Pointer = uint64(max(leaf.Table.ElemSize, 1)), false
	}
	if v.alloc != nil && v.alloc.Data != nil {
		off := v.bits & offMask
		out.Data = v.alloc.Data[off : off+out.Bytes]
	}
	return out
}

// misshapen says what is wrong with the shape of a launch; "" if nothing.
func misshapen(s *device.Shape, maxThreads, maxBlocks int) string {
	b, g := s.Block, s.Grid
	flat := b[1] == 1 && b[2] == 1
	switch {
	case flat && (b[0] < 1 || b[0] > maxThreads):
		return fmt.Sprintf("a block of %d threads; it may have 1 to %d", b[0], maxThreads)
	case b[0] < 1 || b[1] < 1 || b[2] < 1:
		return fmt.Sprintf("a block of %dx%dx%d threads; each dimension is at least 1", b[0], b[1], b[2])
	case b[2] > MaxDepth:
		return fmt.Sprintf("a block of %dx%dx%d threads; it may be %d deep", b[0], b[1], b[2], MaxDepth)
	case b[0] > maxThreads || b[1] > maxThreads || b[0]*b[1]*b[2] > maxThreads:
		return fmt.Sprintf("a block of %dx%dx%d threads; it may have 1 to %d in all", b[0], b[1], b[2], maxThreads)
	case g[0] < 1 || g[0] > maxBlocks:
		return fmt.Sprintf("a grid of %d blocks; it may have 1 to %d", g[0], maxBlocks)
	case min(g[1], g[2]) < 1 || max(g[1], g[2]) > MaxBlocksY:
		return fmt.Sprintf("a grid of %dx%dx%d blocks; its second and third dimension are 1 to %d", g[0], g[1], g[2], MaxBlocksY)
	}
	return ""
}

func orDefault(n, def int) int {
	if n <= 0 || n > def {
		return def
	}
	return n
}
