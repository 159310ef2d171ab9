package sim

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
)

// TestInnerLoops checks that an instruction is in an inner loop if a loop that contains no other loop contains it; of
// equal loops, the later contains the earlier.
func TestInnerLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		p := &ir.Program{Code: make([]ir.Inst, 40)}
		type loop struct{ from, to int }
		var loops []loop
		for i := range p.Code {
			p.Code[i] = ir.Inst{Op: ir.OpAdd}
			if rng.IntN(3) == 0 {
				to := i - rng.IntN(i+1)
				p.Code[i] = ir.Inst{Op: ir.OpJmp, Target: int32(to)}
				loops = append(loops, loop{to, i})
			}
		}
		want := make([]bool, len(p.Code))
		for i, a := range loops {
			holds := false
			for j, b := range loops {
				holds = holds || i != j && a.from <= b.from && b.to <= a.to && (a != b || j < i)
			}
			for k := a.from; k <= a.to && !holds; k++ {
				want[k] = true
			}
		}
		require.Equal(t, want, newLowering(p, &config.GPU{}).inner)
	}
}
