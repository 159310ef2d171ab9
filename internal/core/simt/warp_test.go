package simt

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

func branch(target, recon int32) ir.Inst {
	return ir.Inst{Op: ir.OpBra, Guard: 0, Target: target, Recon: recon}
}

func exits(n int) *ir.Program {
	p := &ir.Program{NumRegs: 4, NumPreds: 4}
	for range n {
		p.Code = append(p.Code, ir.Inst{Op: ir.OpExit, Guard: ir.NoGuard, Root: -1})
	}
	return p
}

func TestBranchReconverges(t *testing.T) {
	w := testWarp(t, exits(20), 32)
	in := branch(10, 15)
	w.PC = 4
	w.Branch(&in, 0xFF00)
	assert.Equal(t, Path{PC: 5, Recon: 15, Mask: 0xFFFF00FF}, w.Path, "lanes that fall through go first")
	w.PC = 14
	w.Next()
	assert.Equal(t, Path{PC: 10, Recon: 15, Mask: 0xFF00}, w.Path)
	w.Jump(15)
	assert.Equal(t, Path{PC: 15, Recon: -1, Mask: Full}, w.Path)
	assert.Empty(t, w.Stack)
}

func TestUniformBranchTakesNoEntry(t *testing.T) {
	w := testWarp(t, exits(20), 20)
	in := branch(10, 15)
	w.Branch(&in, Full)
	assert.Equal(t, Path{PC: 10, Recon: -1, Mask: 1<<20 - 1}, w.Path)
	w.Branch(&in, 0xFFF00000)
	assert.Equal(t, int32(11), w.PC)
	assert.Empty(t, w.Stack)
}

func TestLoopLeftLaneByLaneTakesOneEntry(t *testing.T) {
	w := testWarp(t, exits(20), 32)
	in := branch(12, 12) // the loop's exit at 3; the back edge is at 5
	for lane := range 31 {
		w.PC = 3
		w.Branch(&in, 1<<lane)
		require.Len(t, w.Stack, 1)
		require.Equal(t, Full<<(lane+1), w.Mask)
		w.Jump(3)
	}
	w.PC = 3
	w.Branch(&in, Full)
	assert.Equal(t, Path{PC: 12, Recon: -1, Mask: Full}, w.Path)
	assert.Empty(t, w.Stack)
}

func TestExitLeavesOthers(t *testing.T) {
	w := testWarp(t, exits(20), 32)
	in := branch(10, -1) // the sides reconverge only at the exit
	w.Branch(&in, 0xF)
	assert.Equal(t, Path{PC: 1, Recon: -1, Mask: ^uint32(0xF)}, w.Path)
	w.Exit(0xFF0)
	assert.Equal(t, Path{PC: 2, Recon: -1, Mask: 0xFFFFF000}, w.Path)
	w.Exit(w.Mask)
	assert.Equal(t, Path{PC: 10, Recon: -1, Mask: 0xF}, w.Path)
	assert.Equal(t, uint32(0xF), w.Live())
	assert.False(t, w.Done())
	w.Exit(w.Mask)
	assert.True(t, w.Done())
	assert.Zero(t, w.Mask)
}

func TestNestedDivergenceWithExits(t *testing.T) {
	w := testWarp(t, exits(40), 32)
	outer, inner := branch(20, 30), branch(8, 10)
	w.Branch(&outer, 0xFFFF0000)
	w.Branch(&inner, 0x00FF)
	assert.Equal(t, uint32(0xFF00), w.Mask)
	w.Exit(w.Mask) // all lanes of the inner fall-through exit
	assert.Equal(t, Path{PC: 8, Recon: 10, Mask: 0xFF}, w.Path)
	w.Jump(10)
	assert.Equal(t, Path{PC: 10, Recon: 30, Mask: 0xFF}, w.Path)
	w.Jump(30)
	assert.Equal(t, Path{PC: 20, Recon: 30, Mask: 0xFFFF0000}, w.Path)
	w.Jump(30)
	assert.Equal(t, Path{PC: 30, Recon: -1, Mask: 0xFFFF00FF}, w.Path, "exited lanes do not come back")
}

func TestDetach(t *testing.T) {
	w := testWarp(t, exits(40), 32)
	in := branch(20, 30)
	w.Branch(&in, 0xFF)
	part := w.Detach()
	assert.Equal(t, Path{PC: 1, Recon: -1, Mask: 0xFFFFFF00}, part)
	assert.Equal(t, Path{PC: 20, Recon: 30, Mask: 0xFF}, w.Path)
	w.Jump(30)
	assert.Equal(t, Path{PC: 30, Recon: -1, Mask: 0xFF}, w.Path)
	assert.Equal(t, uint32(0xFF), w.Detach().Mask)
	assert.Zero(t, w.Mask)
}

