package timing

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWheel compares the wheel with a stable sort, for near and far times.
func TestWheel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	w := new(Wheel)
	type entry struct {
		at uint64
		e  Event
	}
	var want, got []entry
	n := 0
	add := func() {
		delta := 1 + r.Uint64N(100)
		switch r.IntN(4) {
		case 0:
			delta = 1 + r.Uint64N(3*wheelSlots)
		case 1:
			delta = wheelSlots - 1 + r.Uint64N(3)
		}
		e := entry{w.now + delta, Event(n)}
		n++
		w.At(e.at, e.e)
		want = append(want, e)
	}
	for range 50 {
		add()
	}
	for {
		at, ok := w.Next()
		if !ok {
			break
		}
		require.Greater(t, at, w.now)
		w.Advance(at)
		for _, e := range w.Take() {
			got = append(got, entry{at, e})
			for range r.IntN(3) {
				if n < 20000 {
					add()
				}
			}
		}
	}
	slices.SortStableFunc(want, func(a, b entry) int { return int(a.at) - int(b.at) })
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i], got[i], i)
	}
	w.At(w.now+5, 1)
	w.At(w.now+5*wheelSlots, 2)
	w.Reset()
	_, ok := w.Next()
	assert.False(t, ok)
}

func TestTicks(t *testing.T) {
	assert.Equal(t, Tick(93), Ticks(1.45))
	assert.Equal(t, uint64(2), Tick(65).Cycle())
	assert.Equal(t, uint64(1), Tick(64).Cycle())
	assert.Equal(t, Tick(320), At(5))
}

// TestBefore compares what Before finds with the events that were scheduled, also where the slots begin anew.
func TestBefore(t *testing.T) {
	for from := range uint64(300) {
		var w Wheel
		w.Size(128)
		w.Advance(from)
		for cycle := from + 1; cycle < from+100; cycle += 1 + cycle%5 {
			w.At(cycle, Event(cycle))
			w.At(cycle, Event(cycle))
		}
		for _, until := range []uint64{from, from + 1, from + 2, from + 40, from + 64, from + 99} {
			var want, got []Event
			w.Each(func(cycle uint64, e Event) {
				if cycle < min(until, from+64) {
					want = append(want, e)
				}
			})
			w.Before(until, func(e Event) { got = append(got, e) })
			assert.Equal(t, want, got, "from %d until %d", from, until)
		}
	}
}
