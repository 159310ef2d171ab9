package generate

import "fmt"

// places limits how many statements of a kernel communicate between blocks; see
// corpus.Net.
const places = 3

// handover writes statements by which warps or blocks pass data to each other.
// Each block executes them once, because they are at the top level of the
// kernel.
func (g *gen) handover() {
	if g.depth != 1 || !g.uniform || !g.collectives || g.places == places {
		g.collective()
		return
	}
	switch {
	case g.n(6) == 0:
		g.clockLoop()
	case g.n(3) == 0 && g.threads > 32:
		g.betweenWarps()
	case g.n(3) == 0 && g.threads > 32 && g.blocks > 1:
		g.staleLine()
	default:
		g.betweenBlocks()
	}
}

// scope returns a scope that includes all blocks.
func (g *gen) scope() string { return []string{"", "gpu.DeviceScope", "gpu.SystemScope"}[g.n(3)] }

// with returns an additional argument, if there is one.
func with(arg string) string {
	if arg == "" {
		return ""
	}
	return ", " + arg
}

// raise writes code that sets a flag to 1 after all preceding accesses.
func (g *gen) raise(flag, scope string) {
	if g.n(2) == 0 {
		g.line("gpu.StoreRelease(%s, 1%s)", flag, with(scope))
		return
	}
	g.line("gpu.Fence(%s)", scope)
	switch g.n(3) {
	case 0:
		g.line("gpu.AtomicExch(%s, 1%s)", flag, with(scope))
	case 1:
		g.line("gpu.AtomicAdd(%s, 1%s)", flag, with(scope))
	default:
		g.line("gpu.Store(%s, 1%s)", flag, with(scope))
	}
}

// await writes code that waits for a flag before all following accesses.
func (g *gen) await(flag, scope string) {
	load, fence := "LoadAcquire", false
	switch g.n(4) {
	case 0, 1:
		load, fence = "Load", true
	case 2:
		g.line("for gpu.AtomicCAS(%s, 1, 1%s) != 1 {", flag, with(scope))
		g.line("}")
		g.line("gpu.Fence(%s)", scope)
		return
	}
	g.line("for gpu.%s(%s%s) == 0 {", load, flag, with(scope))
	if g.n(2) == 0 {
		g.line("\tt.Sleep(%d)", 20+g.n(100))
	}
	g.line("}")
	if fence {
		g.line("gpu.Fence(%s)", scope)
	}
}

// place returns the number of a new place.
func (g *gen) place() int {
	g.places++
	return g.places - 1
}

// betweenBlocks makes all threads of a block pass a value to those of the next
// block. One thread of the block raises the flag for all; a Sync orders their
// stores before that. The flag of the other block is awaited by one thread for
// the block, by one per warp, or by each thread. The lines of the cells may
// already be in L1, without the values.
func (g *gen) betweenBlocks() {
	n := g.place()
	e := g.expr(u64, 2)
	peeks := g.n(3) > 0
	if peeks {
		g.line("if *net.cell(%d, peer(t), t.Idx()) == Never {", n)
		g.line("\th++")
		g.line("}")
	}
	g.line("*net.cell(%d, t.Block(), t.Idx()) = (%s) &^ Never", n, e)
	g.line("t.Sync()")
	one := []int{0, 0, 5, 31, g.threads - 1}[g.n(5)]
	g.line("if t.Idx() == %d {", min(one, g.threads-1))
	g.depth++
	g.raise(fmt.Sprintf("net.flag(%d, t.Block())", n), g.scope())
	who := g.n(3)
	if who > 0 {
		g.depth--
		g.line("}")
	}
	if who == 1 {
		lane := g.n(8)
		if last := g.threads % 32; last > 0 { // every warp has it
			lane = min(lane, last-1)
		}
		g.line("if t.Lane() == %d {", lane)
		g.depth++
	}
	g.await(fmt.Sprintf("net.flag(%d, peer(t))", n), g.scope())
	if who < 2 {
		g.depth--
		g.line("}")
		g.line("%s", []string{"t.Sync()", "t.SyncWarp(gpu.FullMask)"}[who])
	}
	g.line("%s := *net.cell(%d, peer(t), t.Idx())", g.declare(scalars[u64], false).name, n)
}

// betweenWarps makes a lane of the first warp pass a value to one of the second
// through shared memory.
func (g *gen) betweenWarps() {
	s, e := g.name("s"), g.expr(u32, 2)
	v := g.declare(scalars[u32], false)
	g.line("%s := gpu.Shared[[2]uint32](t)", s)
	g.line("var %s uint32", v.name)
	g.line("if t.Idx() < 2 {")
	g.line("\t%s[t.Idx()] = 0", s)
	g.line("}")
	g.line("t.Sync()")
	g.line("if t.Idx() == %d {", g.n(32))
	g.depth++
	g.line("%s[1] = %s", s, e)
	g.raise(fmt.Sprintf("&%s[0]", s), "gpu.BlockScope")
	g.depth--
	g.line("} else if t.Idx() == %d {", 32+g.n(g.threads-32))
	g.depth++
	g.await(fmt.Sprintf("&%s[0]", s), "gpu.BlockScope")
	g.line("%s = %s[1]", v.name, s)
	g.depth--
	g.line("}")
	g.line("t.Sync()")
}