func TestGuard(t *testing.T) {
	w := testWarp(t, exits(1), 32)
	w.Preds[2], w.Mask = 0xFF, 0x0FF0
	assert.Equal(t, uint32(0x0FF0), w.Guarded(&ir.Inst{Guard: ir.NoGuard}))
	assert.Equal(t, uint32(0x00F0), w.Guarded(&ir.Inst{Guard: 2}))
	assert.Equal(t, uint32(0x0F00), w.Guarded(&ir.Inst{Guard: 2, GuardNot: true}))
	assert.Equal(t, uint32(0x0FF0), w.Guarded(&ir.Inst{Guard: ir.PredTrue}))
	assert.Zero(t, w.Guarded(&ir.Inst{Guard: ir.PredFalse}))
}

func TestSpecials(t *testing.T) {
	g, err := Bind(NewMemory(0), device.Launch{Kernel: (&ir.Kernel{Name: "k", Program: exits(1)}).ForHost(), Grid: 9, Block: 70}, Limits{})
	require.NoError(t, err)
	var b Block
	b.Start(g, 7, 3)
	require.Len(t, b.Warps, 3)
	w := b.Warps[2]
	assert.Equal(t, uint32(0x3F), w.Exists, "70 threads are two warps and six lanes")
	for s, want := range map[ir.Special]uint64{ir.TID: 69, ir.CTAID: 7, ir.NTID: 70, ir.NCTAID: 9, ir.LaneID: 5, ir.SMID: 3, ir.Clock64: 11, ir.GlobalTimer: 12} {
		spread(&w.Regs[1], 99)
		w.Special(&ir.Inst{Op: ir.OpSpecial, Imm: int64(s), Dst: [4]int32{1}}, 1<<5, 11, 12)
		assert.Equal(t, want, w.Regs[1][5], s)
		assert.Equal(t, uint64(99), w.Regs[1][4], s)
	}
}

// TestRegisterPoison checks that no register of an earlier block is visible to
// the next one.
func TestRegisterPoison(t *testing.T) {
	w := testWarp(t, exits(1), 32)
	for _, poison := range []bool{true, false} {
		w.Grid.Poison = poison
		w.Regs[3][7], w.Preds[2] = 1, 1
		w.Block.Start(w.Grid, 0, 0)
		want := map[bool]uint32{true: RegisterPoison}[poison]
		assert.Equal(t, uint64(want), w.Regs[3][7])
		assert.Equal(t, want, w.Preds[2])
	}
}

func TestStartReusesWithoutAllocation(t *testing.T) {
	p := exits(1)
	p.SharedBytes, p.LocalBytes = 100, 8
	g, err := Bind(NewMemory(0), device.Launch{Kernel: (&ir.Kernel{Name: "k", Program: p}).ForHost(), Grid: 9, Block: 256}, Limits{})
	require.NoError(t, err)
	var b Block
	b.Start(g, 0, 0)
	b.Warps[3].Regs[2][1], b.Warps[3].Preds[0], b.Shared[7] = 5, 5, 5
	b.Warps[3].Exit(Full)
	assert.Zero(t, testing.AllocsPerRun(10, func() { b.Start(g, 1, 0) }))
	w := b.Warps[3]
	assert.Equal(t, Path{PC: 0, Recon: -1, Mask: Full}, w.Path)
	assert.Zero(t, w.Regs[2][1])
	assert.Zero(t, w.Preds[0])
	assert.Equal(t, byte(SharedPoison), b.Shared[7])
}

func TestFramesFollowInlining(t *testing.T) {
	table := []ir.PosInfo{{}, {File: "a.go", Line: 1, Func: "K"}, {File: "b.go", Line: 2, Col: 3, Func: "f", Parent: 1}, {File: "c.go", Line: 4, Func: "g", Parent: 2}}
	assert.Equal(t, []device.Frame{{File: "c.go", Line: 4, Func: "g"}, {File: "b.go", Line: 2, Col: 3, Func: "f"}, {File: "a.go", Line: 1, Func: "K"}}, Frames(table, 3))
	assert.Nil(t, Frames(table, 0))
	assert.Nil(t, Frames(table, 9))
}
