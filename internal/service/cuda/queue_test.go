package cuda

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// logged is a runner that notes what was launched together. A launch takes as long as its grid says.
type logged struct{ log []string }

func (l *logged) launch(_ context.Context, ws []*work, begin float64) error {
	text := fmt.Sprintf("%g:", begin)
	for _, w := range ws {
		text += " " + w.kernel
	}
	l.log = append(l.log, text)
	ends := map[uint64]float64{}
	for _, w := range ws {
		ends[w.stream] = max(ends[w.stream], begin) + float64(w.launch.Grid)
		w.finish(ends[w.stream])
	}
	return nil
}

// TestQueue checks which launches run at the same time, when each begins, and when events happen.
func TestQueue(t *testing.T) {
	q, l := newQueue(), &logged{}
	user := func(blocking bool) *stream {
		s := &stream{id: q.next, blocking: blocking}
		q.streams[q.next] = s
		q.next++
		return s
	}
	launch := func(s *stream, name string, seconds int, after ...*work) *work {
		w := &work{kernel: name, launch: &device.Launch{Grid: seconds}, after: after}
		q.put(s, w)
		return w
	}
	legacy, a, b, free := q.stream(0), user(true), user(true), user(false)
	assert.Same(t, legacy, q.stream(legacyHandle))
	assert.Nil(t, q.stream(99))

	// Streams run at the same time; the legacy default stream waits for blocking streams, and these for it.
	launch(a, "a1", 5)
	launch(b, "b1", 2)
	launch(a, "a2", 1)
	launch(legacy, "legacy", 3)
	launch(b, "b2", 1)
	last := launch(free, "free", 4)
	e := &event{timing: true}
	q.record(b, e)
	require.NoError(t, q.until(t.Context(), nil, l))
	assert.Equal(t, []string{"0: a1 b1 a2 free", "6: legacy", "9: b2"}, l.log)
	assert.Equal(t, []float64{10, 4}, []float64{e.at.end, last.end})
	assert.Empty(t, q.pending)

	// Only what is needed is done, and an event orders streams.
	l.log = nil
	first := launch(a, "a3", 2)
	q.record(a, e)
	second := &work{kernel: "b3", launch: &device.Launch{Grid: 1}, after: []*work{e.at}}
	q.put(b, second)
	other := launch(free, "free2", 1)
	require.NoError(t, q.until(t.Context(), second, l))
	assert.Equal(t, []string{"9: a3", "11: b3"}, l.log)
	assert.Equal(t, []bool{true, true, false}, []bool{first.done, second.done, other.done})

	// Copies take their place in a stream. A cooperative launch runs alone.
	l.log = nil
	q.put(free, &work{do: func(at float64) (float64, error) {
		l.log = append(l.log, fmt.Sprintf("%g: copy", at))
		return 10, nil
	}})
	launch(free, "free3", 1).launch.Cooperative = true
	launch(a, "a4", 1)
	require.NoError(t, q.until(t.Context(), nil, l))
	assert.Equal(t, []string{"11: free2 a4", "12: copy", "22: free3"}, l.log)

	q.put(a, &work{do: func(float64) (float64, error) { return 0, fmt.Errorf("a copy fails") }})
	assert.EqualError(t, q.until(t.Context(), nil, l), "a copy fails")
}
