package sim

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// copyTime returns how many nanoseconds a copy of 2 MiB that misses the L2 takes. The memory is slow, so that its bus
// is the limit.
func copyTime(t *testing.T, set ...string) float64 {
	d := open(t, "tiny", append([]string{"dram.bandwidth", "10"}, set...)...)
	const n = 1 << 19
	x, err := d.Alloc("x", device.U32, n)
	assert.NoError(t, err)
	y, err := d.Alloc("y", device.U32, n)
	assert.NoError(t, err)
	r := launch(t, d, copyKernel(t), n/4/256, 256, x, y)
	return float64(r.Cycles) / d.cfg.Clock.SM * 1e3
}

// atomicTime returns how many nanoseconds atomics of 1,024 threads on one address take.
func atomicTime(t *testing.T, set ...string) float64 {
	d := open(t, "tiny", set...)
	b := upload(t, d, "x", device.U32, make([]uint32, 32))
	k := rounds(t, 8, masked(31, 0, 1), func(a *asm, root int32) {
		a.mem(ir.OpAtomAdd, ir.U32, -1, root, 3, a.konst(ir.U32, 1))
	})
	return float64(launch(t, d, k, 4, 256, b).Cycles) / d.cfg.Clock.SM * 1e3
}

// TestClockDomains checks that the time of work limited by one part does not depend on the clock of another part.
func TestClockDomains(t *testing.T) {
	mem, atomic := copyTime(t), atomicTime(t)
	for _, mhz := range []int{700, 1500, 2000} { // 1,000 in the preset
		set := []string{"clock.sm", fmt.Sprint(mhz)}
		assert.InEpsilon(t, mem, copyTime(t, set...), 0.03, "copy, SMs at %d MHz", mhz)
		assert.InEpsilon(t, atomic, atomicTime(t, set...), 0.03, "atomics, SMs at %d MHz", mhz)
	}
	assert.InEpsilon(t, mem/2, copyTime(t, "dram.bandwidth", "20"), 0.05)
	assert.InEpsilon(t, mem, copyTime(t, "clock.l2", "1500"), 0.03)
	assert.InEpsilon(t, atomic/2, atomicTime(t, "clock.l2", "2000"), 0.05)
	assert.InEpsilon(t, atomic, atomicTime(t, "dram.bandwidth", "102.4"), 0.03)
}
