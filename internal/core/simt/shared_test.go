package simt

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TestLoadShared compares the loads of a warp with those of one lane after the other.
func TestLoadShared(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range []ir.Kind{ir.U8, ir.S8, ir.U16, ir.S16, ir.U32, ir.S32, ir.F32, ir.U64, ir.F64} {
		for vec := range 2 {
			in := &ir.Inst{Op: ir.OpLoad, K: k, NDst: uint8(vec + 1), Mem: ir.Mem{Space: ir.Shared, Kind: k, Vec: uint8(vec + 1)}}
			in.Dst[1] = 1
			block := &Block{Shared: make([]byte, 4096)}
			for i := range block.Shared {
				block.Shared[i] = byte(r.Uint32())
			}
			var addrs Row
			for i := range addrs {
				addrs[i] = ir.SharedWindow | 16*r.Uint64N(4096/16)
			}
			for _, mask := range []uint32{Full, 0, 1, 1 << 31, r.Uint32()} {
				one, all := &Warp{Block: block, Regs: make([]Row, 2)}, &Warp{Block: block, Regs: make([]Row, 2)}
				for lane := range Lanes {
					one.Regs[0][lane], all.Regs[0][lane] = 7, 7
					if mask>>lane&1 != 0 {
						one.LoadLane(in, lane, addrs[lane])
					}
				}
				all.LoadShared(in, mask, &addrs)
				assert.Equal(t, one.Regs, all.Regs, fmt.Sprint(k, " x ", vec+1, " mask ", mask))
			}
		}
	}
}
