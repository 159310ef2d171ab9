package memo

import (
	"context"
	"sync"
)

// Memo keeps results by key, up to a number of bytes. Those that were not used for longest make
// way for others. It is safe for concurrent use.
type Memo struct {
	limit uint64

	mu      sync.Mutex
	used    uint64 // bytes
	clock   uint64 // counts uses
	entries map[any]*entry
}

// entry is a result, or one that is being computed.
type entry struct {
	done  chan struct{} // closed when value is there, or the computation failed
	ok    bool          // the value is there
	value any
	bytes uint64
	last  uint64 // when it was used last
}

// New returns a memo that keeps results of at most so many bytes in all.
func New(limit uint64) *Memo { return &Memo{limit: limit, entries: map[any]*entry{}} }

type inContext struct{}

// With returns a context that has a memo; nil takes away the one that it has.
func With(ctx context.Context, m *Memo) context.Context {
	return context.WithValue(ctx, inContext{}, m)
}

// Do returns the result that the memo in ctx has for a key, or computes it. Of several that ask at
// the same time one computes. A key is a value of a type of the caller's own, with all on which
// the result depends; size returns the bytes of a result, which nobody may change. A computation
// that fails is not kept, and the next one that asks computes.
func Do[T any](ctx context.Context, key any, size func(T) uint64, compute func() (T, error)) (T, error) {
	m, _ := ctx.Value(inContext{}).(*Memo)
	if m == nil {
		return compute()
	}
	for {
		e, mine := m.enter(key)
		if mine {
			return fill(m, key, e, size, compute)
		}
		select {
		case <-e.done:
			if e.ok {
				return e.value.(T), nil
			}
		case <-ctx.Done():
			var none T
			return none, context.Cause(ctx)
		}
	}
}

// enter returns the entry of a key; mine means that the caller computes it.
func (m *Memo) enter(key any) (e *entry, mine bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clock++
	if e = m.entries[key]; e == nil {
		e, mine = &entry{done: make(chan struct{})}, true
		m.entries[key] = e
	}
	e.last = m.clock
	return e, mine
}

// fill computes an entry. One that fails or panics leaves the memo.
func fill[T any](m *Memo, key any, e *entry, size func(T) uint64, compute func() (T, error)) (value T, err error) {
	computed := false
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		defer close(e.done)
		if e.ok = computed && err == nil; e.ok {
			e.value, e.bytes = value, size(value)
		}
		if !e.ok || e.bytes > m.limit { // whoever waits for it has it from e
			delete(m.entries, key)
			return
		}
		m.used += e.bytes
		m.evict()
	}()
	value, err = compute()
	computed = true
	return value, err
}

// evict removes results until the others are within the limit.
func (m *Memo) evict() {
	for m.used > m.limit {
		var oldest any
		for key, e := range m.entries {
			if e.ok && (oldest == nil || e.last < m.entries[oldest].last) {
				oldest = key
			}
		}
		m.used -= m.entries[oldest].bytes
		delete(m.entries, oldest)
	}
}
