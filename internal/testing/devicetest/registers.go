package devicetest

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// testRegisters lets warpgroups hand registers to each other, whichever comes first, and breaks the rules of the PTX ISA for that.
func testRegisters(b *bench) {
	out := buffer(b, "out", device.U32, make([]uint32, 512)...)
	if b.lacks(90) {
		_, err := b.launch("Registers", 1, 256, uint32(0), out)
		var refused *device.ArgError
		require.ErrorAs(b, err, &refused)
		assert.Contains(b, refused.What, "setmaxnreg.dec needs compute capability 9.0")
		return
	}
	b.must("Registers", 2, 256, uint32(0), out)
	for i, got := range read[uint32](b, out) {
		require.EqualValues(b, i%256, got)
	}
	if !b.traits.Hangs {
		return // hardware does not report it
	}
	for _, c := range []struct {
		what, block int
		want        string
	}{
		{1, 256, "t.GiveRegisters of all but 104 registers in a warp that has 96"}, {2, 256, "t.TakeRegisters of up to 88 registers in a warp that has 96"},
		{0, 160, "t.TakeRegisters in warp 4 of a block of 160 threads: a warpgroup is four whole warps"},
	} {
		_, err := b.launch("Registers", 1, c.block, uint32(c.what), out)
		var f *device.Fault
		require.ErrorAs(b, err, &f)
		assert.Contains(b, f.What, c.want)
	}
}
