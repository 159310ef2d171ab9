package devicetest

import (
	"math/rand/v2"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
)

func testTables(b *bench) {
	const n = 3 * 70
	r := rand.New(rand.NewPCG(1, 2))
	at, want, scales := make([]uint32, n), make([]uint32, n), make([]float64, n)
	for i := range at {
		at[i] = r.Uint32N(10)
		want[i] = testkernels.Primes[at[i]]
		s := testkernels.Steps[at[i]%3]
		scales[i] = s.Scale*float64(s.By) + float64(s.Small[i&1])
	}
	index := buffer(b, "at", device.U32, at...)
	out, scale := buffer(b, "out", device.U32, make([]uint32, n)...), buffer(b, "scale", device.F64, make([]float64, n)...)
	for range 2 { // every launch has the table
		b.must("Tables", 3, 70, index, out, scale)
		require.Equal(b, want, read[uint32](b, out))
		require.Equal(b, scales, read[float64](b, scale))
		require.NoError(b, b.Write(out, make([]uint32, n)))
	}
	b.must("TableSum", 1, 1, 3, 6, out)
	assert.Equal(b, uint32(7+11+13), read[uint32](b, out)[0])
	if !b.traits.Faults {
		return
	}
	at[75] = 10
	require.NoError(b, b.Write(index, at))
	f := b.fault("Tables", 3, 70, index, out, scale)
	assert.Equal(b, "index 10 out of range of Primes with length 10", f.What)
	assert.Equal(b, []any{"Primes", int64(10), int64(10), 1, 5}, []any{f.Buffer, f.Index, f.Length, f.Block, f.Thread})
}
