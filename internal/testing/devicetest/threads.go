package devicetest

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

func testSizes(b *bench) {
	for _, size := range [][2]int{{1, 1}, {1, 31}, {1, 32}, {1, 33}, {3, 96}, {2, 1024}, {7, 1000}, {1000, 1}, {300, 40}} {
		grid, block := size[0], size[1]
		n := grid * block
		out := buffer(b, "out", device.U32, make([]uint32, 7*n)...)
		b.must("Places", grid, block, out)
		got := read[uint32](b, out)
		for i := range n {
			want := []uint32{uint32(i % block), uint32(i / block), uint32(block), uint32(grid), uint32(i % block % 32), uint32(i % block / 32), uint32(n)}
			require.Equal(b, want, got[7*i:7*i+7], "thread %d of %d blocks of %d", i, grid, block)
		}
		require.NoError(b, b.Free(out))
	}
	// Fewer elements than threads, and more.
	few, many := buffer(b, "few", device.U32, make([]uint32, 5)...), buffer(b, "many", device.U32, make([]uint32, 50)...)
	b.must("Iota", 2, 33, few)
	assert.Equal(b, []uint32{1, 2, 3, 4, 5}, read[uint32](b, few))
	b.must("Iota", 1, 33, many)
	got := read[uint32](b, many)
	assert.Equal(b, uint32(33), got[32])
	assert.Equal(b, make([]uint32, 17), got[33:])
}

func testSizeErrors(b *bench) {
	for _, c := range []struct {
		grid, block int
		want        string
	}{
		{1, 0, "a block of 0 threads; it may have 1 to 1024"},
		{1, -32, "a block of -32 threads"},
		{1, 1025, "a block of 1025 threads; it may have 1 to 1024"},
		{0, 32, "a grid of 0 blocks; it may have 1 to 2147483647"},
		{1 << 31, 32, "a grid of 2147483648 blocks"},
	} {
		_, err := b.launch("Iota", c.grid, c.block, nil)
		var arg *device.ArgError
		require.ErrorAs(b, err, &arg)
		assert.Contains(b, arg.What, c.want)
	}
	_, err := b.Launch(context.Background(), device.Launch{Kernel: b.kernel("Iota"), Grid: 1, Block: 32, Args: []any{nil}, DynamicShared: 1 << 30})
	var arg *device.ArgError
	require.ErrorAs(b, err, &arg)
	assert.Contains(b, arg.What, "bytes of shared memory; the device has")
}

func testBound(b *bench) {
	k, err := b.kernels.Kernel(b.Context(), "testkernels.Bound", map[string]any{"factor": uint32(3)})
	require.NoError(b, err)
	out := buffer(b, "out", device.U32, make([]uint32, 4)...)
	_, err = b.Launch(context.Background(), device.Launch{Kernel: k, Grid: 1, Block: 32, Args: []any{out}})
	require.NoError(b, err)
	assert.Equal(b, []uint32{0, 3, 6, 9}, read[uint32](b, out))
	_, err = b.Launch(context.Background(), device.Launch{Kernel: k, Grid: 1, Block: 32, Args: []any{out, 3}})
	assert.ErrorContains(b, err, "2 arguments where the kernel takes 1: (out []uint32)")
}

func testAtomics(b *bench) {
	const n = 5 * 70
	u := buffer(b, "u", device.U32, uint32(10), 1000, 0, 0, 0xFFFF, 0, 0)
	s := buffer(b, "s", device.S32, int32(0), -1000)
	w := buffer(b, "w", device.U64, uint64(0), 0)
	f := buffer(b, "f", device.F32, float32(0))
	b.must("Atomics", 5, 70, u, s, w, f)
	xor := uint32(0)
	for i := range uint32(n) {
		xor ^= i
	}
	assert.Equal(b, []uint32{10 + n, 0, n - 1, 0xFFFFFFFF, 0xFF00, xor, 2 * n}, read[uint32](b, u))
	assert.Equal(b, []int32{1 - n, 0}, read[int32](b, s))
	assert.Equal(b, []uint64{n * (n - 1) / 2 << 32, (n - 1) << 33}, read[uint64](b, w))
	assert.Equal(b, []float32{n / 2}, read[float32](b, f))

	next, tickets := buffer(b, "next", device.U32, uint32(0)), buffer(b, "tickets", device.U32, make([]uint32, n)...)
	b.must("Tickets", 5, 70, next, tickets)
	got := read[uint32](b, tickets)
	slices.Sort(got)
	for i, v := range got {
		require.Equal(b, uint32(i), v, "every ticket is given once")
	}
}

