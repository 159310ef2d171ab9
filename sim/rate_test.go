package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// index computes row 0, the index of the element that a thread accesses.
type index func(a *asm)

// masked is (thread in the grid / 2^shift) * step modulo 2^bits.
func masked(shift, step, bits uint) index {
	return func(a *asm) {
		a.global(0)
		a.op(ir.OpShr, ir.U32, 0, 0, a.konst(ir.U32, uint64(shift)))
		a.op(ir.OpMul, ir.U32, 0, 0, a.konst(ir.U32, uint64(step)))
		a.op(ir.OpAnd, ir.U32, 0, 0, a.konst(ir.U32, 1<<bits-1))
	}
}

// scattered is a hash of the thread and of the round in row 5, modulo 2^bits.
func scattered(bits uint) index {
	return func(a *asm) {
		a.op(ir.OpMad, ir.U32, 0, 4, a.konst(ir.U32, 2654435761), 5)
		a.op(ir.OpShr, ir.U32, 1, 0, a.konst(ir.U32, 15))
		a.op(ir.OpXor, ir.U32, 0, 0, 1)
		a.op(ir.OpMul, ir.U32, 0, 0, a.konst(ir.U32, 0x2c1b3c6d))
		a.op(ir.OpShr, ir.U32, 1, 0, a.konst(ir.U32, 12))
		a.op(ir.OpXor, ir.U32, 0, 0, 1)
		a.op(ir.OpAnd, ir.U32, 0, 0, a.konst(ir.U32, 1<<bits-1))
	}
}

