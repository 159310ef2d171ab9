//go:build cgo && linux

package worker

import "github.com/weft-gpu/weft/hw/internal/cuda"

// peers finds out how each GPU reaches each other one, and enables what the driver allows.
func (s *server) peers() ([][]Peer, error) {
	all := make([][]Peer, len(s.gpus))
	for i, from := range s.gpus {
		all[i] = make([]Peer, len(s.gpus))
		if err := s.use(from); err != nil {
			return nil, err
		}
		for j, to := range s.gpus {
			if i == j {
				all[i][j] = Peer{true, true}
				continue
			}
			can, err := s.driver.CanAccess(from.ctx.Device, to.ctx.Device)
			if err != nil {
				return nil, err
			}
			// The driver may refuse all the same, for example for more than eight GPUs that no switch joins.
			if !can || from.ctx.EnablePeer(to.ctx) != nil {
				continue
			}
			atomics, err := s.driver.PeerAttribute(cuda.PeerAtomics, from.ctx.Device, to.ctx.Device)
			if err != nil {
				return nil, err
			}
			all[i][j] = Peer{Access: true, Atomics: atomics != 0}
		}
	}
	return all, nil
}

// reserve makes the GPUs copy to and from the first n bytes of the arena by themselves, if they can.
func (s *server) reserve(n int) {
	if !s.pinned || n > len(s.ch.arena) || s.use(s.gpus[0]) != nil {
		return
	}
	if s.arena > 0 && s.gpus[0].ctx.Unregister(s.ch.arena[:s.arena]) != nil {
		return
	}
	s.arena = 0
	if s.gpus[0].ctx.Register(s.ch.arena[:n]) == nil {
		s.arena = n
	}
}
