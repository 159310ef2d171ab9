package timing

import (
	"math/bits"
	"slices"
)

// Event is something that happens in a cycle; package sim defines its meaning.
type Event uint64

const (
	wheelSlots = 1 << 12
	wheelMask  = wheelSlots - 1
)

// Wheel holds events by cycle. Events of one cycle are returned in the order in which they were scheduled.
type Wheel struct {
	now   uint64 // the current cycle
	slots [wheelSlots][]Event
	busy  [wheelSlots / 64]uint64 // slots that hold events
	any   uint64                  // words of busy that are not 0
	far   farHeap                 // events beyond the wheel's horizon
	seq   uint64
	// Taken counts the events that Take has returned: the work of a simulation, on whatever host.
	Taken uint64
}

// At schedules e for cycle t, which must be later than the current one.
func (w *Wheel) At(t uint64, e Event) {
	if t-w.now >= wheelSlots {
		w.seq++
		w.far.push(farEvent{t, w.seq, e})
		return
	}
	w.insert(t, e)
}

func (w *Wheel) insert(t uint64, e Event) {
	i := t & wheelMask
	w.slots[i] = append(w.slots[i], e)
	w.busy[i>>6] |= 1 << (i & 63)
	w.any |= 1 << (i >> 6)
}

// Next returns the first cycle, not before the current one, that has events.
func (w *Wheel) Next() (t uint64, ok bool) {
	if w.any == 0 {
		if len(w.far) == 0 {
			return 0, false
		}
		return w.far[0].at, true
	}
	// First the slots from now on, then those before it, which belong to the next turn.
	i := w.now & wheelMask
	if word := w.busy[i>>6] >> (i & 63); word != 0 {
		return w.now + uint64(bits.TrailingZeros64(word)), true
	}
	// The words after that of i in order, wrapping around; the last one is the word of i again.
	start := (i>>6 + 1) & 63
	turned := bits.RotateLeft64(w.any, -int(start))
	j := (start + uint64(bits.TrailingZeros64(turned))) & 63
	slot := j<<6 + uint64(bits.TrailingZeros64(w.busy[j]))
	return w.now + (slot-i)&wheelMask, true
}

// Advance makes t the current cycle; t must not be later than Next.
func (w *Wheel) Advance(t uint64) {
	w.now = t
	for len(w.far) > 0 && w.far[0].at-t < wheelSlots {
		e := w.far.pop()
		w.insert(e.at, e.ev)
	}
}

// Take returns the events of the current cycle and empties its slot; the slice is valid until the wheel has turned
// once.
func (w *Wheel) Take() []Event {
	i := w.now & wheelMask
	es := w.slots[i]
	w.Taken += uint64(len(es))
	w.slots[i] = es[:0]
	w.busy[i>>6] &^= 1 << (i & 63)
	if w.busy[i>>6] == 0 {
		w.any &^= 1 << (i >> 6)
	}
	return es
}

// Each calls f for the events of later cycles, in the order in which Take would return them.
func (w *Wheel) Each(f func(t uint64, e Event)) {
	for d := range uint64(wheelSlots) {
		i := (w.now + d) & wheelMask
		if w.busy[i>>6]>>(i&63)&1 == 0 {
			continue
		}
		for _, e := range w.slots[i] {
			f(w.now+d, e)
		}
	}
	far := slices.Clone(w.far)
	for len(far) > 0 {
		e := far.pop()
		f(e.at, e.ev)
	}
}

// Retain removes the events for which keep returns false.
func (w *Wheel) Retain(keep func(Event) bool) {
	type entry struct {
		t uint64
		e Event
	}
	var left []entry
	w.Each(func(t uint64, e Event) {
		if keep(e) {
			left = append(left, entry{t, e})
		}
	})
	w.Reset()
	for _, x := range left {
		w.At(x.t, x.e)
	}
}

// Reset empties the wheel; the current cycle stays the same.
func (w *Wheel) Reset() {
	for i := range w.slots {
		w.slots[i] = w.slots[i][:0]
	}
	clear(w.busy[:])
	w.any, w.far = 0, w.far[:0]
}

type farEvent struct {
	at, seq uint64
	ev      Event
}

// farHeap is a binary heap ordered by cycle, then by order of arrival.
type farHeap []farEvent

func (h farHeap) less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}

func (h *farHeap) push(e farEvent) {
	*h = append(*h, e)
	a := *h
	for i := len(a) - 1; i > 0; {
		up := (i - 1) / 2
		if !a.less(i, up) {
			break
		}
		a[i], a[up] = a[up], a[i]
		i = up
	}
}

func (h *farHeap) pop() farEvent {
	a := *h
	top := a[0]
	n := len(a) - 1
	a[0] = a[n]
	a = a[:n]
	for i := 0; ; {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && a.less(c+1, c) {
			c++
		}
		if !a.less(c, i) {
			break
		}
		a[i], a[c] = a[c], a[i]
		i = c
	}
	*h = a
	return top
}
