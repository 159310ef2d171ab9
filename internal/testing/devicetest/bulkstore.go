package devicetest

import (
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

func testBulkStores(b *bench) {
	const grid, block, most = 2, 96, 6 * 1024
	out, sums := buffer(b, "out", device.U32, make([]uint32, grid*most)...), buffer(b, "sums", device.U32, make([]uint32, grid*block)...)
	if b.lacks(90) {
		_, err := b.launch("BulkTiles", grid, block, uint32(4), uint32(1), out, sums)
		var refused *device.ArgError
		require.ErrorAs(b, err, &refused)
		assert.Contains(b, refused.What, "needs compute capability 9.0")
		return
	}
	for _, n := range []int{4, 100, 128, 132, 1024} {
		for _, rounds := range []int{0, 1, 3, 6} {
			require.NoError(b, b.Write(out, make([]uint32, grid*most)))
			b.must("BulkTiles", grid, block, uint32(n), uint32(rounds), out, sums)
			got, sum, want := read[uint32](b, out), uint32(0), uint32(0)
			for i, x := range got {
				if i >= grid*rounds*n {
					require.Zero(b, x, "word %d, %d words, %d rounds", i, n, rounds)
					continue
				}
				require.Equal(b, uint32(i/n*n+i%n*3+1), x, "word %d, %d words, %d rounds", i, n, rounds)
				want += x
			}
			for _, x := range read[uint32](b, sums) {
				sum += x
			}
			require.Equal(b, want, sum, "%d words, %d rounds", n, rounds)
		}
	}
	for _, threads := range []int{1, 33, 64} {
		b.must("BulkLanes", grid, threads, out)
		for i, x := range read[uint32](b, out)[:8*grid*threads] {
			require.Equal(b, uint32(i/8*100+i%8), x, "word %d, %d threads", i, threads)
		}
	}
	testBulkSums(b)
	testBulkMisuse(b)
}

// testBulkSums compares reductions of three blocks with loops over what they add.
func testBulkSums(b *bench) {
	const grid = 3
	for _, n := range []int{4, 36, 64} {
		u, d := make([]uint32, 6*n), make([]uint64, 6*n)
		s, e := make([]int32, 3*n), make([]int64, 3*n)
		f, g := make([]float32, n), make([]float64, n)
		for i := range u {
			u[i], d[i] = uint32(i)*0xC2B2AE35, uint64(i)*0xC2B2AE3D27D4EB4F
		}
		for i := range s {
			s[i], e[i] = int32(i-n), int64(i-n)<<30
		}
		args := []any{uint32(n), buffer(b, "u", device.U32, u...), buffer(b, "s", device.S32, s...), buffer(b, "d", device.U64, d...),
			buffer(b, "e", device.S64, e...), buffer(b, "f", device.F32, f...), buffer(b, "g", device.F64, g...)}
		for block := range uint32(grid) {
			for k := range n {
				v := (block+1)*0x9E3779B9 ^ uint32(k)*0x85EBCA6B
				c, h := uint64(v)<<20|uint64(k), int64(int32(v))*4097
				u[k] += 2 * v
				u[n+k], u[2*n+k] = min(u[n+k], v), max(u[2*n+k], v)
				u[3*n+k], u[4*n+k], u[5*n+k] = u[3*n+k]&v, u[4*n+k]|v, u[5*n+k]^v
				s[k], s[n+k], s[2*n+k] = s[k]+int32(v), min(s[n+k], int32(v)), max(s[2*n+k], int32(v))
				d[k] += c
				d[n+k], d[2*n+k] = min(d[n+k], c), max(d[2*n+k], c)
				d[3*n+k], d[4*n+k], d[5*n+k] = d[3*n+k]&c, d[4*n+k]|c, d[5*n+k]^c
				e[k], e[n+k], e[2*n+k] = e[k]+h, min(e[n+k], h), max(e[2*n+k], h)
				f[k], g[k] = f[k]+float32(v>>20), g[k]+float64(v) // exact in any order
			}
		}
		b.must("BulkSums", grid, 64, args...)
		assert.Equal(b, u, read[uint32](b, args[1].(device.Buffer)), "u32, %d", n)
		assert.Equal(b, s, read[int32](b, args[2].(device.Buffer)), "s32, %d", n)
		assert.Equal(b, d, read[uint64](b, args[3].(device.Buffer)), "u64, %d", n)
		assert.Equal(b, e, read[int64](b, args[4].(device.Buffer)), "s64, %d", n)
		assert.Equal(b, f, read[float32](b, args[5].(device.Buffer)), "f32, %d", n)
		assert.Equal(b, g, read[float64](b, args[6].(device.Buffer)), "f64, %d", n)
	}
}

func testBulkMisuse(b *bench) {
	if !b.traits.Faults {
		return
	}
	in, out := buffer(b, "words", device.U32, make([]uint32, 192)...), buffer(b, "out", device.U32, make([]uint32, 32)...)
	for what, want := range []struct{ text, line string }{
		{"a copy in bulk of 12 bytes; want a multiple of 16", "gpu.StoreBulk(&words[0], &w[0], 3) // of 12 bytes"},
		{"copy in bulk of 16 bytes of words at byte offset 4, which is not a multiple of 16", "gpu.StoreBulk(&words[1], &w[0], 4) // to byte 4"},
		{"load of 16 bytes of w at byte offset 8, which is not a multiple of 16", "gpu.StoreBulk(&words[0], &w[2], 4) // from byte 8"},
		{"out of range of w with length 64", "gpu.StoreBulk(&words[0], &w[48], 32) // from beyond the end"},
		{"out of range of words with length 192", "gpu.StoreBulk(&words[gpu.Len(words)-4], &w[0], 8) // beyond the end"},
		{"element 7 of shared w is written while an asynchronous copy of thread 0 of the block, issued at", "w[7] = 1 // may not have been read"},
		{"element 3 of words is read while an asynchronous copy of thread 0 of the block, issued at", "out[0] = words[3] // too early"},
		{"missing fence of the asynchronous proxy: a copy in bulk reads element 0 of shared w, which thread 0 of the block has written at", "gpu.StoreBulk(&words[0], &w[0], 8) // may not see it"},
		{"element 4 of words is written while an asynchronous copy of thread 0 of the block, issued at", "gpu.AddBulk(&words[4], &w[0], 8) // to where a copy may still write"},
		{"the block ends while a copy in bulk of thread 0 may still read element 0 of shared w; that thread must wait for its groups first (t.WaitBulkRead or t.WaitBulk)", "gpu.StoreBulk(&words[0], &w[0], 8) // never waited for"},
		{"element 5 of words is written while an asynchronous copy of thread 0 of the block, issued at", "words[5] = 1 // beside a reduction, and no update"},
	} {
		if what >= 5 && !b.strict() {
			continue // it finds what is there
		}
		f := b.fault("BulkStoreMisuse", 1, 32, uint32(what), in, out)
		assert.Contains(b, f.What, want.text, "%d", what)
		if strings.Contains(want.text, "missing fence") {
			assert.Contains(b, f.What, "; that thread must execute t.FenceAsync behind it, before it tells the thread that copies")
		}
		assert.Equal(b, want.line, line(b, f.At[0]))
		b.must("UnwrittenGlobal", 1, 32, in, out) // which copies nothing: what was pending is forgotten
	}
}