func testShared(b *bench) {
	for _, block := range []int{1, 33, 256, 1000} {
		in := make([]uint32, 3*block)
		for i := range in {
			in[i] = uint32(i)
		}
		data := buffer(b, "data", device.U32, in...)
		b.must("Reverse", 3, block, data)
		for i := range 3 {
			slices.Reverse(in[i*block : (i+1)*block])
		}
		require.Equal(b, in, read[uint32](b, data))
	}
	in := make([]uint32, 5000)
	want := make([]uint32, 16)
	for i := range in {
		in[i] = uint32(i * i)
		want[in[i]%16]++
	}
	hist := buffer(b, "hist", device.U32, make([]uint32, 16)...)
	b.must("Histogram", 6, 90, buffer(b, "in", device.U32, in...), hist)
	assert.Equal(b, want, read[uint32](b, hist))
}

func testVotes(b *bench) {
	for _, c := range []struct {
		block, limit int
		want         []uint32
	}{
		{96, 40, []uint32{40, 0, 1, 40, 0, 1}},
		{96, 96, []uint32{96, 1, 1, 96, 1, 1}},
		{70, 0, []uint32{0, 0, 0, 0, 0, 0}},
		{5, 100, []uint32{5, 1, 1, 5, 1, 1}},
	} {
		out := buffer(b, "out", device.U32, make([]uint32, 6)...)
		b.must("Votes", 2, c.block, out, c.limit)
		assert.Equal(b, c.want, read[uint32](b, out), "%d threads, %d vote for it", c.block, c.limit)
	}
}

func testWarp(b *bench) {
	for _, mask := range []uint32{0xFFFFFFFF, 0x0000FFFF, 0x80000001, 0x5555AAAA} {
		for _, block := range []int{64, 40} {
			out := buffer(b, "out", device.U32, make([]uint32, 8*block)...)
			if b.strict() && undefinedShuffles(mask, block) {
				f := b.fault("Warp", 1, block, out, mask)
				assert.Contains(b, f.What, "the value is undefined")
				continue
			}
			b.must("Warp", 1, block, out, mask)
			got := read[uint32](b, out)
			for i := range block {
				exist := ^uint32(0) >> max(0, 32-(block-i/32*32))
				want := warpWant(uint32(i%32), mask&exist)
				for j := range want {
					if want[j] == unspecified {
						want[j] = got[8*i+j]
					}
				}
				require.Equal(b, want, got[8*i:8*i+8], "mask %08x, thread %d of %d", mask, i, block)
			}
		}
	}
}

// strict reports whether the device stops at what PTX leaves undefined.
func (b *bench) strict() bool { return b.traits.Strict || b.Capabilities().Has(device.Unwritten) }

// undefinedShuffles reports whether a shuffle of testkernels.Warp reads a lane that does not
// take part.
func undefinedShuffles(mask uint32, block int) bool {
	for i := range block {
		exist := ^uint32(0) >> max(0, 32-(block-i/32*32))
		if slices.Contains(warpWant(uint32(i%32), mask&exist), unspecified) {
			return true
		}
	}
	return false
}

// testFar checks shuffles with a distance beyond the warp: each lane keeps its own value.
func testFar(b *bench) {
	for _, by := range []uint32{0, 1, 31, 32, 33, 64, 1 << 31, math.MaxUint32} {
		out, wide := buffer(b, "out", device.U32, make([]uint32, 64)...), buffer(b, "wide", device.U64, make([]uint64, 64)...)
		b.must("Far", 1, 32, out, wide, by)
		got, got64 := read[uint32](b, out), read[uint64](b, wide)
		for i := range uint32(32) {
			up, down := i, i
			if by <= i {
				up = i - by
			}
			if by < 32-i {
				down = i + by
			}
			require.Equal(b, []uint32{up, down}, got[2*i:2*i+2], "lane %d, distance %d", i, by)
			require.Equal(b, []uint64{uint64(up) << 32, uint64(down) << 32}, got64[2*i:2*i+2], "lane %d, distance %d", i, by)
		}
	}
}

