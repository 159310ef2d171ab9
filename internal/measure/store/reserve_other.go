//go:build !linux && !darwin && !freebsd

package store

// Reserve does nothing on this system.
func (s *Store) Reserve() (release func(), err error) { return func() {}, nil }
