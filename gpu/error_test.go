package gpu_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

// here returns "gpu/error_test.go:N", where N is the caller's line plus delta.
func here(delta int) string {
	_, _, line, _ := runtime.Caller(1)
	return fmt.Sprintf("gpu/error_test.go:%d", line+delta)
}

func lines(s ...string) string { return strings.Join(s, "\n\t") }

func third(s []uint32, i uint32) uint32 { return s[i*3] }

func TestFaults(t *testing.T) {
	s := make([]uint32, 10)
	inner := here(-4)
	err := gpu.Launch(2, 4, func(t gpu.Thread) { s[0] = third(s, t.Global()) })
	assert.EqualError(t, err, lines("gpu: "+inner+": index out of range [12] with length 10 (block 1, thread 0)", here(-1)+": called from here"))
	var f *gpu.Fault
	require.True(t, errors.As(err, &f))
	assert.Equal(t, "gpu_test.third", f.At[0].Func)

	zero := uint32(0)
	err = gpu.Launch(1, 4, func(t gpu.Thread) { s[0] = 1 / zero })
	assert.EqualError(t, err, "gpu: "+here(-1)+": integer divide by zero (block 0, thread 0)")

	err = gpu.Launch(1, 4, func(t gpu.Thread) { gpu.AtomicAdd((*uint32)(nil), 1) })
	assert.EqualError(t, err, "gpu: "+here(-1)+": invalid memory address or nil pointer dereference (block 0, thread 0)")

	err = gpu.Launch(1, 4, func(t gpu.Thread) {
		if t.Idx() == 2 {
			panic("no such vertex")
		}
	})
	assert.EqualError(t, err, "gpu: "+here(-3)+": panic: no such vertex (block 0, thread 2)")

	err = gpu.Launch(1, 32, func(t gpu.Thread) { t.Ballot(1, true) })
	assert.EqualError(t, err, "gpu: "+here(-1)+": Ballot: lane 1 is not in its own mask 00000001 (block 0, thread 1)")
}

func TestBarrierThatCannotComplete(t *testing.T) {
	err := gpu.Launch(3, 64, func(t gpu.Thread) {
		if t.Idx() < 3 || t.Idx() == 63 {
			t.SyncAnd(true)
		} else {
			t.Sync()
		}
	})
	assert.EqualError(t, err, lines("gpu: the kernel hangs: threads of a block wait at barriers of different kinds, so none can complete",
		here(-6)+": block 0, thread 0-2,63: waits at SyncAnd",
		here(-5)+": block 0, thread 3-62: waits at Sync"))

	err = gpu.Launch(2, 64, func(t gpu.Thread) {
		if t.Global() >= 96 {
			gpu.Shfl(t, gpu.FullMask, t.Idx(), 0)
		} else if t.Global() == 70 {
			t.SyncWarp(0x40)
			t.SyncWarp(0xC0)
		}
		t.Sync()
	})
	assert.EqualError(t, err, lines("gpu: the kernel hangs: threads of a block wait for each other at different places",
		here(-3)+": block 1, thread 0-5,7-63: waits at Sync",
		here(-6)+": block 1, thread 6: waits at SyncWarp with mask 000000c0"))
	var h *gpu.HangError
	require.True(t, errors.As(err, &h))
	assert.Len(t, h.Waits, 2)
}

func TestMasksThatDiffer(t *testing.T) {
	err := gpu.Launch(1, 32, func(t gpu.Thread) {
		m := uint32(gpu.FullMask)
		if t.Lane() == 31 {
			m = 1 << 31
			m |= 1 << 30
		}
		gpu.ShflXor(t, m, m, 1)
	})
	at := here(-2)
	assert.EqualError(t, err, lines("gpu: the kernel hangs: threads of a block wait for each other at different places",
		at+": block 0, thread 0-30: waits at ShflXor with mask ffffffff",
		at+": block 0, thread 31: waits at ShflXor with mask c0000000"))
}

// Every thread waits for a flag that no thread sets.
func TestSpinningEnds(t *testing.T) {
	var flag, other uint32
	err := gpu.Launch(4, 32, func(t gpu.Thread) {
		switch {
		case t.Block() == 2 && t.Idx() == 1:
			t.Sync()
		case t.Idx() == 0:
			for gpu.Load(&flag) == 0 {
			}
		default:
			for gpu.AtomicCAS(&other, 1, 2) != 1 {
			}
		}
	}, gpu.Rounds(50))
	assert.EqualError(t, err, lines("gpu: undecided: no value changed and no thread exited in 50 rounds (see gpu.Rounds)",
		here(-8)+": block 0-3, thread 0: spins",
		here(-6)+": block 0-1,3, thread 1-31: spins",
		here(-7)+": block 2, thread 2-31: spins",
		here(-13)+": block 2, thread 1: waits at Sync"))
}

// An occasional change keeps a launch alive; barriers do so too, but not forever.
func TestProgressCounts(t *testing.T) {
	var n, flag uint32
	require.NoError(t, gpu.Launch(2, 1, func(t gpu.Thread) {
		if t.Block() == 1 {
			for gpu.Load(&flag) == 0 {
			}
			return
		}
		for range 20 {
			for range 8 {
				gpu.Fence()
			}
			gpu.AtomicAdd(&n, 1)
		}
		gpu.Store(&flag, 1)
	}, gpu.Rounds(10)))
	assert.Equal(t, uint32(20), n)

	rounds := 0
	err := gpu.Launch(1, 2, func(t gpu.Thread) {
		for !t.SyncOr(false) {
			rounds++
		}
	}, gpu.Rounds(10))
	assert.ErrorContains(t, err, "no value changed and no thread exited in 1000 rounds")
	assert.Equal(t, 2*999, rounds, "at the thousandth, the threads were ended in the barrier")

	err = gpu.Launch(1, 1, func(t gpu.Thread) {
		for {
			t.Sleep(1 << 20)
		}
	}, gpu.Rounds(10))
	assert.ErrorContains(t, err, "thread 0: sleeps")
}

func TestManyWaitsAreCut(t *testing.T) {
	x := uint32(0)
	err := gpu.Launch(1, 32, func(t gpu.Thread) {
		for gpu.Load(&x) == 0 {
			if t.Lane() != 1 {
				t.SyncWarp(uint32(1)<<t.Lane() | 2)
			}
		}
	}, gpu.Rounds(5))
	require.Error(t, err)
	assert.Equal(t, 17, strings.Count(err.Error(), "\n"))
	assert.True(t, strings.HasSuffix(err.Error(), "\tand 16 more"), err.Error())
}