// unspecified stands for the result of a shuffle from a lane that does not take part.
const unspecified = 0xDEAD

// warpWant returns what lane l of testkernels.Warp stores if the lanes in mask take part.
func warpWant(l, mask uint32) []uint32 {
	out := make([]uint32, 8)
	if mask>>l&1 == 0 {
		return out
	}
	from := func(lane int) uint32 {
		switch {
		case lane < 0 || lane > 31:
			return l
		case mask>>lane&1 == 0:
			return unspecified
		}
		return uint32(lane)
	}
	for i := range uint32(32) {
		if mask>>i&1 == 0 {
			continue
		}
		if i%3 == 0 {
			out[0] |= 1 << i
		}
		if i/4 == l/4 {
			out[5] |= 1 << i
		}
	}
	if out[1] = from(1); out[1] != unspecified {
		out[1] *= 10
	}
	out[2], out[3], out[4] = from(int(l)-2), from(int(l)+2), from(int(l^1))
	out[6] = mask >> 2 & 1
	out[7] = 1
	return out
}

func testCooperative(b *bench) {
	k := b.kernel("Handover")
	occ, err := b.Occupancy(k, 64)
	require.NoError(b, err)
	fits := occ.BlocksPerSM * occ.SMs
	blocks := min(fits, 40)
	flag := buffer(b, "flag", device.U32, make([]uint32, blocks)...)
	l := device.Launch{Kernel: k, Grid: blocks, Block: 64, Args: []any{flag}, Cooperative: true}
	_, err = b.Launch(context.Background(), l)
	require.NoError(b, err)
	assert.NotContains(b, read[uint32](b, flag), uint32(0))

	l.Grid = fits + 1
	l.Args = []any{buffer(b, "more", device.U32, make([]uint32, l.Grid)...)}
	_, err = b.Launch(context.Background(), l)
	var arg *device.ArgError
	require.ErrorAs(b, err, &arg)
	assert.Contains(b, arg.What, "cooperative")
}

func testIndependent(b *bench) {
	if !b.traits.Independent {
		b.Skip("the device does not promise it")
	}
	first := buffer(b, "out", device.U32, make([]uint32, 128)...)
	b.must("LaneFirst", 2, 64, first)
	for i, got := range read[uint32](b, first) {
		require.Equal(b, uint32(8-i%64/32), got, "thread %d", i)
	}
	if !b.lacks(90) {
		require.NoError(b, b.clustered("ClusterLaneFirst", 2, 4, 32, first))
		for i, got := range read[uint32](b, first) {
			require.Equal(b, uint32(i/32^1)+1, got, "thread %d of clusters", i)
		}
	}
	for _, n := range []uint32{32, 64, 90} {
		out := buffer(b, "out", device.U32, make([]uint32, n)...)
		b.must("Leave", 1, int(n), out)
		for i, v := range read[uint32](b, out) {
			want := uint32(1)
			if i%2 == 0 {
				want = n - 1 - uint32(i)
			}
			require.Equal(b, want, v, "thread %d of %d", i, n)
		}
		if b.strict() {
			f := b.fault("Sides", 1, int(n), out)
			assert.Contains(b, f.What, "all threads of a block must come to the same")
		} else {
			b.must("Sides", 1, int(n), out)
			for i, v := range read[uint32](b, out) {
				want := 5<<16 + n - 1 - uint32(i)
				if i%3 != 0 {
					want += 1000
				}
				require.Equal(b, want, v, "thread %d of %d", i, n)
			}
		}
		flag := buffer(b, "flag", device.U32, make([]uint32, n+1)...)
		require.NoError(b, b.Write(flag.Slice(int(n), int(n)+1), []uint32{1}))
		b.must("Own", 1, int(n), flag)
		assert.NotContains(b, read[uint32](b, flag), uint32(0))
		lock, counter := buffer(b, "lock", device.U32, uint32(0)), buffer(b, "counter", device.U32, uint32(0))
		b.must("Lock", 3, int(n), lock, counter)
		assert.Equal(b, []uint32{3 * n}, read[uint32](b, counter))
		if n%32 == 0 {
			turn, met := buffer(b, "turn", device.U32, make([]uint32, n/8)...), buffer(b, "met", device.U32, make([]uint32, n)...)
			b.must("Meet", 1, int(n), turn, met)
			for i, v := range read[uint32](b, met) {
				want := uint32(i%32^1) + 4
				if i%32 > 0 {
					want += 100
				}
				require.Equal(b, want, v, "thread %d of %d", i, n)
			}
		}
	}
}

