package observe

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWordsQueues has waits counted by hand: operations that take 10 ticks each.
func TestWordsQueues(t *testing.T) {
	w := NewWords()
	name := func(waited uint64, word *Word) uint64 {
		word.Buffer = "x"
		return waited
	}
	assert.EqualValues(t, 0, name(w.Operate(Place{1, 8}, 1, 0, 0, 10)))     // being served until 10
	assert.EqualValues(t, 20, name(w.Operate(Place{1, 8}, 2, 5, 10, 10)))   // two more, until 30: 5 + 15
	assert.EqualValues(t, 20, name(w.Operate(Place{1, 8}, 1, 10, 30, 10)))  // the first is done: three
	assert.EqualValues(t, 30, name(w.Operate(Place{1, 12}, 1, 10, 40, 10))) // at another word
	assert.EqualValues(t, 0, name(w.Operate(Place{1, 8}, 1, 100, 100, 10)))
	all := w.Most(10)
	require.Len(t, all, 2)
	assert.EqualValues(t, []any{uint64(5), uint64(40), uint32(3)}, []any{all[0].Ops, all[0].Waited, all[0].Queue})
	assert.EqualValues(t, []any{uint64(1), uint64(30), uint32(1)}, []any{all[1].Ops, all[1].Waited, all[1].Queue})
	assert.Len(t, w.Most(1), 1)
	ever, since := w.Longest()
	assert.Equal(t, []uint32{3, 3}, []uint32{ever, since})
	w.Begin(false)
	w.Operate(Place{1, 8}, 1, 105, 110, 10)
	ever, since = w.Longest()
	assert.Equal(t, []uint32{3, 2}, []uint32{ever, since}, "one is being served")
	w.Begin(true)
	w.Operate(Place{1, 8}, 1, 0, 0, 10)
	_, since = w.Longest()
	assert.EqualValues(t, 1, since, "nothing waits on an idle machine")
	var none *Words
	none.Begin(true)
	assert.Empty(t, none.Most(10))
}

// TestWordsKeepTheContended mixes operations on many words with those on a few, and compares these with the exact table.
func TestWordsKeepTheContended(t *testing.T) {
	w, exact := NewWords(), newTable(1<<16)
	r := rand.New(rand.NewPCG(1, 2))
	busy := uint64(0)
	for i := range uint64(200_000) {
		now := 12 * i
		key := 4 * (1000 + r.Uint64N(50_000))
		if i%3 == 0 {
			key = 4 * (1 + r.Uint64N(12))
		}
		n := 1 + r.IntN(2)
		start := max(now, busy)
		busy = start + uint64(n)*8
		waited, _ := w.Operate(Place{1, int(key)}, n, now, start, 8)
		a, at := exact.find(key)
		a.Ops += uint64(n)
		a.Waited += waited
		a.Queue = max(a.Queue, exact.arrive(at, n, now, busy))
		exact.grew(at, n)
	}
	most := w.Most(12)
	require.Len(t, most, 12)
	heavy := 0
	for k := range uint64(12) {
		a, _ := exact.find(4 * (k + 1))
		for _, m := range most {
			if m.Ops <= a.Ops && m.Waited <= a.Waited && m.Waited+m.Missed >= a.Waited && m.Queue == a.Queue && m.Missed < a.Waited/100 {
				heavy++
				break
			}
		}
	}
	assert.Equal(t, 12, heavy)
}

// TestWordsAllocateNothing: once a machine is in its stride, an operation allocates nothing.
func TestWordsAllocateNothing(t *testing.T) {
	w := NewWords()
	now := uint64(0)
	step := func() {
		for k := range uint64(5000) {
			now += 3
			w.Operate(Place{1, int(4 * (k * k % 2000))}, 3, now, now+uint64(k%700), 5)
		}
	}
	step()
	assert.Zero(t, testing.AllocsPerRun(20, step))
}
