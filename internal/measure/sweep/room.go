package sweep

import (
	"context"
	"sync"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// room makes tasks wait until there is memory for them.
type room struct {
	mu    sync.Mutex
	limit uint64
	used  uint64
	tasks int
	freed chan struct{} // closed when a task leaves
}

func newRoom(limit uint64) *room {
	if limit == 0 {
		limit = ^uint64(0)
		if free, known := memory.Available(); known {
			limit = free
		}
	}
	return &room{limit: limit, freed: make(chan struct{})}
}

// enter waits for memory. A task that needs more than there is waits until it is alone. It
// returns false if ctx is done.
func (r *room) enter(ctx context.Context, need uint64) bool {
	for {
		r.mu.Lock()
		if r.tasks == 0 || r.used+need <= r.limit {
			r.tasks++
			r.used += need
			r.mu.Unlock()
			return true
		}
		freed := r.freed
		r.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return false
		}
	}
}

// leave gives back what enter took.
func (r *room) leave(need uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tasks--
	r.used -= need
	close(r.freed)
	r.freed = make(chan struct{})
}