// staleLine makes a lane wait for a flag through its SM's L1. The L1 may hold
// the line without the flag until a fence of another warp, which waits for a
// flag of its own, invalidates it. The lane then computes for a long time.
func (g *gen) staleLine() {
	n := g.place()
	e := g.expr(u32, 2)
	v := g.declare(scalars[u32], false)
	g.line("var %s uint32", v.name)
	g.line("if t.Block() == 0 {")
	g.line("\tif t.Idx() == 0 {")
	g.line("\t\tgpu.Store(net.flag(%d, 0), compute(par.N, %d)|1)", n, 50+g.n(200))
	g.line("\t\tgpu.StoreRelease(net.flag(%d, 1), 1)", n)
	g.line("\t}")
	g.line("} else if t.Idx() == 0 {")
	g.line("\tfor gpu.Load(net.flag(%d, 0), gpu.BlockScope) == 0 {", n)
	g.line("\t}")
	g.line("\t%s = compute(%s, %d)", v.name, e, 10_000+g.n(10_000))
	g.line("\tgpu.Store(net.flag(%d, 2), 1)", n)
	g.line("} else if t.Idx() == 32 {")
	g.line("\tfor gpu.Load(net.flag(%d, 1)) == 0 {", n)
	g.line("\t}")
	g.line("\t%s = compute(par.N, %d)", v.name, 4000+g.n(4000))
	g.line("\tgpu.Fence()")
	g.line("\tfor gpu.Load(net.flag(%d, 2)) == 0 {", n)
	g.line("\t}")
	g.line("}")
	g.line("t.Sync()")
}

// clockLoop makes a thread poll a clock, and a flag that is never raised, for a
// long time.
func (g *gen) clockLoop() {
	n := g.place()
	s := g.name("start")
	g.line("if t.Global() == %d {", g.n(32))
	g.line("\t%s := t.Clock()", s)
	g.line("\tfor t.Clock()-%s < %d {", s, 50_000+g.n(100_000))
	g.line("\t\tif gpu.Load(net.flag(%d, 0)) != 0 {", n)
	g.line("\t\t\th++")
	g.line("\t\t\tbreak")
	g.line("\t\t}")
	g.line("\t}")
	g.line("}")
	g.line("t.Sync()")
}

// badEnd writes the statement that ends the kernel in the intended way. All
// threads of the block must execute it.
func (g *gen) badEnd(end Ends) {
	switch end {
	case Hang:
		kinds := g.r.Perm(len(barriers))
		g.line("if t.Idx() < 32 {")
		g.line("\t%s", barriers[kinds[0]])
		g.line("} else {")
		g.line("\t%s", barriers[kinds[1]])
		g.line("}")
	case Undefined:
		g.undefined()
	case Unwritten:
		v := g.name("v")
		switch g.n(3) {
		case 0:
			g.line("%s := net.Blank[t.Global()*Owns+4+uint32(%s)]", v, g.index(4))
		case 1:
			g.line("%s := gpu.AtomicAdd(&net.Blank[t.Global()*Owns+4+uint32(%s)], 1)", v, g.index(4))
		default:
			s := g.name("s")
			g.line("%s := gpu.Shared[[MaxBlock]uint64](t)", s)
			g.line("if t.Idx() != %d {", g.n(g.threads))
			g.line("\t%s[t.Idx()] = h", s)
			g.line("}")
			g.line("t.Sync()")
			g.line("%s := %s[t.Idx()]", v, s)
		}
		g.line("out[t.Global()*Outs+5] = %s", v) // otherwise the value would be unused
	}
}

// barriers are block barriers of each kind; they do not match each other.
var barriers = []string{
	"t.Sync()", "h += uint64(t.SyncCount(par.G))", "h += bitsOf(t.SyncAnd(par.G))", "h += bitsOf(t.SyncOr(par.G))",
}

// undefined writes a statement that PTX leaves undefined. The block has more than
// a warp.
func (g *gen) undefined() {
	kinds := barriers[g.n(len(barriers))]
	some := []string{"t.Lane() == 0", "t.Idx()%3 == 0", "t.Warp() == 0", fmt.Sprintf("t.Idx() < %d", 1+g.n(g.threads-1))}[g.n(4)]
	switch n := g.n(6); {
	case n == 0 && g.threads%32 != 0: // a lane that the last warp lacks
		g.line("h += gpu.ShflXor(t, gpu.FullMask, h, %d)", 16)
	case n == 0 || n == 1: // a lane outside the mask
		g.line("if t.Lane() < 16 {")
		g.line("\th ^= gpu.Shfl(t, 0x0000FFFF, h, %d)", 16+g.n(16))
		g.line("}")
	case n == 2: // the mask of a lane without it
		g.line("h += uint64(t.Ballot(0x0000FFFE, par.G))")
	case n == 3: // another barrier of the same kind
		g.line("if %s {", some)
		g.line("\t%s", kinds)
		g.line("} else {")
		g.line("\t%s", kinds)
		g.line("}")
	default: // around a barrier
		g.line("if %s {", some)
		g.line("\t%s", kinds)
		g.line("}")
	}
}
