package sim

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/sim/internal/timing"
	"github.com/weft-gpu/weft/sim/profile"
)

// indexedAdder is a kernel in which thread i adds 1 to x[to[i]], without the result.
func indexedAdder(t testing.TB) *device.Kernel {
	a := newAsm("indexed", 4, 0)
	to, _, toRoot := a.slice("to", ir.U32)
	x, _, root := a.slice("x", ir.U32)
	a.global(0)
	a.lea(1, to, 0, 4)
	a.mem(ir.OpLoad, ir.U32, 2, toRoot, 1)
	a.lea(1, x, 2, 4)
	a.mem(ir.OpAtomAdd, ir.U32, -1, root, 1, a.konst(ir.U32, 1))
	a.op(ir.OpExit, ir.Void, -1)
	return a.kernel(t)
}

// TestContendedWords has kernels whose contention is known: one warp each, so that its packet finds the unit idle. The
// operations on a word follow each other, a step apart: n of them wait for 0 + 1 + ... + (n-1) steps.
func TestContendedWords(t *testing.T) {
	d := open(t, "tiny")
	lists := [][]uint32{make([]uint32, 32), make([]uint32, 32), make([]uint32, 32)}
	for i := range uint32(32) {
		lists[0][i] = 3        // one word
		lists[1][i] = 64       // another one, in another line,
		lists[2][i] = 128 + i  // and a word for each lane
		if i%4 == 0 && i > 0 { // but 7 lanes of the second warp are on the word before
			lists[1][i] = 56
		}
	}
	x := upload(t, d, "x", device.U32, make([]uint32, 256))
	k := indexedAdder(t)
	step := float64(timing.Ticks(d.cfg.Atomic.Step)) / timing.TicksPerCycle
	for i, want := range []struct{ queue, steps float64 }{{32, 32 * 31 / 2}, {25, 25*24/2 + 7*6/2}, {1, 0}} {
		r := launch(t, d, k, 1, 32, upload(t, d, "to", device.U32, lists[i]), x)
		assert.Equal(t, want.queue, count(t, r, counter.AtomicQueue), "launch %d", i)
		assert.Equal(t, 32.0, count(t, r, counter.AtomicOps), "launch %d", i)
		if i != 1 { // the packets of two lines may come to one unit
			assert.Equal(t, want.steps*step, count(t, r, counter.AtomicWait), "launch %d", i)
		} else {
			assert.GreaterOrEqual(t, count(t, r, counter.AtomicWait), want.steps*step)
		}
		assert.Empty(t, r.Contended, "words are of all launches")
	}
	all := d.Total()
	assert.Equal(t, 32.0, count(t, all, counter.AtomicQueue), "the longest of all launches")
	assert.Equal(t, 96.0, count(t, all, counter.AtomicOps))
	require.Len(t, all.Contended, 3, "nothing waited for the words of the last launch")
	names, sum := []string{}, 0.0
	for _, w := range all.Contended {
		names = append(names, w.String())
		sum += w.WaitCycles
	}
	assert.Equal(t, []string{"x[3]", "x[64]", "x[56]"}, names)
	assert.Equal(t, device.ContendedWord{Buffer: "x", Index: 3, Operations: 32, WaitCycles: 496 * step, Queue: 32}, all.Contended[0])
	assert.EqualValues(t, 25, all.Contended[1].Operations)
	assert.Equal(t, 25, all.Contended[1].Queue)
	assert.EqualValues(t, 7, all.Contended[2].Operations)
	assert.Equal(t, 7, all.Contended[2].Queue)
	assert.Equal(t, count(t, all, counter.AtomicWait), sum)
}

// TestContendedAcrossBlocks: the threads of several blocks queue at one word, and the words agree with those of a
// profile, which has a table of another kind. A machine for a fresh launch goes on with the same words.
func TestContendedAcrossBlocks(t *testing.T) {
	d, p, _ := observed(t, "tiny")
	r := rand.New(rand.NewPCG(1, 2))
	to := make([]uint32, 8*256)
	lanes, most := make([]int, len(to)/32), 0 // of each warp at word 700
	for i := range to {
		switch r.IntN(4) {
		case 0:
			to[i] = 700 // of all blocks
			lanes[i/32]++
			most = max(most, lanes[i/32])
		case 1:
			to[i] = 8 * r.Uint32N(20)
		default:
			to[i] = 5 * r.Uint32N(150)
		}
	}
	x, list := upload(t, d, "x", device.U32, make([]uint32, 1000)), upload(t, d, "to", device.U32, to)
	launch(t, d, indexedAdder(t), 8, 256, list, x)
	again := device.Launch{Kernel: indexedAdder(t), Grid: 8, Block: 256, Args: []any{list, x}, Fresh: true}
	_, err := d.Launch(t.Context(), again)
	require.NoError(t, err)

	words := d.Total().Contended
	require.Len(t, words, ContendedWords)
	exact := p.Addresses(0)
	slices.SortFunc(exact, func(a, b profile.Address) int {
		return cmp.Or(cmp.Compare(b.Waited, a.Waited), cmp.Compare(b.Ops, a.Ops), cmp.Compare(a.Index, b.Index))
	})
	for i, w := range words {
		a := exact[i]
		want := device.ContendedWord{Buffer: a.Buffer, Index: a.Index, Operations: a.Ops, WaitCycles: float64(a.Waited) / profile.TicksPerCycle, Queue: int(a.Queue)}
		assert.Equal(t, want, w, "place %d", i)
	}
	assert.Equal(t, "x[700]", words[0].String())
	assert.Greater(t, words[0].Queue, most, "of more than one warp")
	assert.Equal(t, float64(2*len(to)), count(t, d.Total(), counter.AtomicOps))
}

// TestContendedInGroup: a word that two GPUs add to is one of the GPU that has it.
func TestContendedInGroup(t *testing.T) {
	g := openGroup(t, Options{}, "tiny", 2)
	d := g.gpus[1]
	x, to := upload(t, d, "x", device.U32, make([]uint32, 8)), upload(t, d, "to", device.U32, make([]uint32, 32))
	launch(t, d, indexedAdder(t), 1, 32, to, x)
	words := g.Total().Contended
	require.Len(t, words, 1)
	assert.Equal(t, "x[0] on GPU 1", words[0].String())
	assert.Equal(t, words, d.Total().Contended)
	assert.Empty(t, g.gpus[0].Total().Contended)
	assert.Equal(t, 32.0, count(t, g.Total(), counter.AtomicQueue))
	assert.Zero(t, count(t, g.gpus[0].Total(), counter.AtomicQueue))
}