func testOccupancy(b *bench) {
	k := b.kernel("Reverse")
	last := 1 << 30
	for _, block := range []int{32, 64, 256, 1024} {
		o, err := b.Occupancy(k, block)
		require.NoError(b, err)
		assert.Positive(b, o.SMs)
		assert.Positive(b, o.BlocksPerSM)
		assert.Equal(b, o.BlocksPerSM*block/32, o.WarpsPerSM)
		assert.LessOrEqual(b, o.WarpsPerSM, o.MaxWarps)
		assert.LessOrEqual(b, o.BlocksPerSM, last)
		assert.GreaterOrEqual(b, o.Shared, 4096)
		assert.Positive(b, o.Regs)
		assert.NotEmpty(b, o.Limit)
		assert.GreaterOrEqual(b, o.SharedFree, 0)
		last = o.BlocksPerSM
	}
	for _, block := range []int{0, 1025} {
		_, err := b.Occupancy(k, block)
		assert.Error(b, err)
	}
}

func testRepeats(b *bench) {
	if !b.traits.Repeats {
		b.Skip("the device does not promise it")
	}
	run := func(d device.Device) []uint32 {
		r := &bench{T: b.T, Device: d, kernels: b.kernels, traits: b.traits}
		out := buffer(r, "out", device.U32, make([]uint32, 97)...)
		r.must("Race", 9, 130, out)
		return read[uint32](r, out)
	}
	first := run(b.Device)
	assert.Equal(b, first, run(b.Device), "a second launch")
	other := b.open(b.T)
	assert.Equal(b, first, run(other), "another device")
	require.NoError(b, other.Close())
}

// testCapabilities checks that a device has the methods that belong to its capabilities;
// testTotal and testStrict check what it does.
func testCapabilities(b *bench) {
	_, streams := b.Device.(device.Concurrent)
	assert.Equal(b, b.Capabilities().Has(device.Streams), streams)
	if b.Capabilities().Has(device.Nested) {
		assert.Implements(b, (*device.Nester)(nil), b.Device)
	} else {
		_, err := device.LaunchChain(b.Context(), b.Device, device.Chain{})
		assert.ErrorContains(b, err, "has no kernels that start kernels")
	}
	_, model := b.Device.(device.Model)
	assert.Equal(b, b.Capabilities().Has(device.Silicon), model)
}

func testTotal(b *bench) {
	assert.Equal(b, 0, b.Total().Launches)
	out := buffer(b, "out", device.U32, make([]uint32, 100)...)
	var cycles uint64
	sums := map[string]float64{}
	for range 3 {
		rep := b.must("Iota", 2, 64, out)
		cycles += rep.Cycles
		for _, c := range rep.Counters {
			assert.NotEmpty(b, c.Unit, c.Name)
			assert.NotEmpty(b, c.Desc, c.Name)
			if strings.HasSuffix(c.Name, ".sum") {
				sums[c.Name] += c.Value
			}
		}
	}
	total := b.Total()
	assert.Equal(b, 3, total.Launches)
	assert.GreaterOrEqual(b, total.Cycles, cycles)
	can := b.Capabilities()
	assert.Equal(b, can.Has(device.Counters), sums["smsp__inst_executed.sum"] > 0)
	assert.Equal(b, can.Has(device.Clock), total.Seconds > 0)
	assert.True(b, total.Cycles > 0 || !can.Has(device.CycleLevel))
	for name, want := range sums {
		got, ok := total.Counter(name)
		assert.True(b, ok, name)
		assert.Equal(b, want, got, name)
	}
	_, ok := total.Counter("no such counter")
	assert.False(b, ok)
}
