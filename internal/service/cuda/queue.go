package cuda

import (
	"context"
	"slices"

	"github.com/weft-gpu/weft/device"
)

// Streams of CUDA itself: the legacy default stream, before which and after which those of the program wait.
const (
	legacyStream    = 0
	legacyHandle    = 1
	perThreadHandle = 2
	firstHandle     = 16
)

// work is something that was put into a stream: a launch, or what the host's side does.
type work struct {
	stream uint64
	launch *device.Launch
	kernel string
	gpu    uint32
	do     func(at float64) (took float64, err error) // of everything but a launch; at is when it begins
	after  []*work                                    // of other streams
	done   bool
	end    float64 // seconds, when it is done
}

// stream is the order of the work that was put into it.
type stream struct {
	id       uint64
	blocking bool // it waits for the legacy default stream
	last     *work
}

// event is a point in a stream.
type event struct {
	at     *work // nil before it is recorded
	timing bool
}

// queue is the work that has not been done.
type queue struct {
	streams map[uint64]*stream
	events  map[uint64]*event
	next    uint64 // handle
	pending []*work
}

func newQueue() *queue {
	return &queue{
		streams: map[uint64]*stream{legacyStream: {id: legacyStream}, perThreadHandle: {id: perThreadHandle, blocking: true}},
		events:  map[uint64]*event{}, next: firstHandle,
	}
}

// stream returns the stream of a handle; nil if there is none.
func (q *queue) stream(handle uint64) *stream {
	if handle == legacyHandle {
		handle = legacyStream
	}
	return q.streams[handle]
}

// put appends work to a stream. What the legacy default stream has waits for all blocking streams, and these for it.
func (q *queue) put(s *stream, w *work) {
	w.stream = s.id
	if s.last != nil {
		w.after = append(w.after, s.last)
	}
	if s.id == legacyStream {
		for _, other := range q.streams {
			if other.blocking && other.last != nil {
				w.after = append(w.after, other.last)
			}
		}
	} else if legacy := q.streams[legacyStream]; s.blocking && legacy.last != nil {
		w.after = append(w.after, legacy.last)
	}
	s.last = w
	q.pending = append(q.pending, w)
}

// record makes an event the point after all that a stream has now.
func (q *queue) record(s *stream, e *event) {
	w := &work{do: func(float64) (float64, error) { return 0, nil }}
	q.put(s, w)
	e.at = w
}

// runner does work: it launches at the same time what may run at the same time.
type runner interface {
	launch(ctx context.Context, ws []*work, begin float64) error
}

// until does all work that w needs, and w itself; nil stands for everything.
func (q *queue) until(ctx context.Context, w *work, r runner) error {
	if w != nil && w.done {
		return nil
	}
	wanted := map[*work]bool{}
	var want func(w *work)
	want = func(w *work) {
		if w.done || wanted[w] {
			return
		}
		wanted[w] = true
		for _, before := range w.after {
			want(before)
		}
	}
	if w != nil {
		want(w)
	} else {
		for _, w := range q.pending {
			want(w)
		}
	}
	for len(wanted) > 0 {
		if err := q.round(ctx, wanted, r); err != nil {
			return err
		}
	}
	q.pending = slices.DeleteFunc(q.pending, func(w *work) bool { return w.done })
	return nil
}

// round does the work that waits for nothing: first everything but launches, and then the launches, together with the later
// launches of their streams, as far as these wait for nothing else.
func (q *queue) round(ctx context.Context, wanted map[*work]bool, r runner) error {
	var launches []*work
	chosen := map[*work]bool{}
	for _, w := range q.pending {
		if !wanted[w] || w.done {
			continue
		}
		ready, begin := true, 0.0
		for _, before := range w.after {
			if !before.done && !(w.launch != nil && chosen[before] && before.stream == w.stream) {
				ready = false
			}
			begin = max(begin, before.end)
		}
		switch {
		case !ready:
		case w.launch == nil:
			took, err := w.do(begin)
			w.finish(begin + took)
			delete(wanted, w)
			if err != nil {
				return err
			}
		default:
			launches = append(launches, w)
			chosen[w] = true
		}
	}
	if len(launches) == 0 {
		return nil
	}
	// Cooperative launches, and those of one stream, are alone.
	if !several(launches) || slices.ContainsFunc(launches, func(w *work) bool { return w.launch.Cooperative }) {
		launches = launches[:1]
	}
	begin := 0.0
	for _, w := range launches {
		for _, before := range w.after {
			begin = max(begin, before.end)
		}
	}
	err := r.launch(ctx, launches, begin)
	for _, w := range launches {
		delete(wanted, w)
	}
	return err
}

// several reports whether work is of more than one stream.
func several(ws []*work) bool {
	return slices.ContainsFunc(ws, func(w *work) bool { return w.stream != ws[0].stream })
}

// finish notes that work is done. What it waited for is no longer needed.
func (w *work) finish(end float64) {
	w.done, w.end, w.after, w.do, w.launch = true, end, nil, nil, nil
}
