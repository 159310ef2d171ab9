package devicetest

import (
	"math"
	"slices"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
)

// records allocates a buffer of structs of the given size in bytes.
func records[T any](b *bench, name string, size int, data []T) device.Buffer {
	b.Helper()
	buf, err := b.Alloc(name, device.U8, size*len(data))
	require.NoError(b, err)
	require.NoError(b, b.Write(buf, data))
	return buf
}

func testRecords(b *bench) {
	const n = 3 * 64
	in, out := make([]testkernels.Quad, n), make([]testkernels.Quad, n)
	wide, couples := make([]testkernels.Broad, n), make([]testkernels.Couple, n)
	for i := range in {
		x := uint32(i)
		in[i] = testkernels.Quad{A: x, B: float32(i) / 4, C: int32(-i), D: x << 20}
		wide[i] = testkernels.Broad{X: float64(i), Y: 0.5}
		couples[i] = testkernels.Couple{K: x, V: x * x}
	}
	from, to := records(b, "in", 16, in), records(b, "out", 16, out)
	w, c := records(b, "wide", 16, wide), records(b, "couples", 8, couples)
	b.must("Records", 3, 64, from, to, w, c)
	require.NoError(b, b.Read(to, out))
	require.NoError(b, b.Read(w, wide))
	require.NoError(b, b.Read(c, couples))
	for i := range in {
		want := in[i/64*64+63-i%64]
		want.B, want.C = want.B*2, -want.C
		require.Equal(b, want, out[i], "element %d", i)
		require.Equal(b, testkernels.Broad{X: 0.5, Y: float64(-i)}, wide[i])
		require.Equal(b, testkernels.Couple{K: uint32(i*i) + 1, V: uint32(i)}, couples[i])
	}
	parts := buffer(b, "parts", device.U32, make([]uint32, n)...)
	b.must("RecordParts", 3, 64, from, parts)
	for i, v := range read[uint32](b, parts) {
		r := in[n-1-i]
		require.Equal(b, in[i].D^(r.A+math.Float32bits(r.B)), v, "element %d", i)
	}
	// One load and one store per warp, whatever else the device counts.
	rep := b.must("Record", 3, 64, from, to)
	got := make([]testkernels.Quad, n)
	require.NoError(b, b.Read(to, got))
	assert.Equal(b, in, got)
	for _, name := range []string{"smsp__inst_executed_op_global_ld.sum", "smsp__inst_executed_op_global_st.sum"} {
		if v, ok := rep.Counter(name); ok {
			assert.EqualValues(b, 3*2, v, name)
		}
	}
}

func testRecordErrors(b *bench) {
	bytes := make([]byte, 16*65)
	in, out := buffer(b, "in", device.U8, bytes...), buffer(b, "out", device.U8, bytes...)
	_, err := b.launch("Record", 1, 64, in.Slice(8, 8+16*64), out)
	var arg *device.ArgError
	require.ErrorAs(b, err, &arg)
	assert.Equal(b, "argument 1 (in []testkernels.Quad): in: buffer in begins at byte 8 of in; the kernel accesses 16 bytes at once there, so it must begin at a multiple of 16", arg.What)
	b.must("Record", 1, 64, in.Slice(16, 16*65), out)
	part := slices.Repeat([]byte{1}, 16)
	require.NoError(b, b.Write(in.Slice(16, 32), part))
	b.must("Record", 1, 64, in.Slice(16, 16*65), out)
	assert.Equal(b, part, read[byte](b, out)[:16])
	if b.traits.Faults {
		f := b.fault("Record", 1, 96, in, out)
		assert.Equal(b, "index 65 out of range of in with length 65", f.What)
	}
}
