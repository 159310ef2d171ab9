package closing

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/weft-gpu/weft/device"
)

// Calls counts the calls of a device that are in progress. The zero value is that of an open
// device.
type Calls struct {
	closed  atomic.Bool // launches ask for it often, and must not wait for a lock
	mu      sync.Mutex
	running int
	free    func() // what Close left to the last call; nil if there is nothing to free
}

// Begin notes that a call begins: what the device holds stays until End. Calls may be nested. A
// call of a closed device begins as well; it asks Closed, and says so in its error.
func (c *Calls) Begin() *Calls {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running++
	return c
}

// End notes that a call has ended. The last one frees what a closed device holds.
func (c *Calls) End() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	c.release()
}

// Closed reports whether Close was called.
func (c *Calls) Closed() bool { return c.closed.Load() }

// Close closes the device: free is called when no call is in progress, which may be now. Close
// does not wait for calls, because one of them may have called it. Only the first Close counts.
func (c *Calls) Close(free func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed.Swap(true) {
		return
	}
	c.free = free
	c.release()
}

// release calls free once, if there is something to free and no call that may use it.
func (c *Calls) release() {
	if c.running == 0 && c.free != nil {
		free := c.free
		c.free = nil
		free()
	}
}

// During returns a context for a launch of the device: as ctx, and its Err says device.ErrClosed
// once the device is closed. Its Done does not tell: a launch asks Err from time to time.
func (c *Calls) During(ctx context.Context) context.Context { return during{ctx, c} }

var errEarly = fmt.Errorf("the launch ended early: %w", device.ErrClosed)

type during struct {
	context.Context
	calls *Calls
}

// Err returns the error of the context or, without one, that of a closed device.
func (d during) Err() error {
	if err := d.Context.Err(); err != nil {
		return err
	}
	if d.calls.Closed() {
		return errEarly
	}
	return nil
}