// rounds is a kernel that executes body on x[index] a number of times.
func rounds(t *testing.T, n int, at index, body func(a *asm, root int32)) *device.Kernel {
	a := newAsm("rounds", 40, 0)
	x, _, xr := a.slice("x", ir.U32)
	a.global(4)
	for i := range n {
		a.op(ir.OpMov, ir.U32, 5, a.konst(ir.U32, uint64(i)*0x9e3779b9))
		at(a)
		a.lea(3, x, 0, 4)
		body(a, xr)
	}
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// TestHeavyRatesOfGlobalAtomics compares with the rates that 270,336 threads reach on an H200, in operations per cycle
// at 1.98 GHz.
func TestHeavyRatesOfGlobalAtomics(t *testing.T) {
	const ghz, threads = 1.98, 270336
	for _, c := range []struct {
		name   string
		at     index
		words  int
		rounds int // in addition to the first
		result bool
		gops   float64
		within float64
	}{
		{"one address", masked(31, 0, 1), 2, 2, false, 1.37, 0.05},
		{"one address, with result", masked(31, 0, 1), 2, 1, true, 1.37, 0.05},
		{"a line a warp, 32 lines", masked(5, 32, 10), 1024, 2, false, 10.4, 0.15},
		{"a line a warp", masked(5, 32, 20), 1 << 20, 2, false, 78.5, 0.2}, // the micro-kernel's sixteen rounds, with queues that have filled, are at 1.00
		{"a line a warp, with result", masked(5, 32, 20), 1 << 20, 2, true, 59.3, 0.35},
		{"consecutive in 4 KiB", masked(0, 1, 10), 1024, 4, false, 83, 0.35}, // an H100 has 93 here, and 109 if warps choose lines at random (results/hw/atomics)
		{"consecutive", masked(0, 1, 20), 1 << 20, 20, false, 553, 0.65},
		{"random in 4 KiB", scattered(10), 1024, 2, false, 11.1, 0.2},
		{"random in 4 MiB", scattered(20), 1 << 20, 1, false, 103, 0.3},
		{"random in 4 MiB, with result", scattered(20), 1 << 20, 1, true, 77.7, 0.3},
	} {
		d := open(t, "h200")
		b := upload(t, d, "x", device.U32, make([]uint32, c.words))
		cycles := func(n int) float64 {
			k := rounds(t, n, c.at, func(a *asm, root int32) {
				dst := int32(-1)
				if c.result {
					dst = 6 + int32(len(a.p.Code)%32)
				}
				a.mem(ir.OpAtomAdd, ir.U32, dst, root, 3, a.konst(ir.U32, 1))
			})
			return float64(launch(t, d, k, threads/256, 256, b).Cycles)
		}
		one := cycles(1)
		if c.words > 1024 {
			one = cycles(1) // the L2 holds the buffer from now on
		}
		got := float64(c.rounds) * threads / (cycles(1+c.rounds) - one) * ghz
		t.Logf("%s: %.1f G/s, measured %.1f", c.name, got, c.gops)
		assert.InEpsilon(t, c.gops, got, c.within, c.name)
	}
}

// TestRoomOfAtomicUnit checks when a packet has room in the queue of a unit: what was sent before goes first, the unit
// works one step after another, and a result that costs more is known when it is performed.
func TestRoomOfAtomicUnit(t *testing.T) {
	u := newAtomicUnit(&config.Atomic{Step: 2, Replay: 3, Result: 1, Queue: 4})
	at := func(now uint64, w atomicWork) uint64 { return u.room(timing.At(now), &w).Cycle() }
	assert.Equal(t, uint64(100+20-8), at(100, atomicWork{steps: 10}))
	assert.Equal(t, uint64(100+20+2+9-8), at(104, atomicWork{steps: 1, replays: 3}))
	assert.Equal(t, uint64(200+2-8), at(200, atomicWork{steps: 1}), "it was idle")
	u.perform(7, atomicWork{steps: 10}, true, false, 200)
	assert.Equal(t, uint64(200+2+10+2-8), at(200, atomicWork{steps: 1}), "10 results")
	u = newAtomicUnit(&config.Atomic{Step: 2, Queue: 400})
	assert.Zero(t, at(100, atomicWork{steps: 10}), "all fits")
}

// TestHeavyRateOfGather compares the rate of random 4-byte loads with an H200's, in loads per nanosecond, and a copy
// with its bandwidth.
func TestHeavyRateOfGather(t *testing.T) {
	const ghz, threads = 1.98, 270336
	gather := func(a *asm, root int32) { a.mem(ir.OpLoad, ir.U32, 6+int32(len(a.p.Code)%32), root, 3) }
	for _, c := range []struct {
		bits   uint // of the word's index
		gps    float64
		within float64
	}{{18, 163, 0.25}} {
		d := open(t, "h200")
		b := upload(t, d, "x", device.U32, make([]uint32, 1<<c.bits))
		cycles := func(n int) float64 {
			return float64(launch(t, d, rounds(t, n, scattered(c.bits), gather), threads/256, 256, b).Cycles)
		}
		cycles(1) // the L2 holds the buffer from now on
		one := cycles(1)
		got := threads / (cycles(2) - one) * ghz
		t.Logf("gather from %d MiB: %.1f G/s, measured %.1f", 4<<c.bits>>20, got, c.gps)
		assert.InEpsilon(t, c.gps, got, c.within)
	}
}

// copyKernel copies 16 bytes per thread from x to y.
func copyKernel(t testing.TB) *device.Kernel {
	a := newAsm("copy", 8, 0)
	from, _, xr := a.slice("x", ir.U32)
	to, _, yr := a.slice("y", ir.U32)
	a.global(0)
	a.lea(1, from, 0, 16)
	a.lea(2, to, 0, 16)
	in := a.mem(ir.OpLoad, ir.U32, 4, xr, 1)
	in.Mem.Vec, in.NDst, in.Dst = 4, 4, [4]int32{4, 5, 6, 7}
	in = a.mem(ir.OpStore, ir.U32, -1, yr, 2, 4, 5, 6, 7)
	in.Mem.Vec = 4
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

func TestHeavyRateOfCopy(t *testing.T) {
	d := open(t, "h200")
	const n = 1 << 24 // words: more than the L2 holds
	// The part of y that the L2 still holds at the end was not written to DRAM.
	kept := float64(d.cfg.L2.Bytes) / 2
	x, err := d.Alloc("x", device.U32, n)
	assert.NoError(t, err)
	y, err := d.Alloc("y", device.U32, n)
	assert.NoError(t, err)
	r := launch(t, d, copyKernel(t), n/4/512, 512, x, y)
	got := (8*n - kept) / (float64(r.Cycles) / 1.98) // bytes per nanosecond
	t.Logf("copy: %.0f GB/s, measured 3967", got)
	assert.InEpsilon(t, 3967, got, 0.2)
}
