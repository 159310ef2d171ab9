package timing

import (
	"math/bits"
	"slices"
)

// Event is something that happens in a cycle; package sim defines its meaning.
type Event uint64

// The numbers of slots of a wheel: by default, and at most, and for the wheel of one of many parts.
const (
	wheelSlots = 1 << 12
	PartSlots  = 1 << 10
)

// Wheel holds events by cycle. Events of one cycle are returned in the order in which they were scheduled.
type Wheel struct {
	now   uint64 // the current cycle
	slots []list // a power of two of them
	mask  uint64
	// batches of all slots. One that has become free is the next to be used, so that those in use stay in the host's
	// caches; arrays by slot would each be touched once in a turn of the wheel.
	batches []batch                 // the first one is not used
	free    int32                   // the first of those that hold nothing, as a list; 0 for none
	taken   []Event                 // what Take has returned
	busy    [wheelSlots / 64]uint64 // slots that hold events
	words   uint64                  // of busy that are used, less one
	any     uint64                  // words of busy that are not 0
	far     farHeap                 // events beyond the wheel's horizon
	seq     uint64
	// Taken counts the events that Take has returned: the work of a simulation, on whatever host.
	Taken uint64
}

// At schedules e for cycle t, which must be later than the current one.
func (w *Wheel) At(t uint64, e Event) {
	if t-w.now > w.mask {
		if w.mask == 0 {
			w.Size(wheelSlots)
			w.At(t, e)
			return
		}
		w.seq++
		w.far.push(farEvent{t, w.seq, e})
		return
	}
	w.insert(t, e)
}

// Size gives an empty wheel a number of slots: a power of two from 128 on, at most the default.
func (w *Wheel) Size(slots int) {
	w.slots, w.mask, w.words = make([]list, slots), uint64(slots-1), uint64(slots/64-1)
}

// list is the batches of a slot, and how many more events the last of them can take: 0 if there is none.
type list struct{ first, last, room int32 }

// batch is some events of a slot. It fills one cache line of the host.
type batch struct {
	events [batchEvents]Event
	next   int32 // 0 for none
}

const batchEvents = 7

func (w *Wheel) insert(t uint64, e Event) {
	i := t & w.mask
	s := &w.slots[i]
	if s.room == 0 {
		w.extend(s, i)
	}
	w.batches[s.last].events[uint32(batchEvents-s.room)%batchEvents] = e
	s.room--
}

// extend adds an empty batch to slot i.
func (w *Wheel) extend(s *list, i uint64) {
	b := w.free
	if b != 0 {
		w.free = w.batches[b].next
	} else {
		b = int32(max(len(w.batches), 1))
		w.batches = append(w.batches, make([]batch, int(b)+1-len(w.batches))...)
	}
	w.batches[b].next = 0
	if s.first == 0 {
		s.first = b
		w.busy[i>>6] |= 1 << (i & 63)
		w.any |= 1 << (i >> 6)
	} else {
		w.batches[s.last].next = b
	}
	s.last, s.room = b, batchEvents
}

// events returns those of a batch of a slot.
func (w *Wheel) events(s *list, b int32) []Event {
	n := batchEvents
	if b == s.last {
		n -= int(s.room)
	}
	return w.batches[b].events[:n]
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
	i := w.now & w.mask
	if word := w.busy[i>>6] >> (i & 63); word != 0 {
		return w.now + uint64(bits.TrailingZeros64(word)), true
	}
	// The words after that of i in order, wrapping around; the last one is the word of i again.
	start := (i>>6 + 1) & w.words
	j := start
	if later := w.any >> start; later != 0 {
		j += uint64(bits.TrailingZeros64(later))
	} else {
		j = uint64(bits.TrailingZeros64(w.any))
	}
	slot := j<<6 + uint64(bits.TrailingZeros64(w.busy[j]))
	return w.now + (slot-i)&w.mask, true
}

// Advance makes t the current cycle; t must not be later than Next.
func (w *Wheel) Advance(t uint64) {
	w.now = t
	for len(w.far) > 0 && w.far[0].at-t <= w.mask {
		e := w.far.pop()
		w.insert(e.at, e.ev)
	}
}

// Take returns the events of the current cycle and empties its slot; the slice is valid until the next call.
func (w *Wheel) Take() []Event {
	i := w.now & w.mask
	es := w.taken[:0]
	if w.busy[i>>6]>>(i&63)&1 == 0 {
		return es
	}
	// Each batch goes to the list of free ones as it is read.
	slot := &w.slots[i]
	for b := slot.first; b != 0; {
		es = append(es, w.events(slot, b)...)
		b, w.batches[b].next, w.free = w.batches[b].next, w.free, b
	}
	*slot = list{}
	w.taken = es
	w.Taken += uint64(len(es))
	w.busy[i>>6] &^= 1 << (i & 63)
	if w.busy[i>>6] == 0 {
		w.any &^= 1 << (i >> 6)
	}
	return es
}

// Before calls f for the events that are scheduled before cycle t, but at most for those of 64 cycles.
func (w *Wheel) Before(t uint64, f func(e Event)) {
	if t <= w.now {
		return
	}
	// One bit for each of these cycles.
	from := w.now & w.mask
	busy := w.busy[from>>6]>>(from&63) | w.busy[(from>>6+1)&w.words]<<(64-from&63)
	for busy &= 1<<min(t-w.now, 64) - 1; busy != 0; busy &= busy - 1 {
		s := &w.slots[(from+uint64(bits.TrailingZeros64(busy)))&w.mask]
		for b := s.first; b != 0; b = w.batches[b].next {
			for _, e := range w.events(s, b) {
				f(e)
			}
		}
	}
}

// Each calls f for the events of later cycles, in the order in which Take would return them.
func (w *Wheel) Each(f func(t uint64, e Event)) {
	for d := range uint64(len(w.slots)) {
		i := (w.now + d) & w.mask
		if w.busy[i>>6]>>(i&63)&1 == 0 {
			continue
		}
		s := &w.slots[i]
		for b := s.first; b != 0; b = w.batches[b].next {
			for _, e := range w.events(s, b) {
				f(w.now+d, e)
			}
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
	clear(w.slots)
	w.batches, w.free = w.batches[:0], 0
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
	last := len(a) - 1
	a[0] = a[last]
	a = a[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && a.less(child+1, child) {
			child++
		}
		if !a.less(child, i) {
			break
		}
		a[i], a[child] = a[child], a[i]
		i = child
	}
	*h = a
	return top
}
