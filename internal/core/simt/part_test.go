package simt

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// diverged returns a warp of 8 lanes at instruction 1. Lanes 0 to 3 branch to
// 5, the others fall through, and both reconverge at 8.
func diverged() *Warp {
	p := &ir.Program{Code: make([]ir.Inst, 20), NumRegs: 1}
	w := &Warp{Grid: &Grid{Prog: p}, Exists: 0xff, Path: Path{PC: 1, Recon: -1, Mask: 0xff}, Regs: make([]Row, 1)}
	w.Branch(&ir.Inst{Op: ir.OpBra, Target: 5, Recon: 8}, 0x0f)
	return w
}

// TestPartsGoTheirOwnWay checks that lanes that are removed from the stack let
// the others continue, and merge with them when they meet.
func TestPartsGoTheirOwnWay(t *testing.T) {
	w := diverged()
	assert.Equal(t, Path{PC: 2, Recon: 8, Mask: 0xf0}, w.Path)
	assert.True(t, w.Diverged())
	w.Split(Runs)
	assert.Equal(t, []Part{{Path: Path{PC: 2, Recon: -1, Mask: 0xf0}}}, w.Parts)
	assert.Equal(t, int32(5), w.PC, "the other side is in place")
	assert.Equal(t, uint32(0x0f), w.Mask)
	for w.PC < 8 {
		w.Next()
	}
	assert.Equal(t, Path{PC: 8, Recon: -1, Mask: 0x0f}, w.Path, "nobody to wait for at the meeting point")

	w.Split(AtMask)
	assert.Zero(t, w.Mask)
	w.Take(0)
	assert.Equal(t, Path{PC: 2, Recon: -1, Mask: 0xf0}, w.Path)
	w.Meet()
	assert.Len(t, w.Parts, 1, "elsewhere")
	w.Jump(8)
	w.Meet()
	assert.Equal(t, uint32(0xff), w.Mask)
	assert.False(t, w.Diverged())
}

// TestMeetInsideABranch checks that lanes that join others inside a branch also
// reconverge with those that wait after it.
func TestMeetInsideABranch(t *testing.T) {
	w := diverged()
	w.Parts = []Part{{Path: Path{PC: 3, Recon: -1, Mask: 0x100}}, {Path: Path{PC: 3, Recon: -1, Mask: 0x200}, Wait: AtBar}}
	w.Exists = 0x3ff
	w.Next()
	w.Meet()
	assert.Equal(t, uint32(0x1f0), w.Mask)
	assert.Len(t, w.Parts, 1, "who waits at the block's barrier stays there")
	for w.PC == 3 || w.PC > 3 && w.PC < 8 && w.Mask == 0x1f0 {
		w.Next()
	}
	assert.Equal(t, Path{PC: 5, Recon: 8, Mask: 0x0f}, w.Path)
	w.Jump(8)
	assert.Equal(t, Path{PC: 8, Recon: -1, Mask: 0x1ff}, w.Path, "all who passed the branch")
}

func TestMissing(t *testing.T) {
	w := diverged()
	in := &ir.Inst{Op: ir.OpBallot, NSrc: 2, Src: [ir.MaxOperands]ir.Operand{0, ir.PredTrue}}
	for i := range w.Regs[0] {
		w.Regs[0][i] = 0xffffffff
	}
	assert.Equal(t, uint32(0x0f), w.Missing(in, 0xf0), "live and elsewhere")
	w.Exited = 0x03
	assert.Equal(t, uint32(0x0c), w.Missing(in, 0xf0), "who has exited is not missing")
	for i := range w.Regs[0] {
		w.Regs[0][i] = 0xf0
	}
	assert.Zero(t, w.Missing(in, 0xf0))
	assert.Zero(t, w.Missing(&ir.Inst{Op: ir.OpActiveMask}, 0xf0))
}
