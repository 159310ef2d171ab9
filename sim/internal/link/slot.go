package link

import akita "github.com/sarchlab/akita/v3/sim"

// slot is the buffer of a port. It holds one message, which the component takes at once, and never allocates.
type slot struct {
	akita.HookableBase
	name string
	item any
}

// Name returns the name of the port with ".Slot".
func (s *slot) Name() string { return s.name }

// CanPush reports whether the slot is empty.
func (s *slot) CanPush() bool { return s.item == nil }

// Push fills the slot.
func (s *slot) Push(e any) { s.item = e }

// Pop empties the slot; it returns nil if it was empty.
func (s *slot) Pop() any {
	e := s.item
	s.item = nil
	return e
}

// Peek returns what is in the slot.
func (s *slot) Peek() any { return s.item }

// Capacity returns 1.
func (s *slot) Capacity() int { return 1 }

// Size returns 0 or 1.
func (s *slot) Size() int {
	if s.item == nil {
		return 0
	}
	return 1
}

// Clear empties the slot.
func (s *slot) Clear() { s.item = nil }
