package compile

import (
	"context"
	"fmt"
	syncatomic "sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// countdown is a context that is cancelled after a number of checks.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   syncatomic.Int64
}

func newCountdown(n int64) *countdown {
	ctx, cancel := context.WithCancel(context.Background())
	c := &countdown{Context: ctx, cancel: cancel}
	c.left.Store(n)
	return c
}

func (c *countdown) Err() error {
	if c.left.Add(-1) == 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// TestCancel cancels the compilation of a kernel at every place that checks the
// context: the error is the context's, and the kernel compiles when it is
// requested again.
func TestCancel(t *testing.T) {
	c := New(ownSources...)
	c.Mount("limits", fstest.MapFS{"tree.go": {Data: []byte(tree(10, "\tif x&1 == 0 {\n\t\tp[x] = x\n\t}"))}})
	looks := int64(1)
	for ; ; looks++ {
		ctx := newCountdown(looks)
		_, err := c.Kernel(ctx, "limits.Kernel", nil)
		if ctx.left.Load() > 0 {
			require.NoError(t, err)
			break
		}
		if err != nil { // else it had finished before it was cancelled
			require.ErrorIs(t, err, context.Canceled, fmt.Sprint(looks))
		}
		c.lock() // the abandoned compilation has ended
		c.unlock()
	}
	require.Greater(t, looks, int64(20))
}

// TestCancelWait cancels a call that waits for another call's compilation.
func TestCancelWait(t *testing.T) {
	c := New(ownSources...)
	c.lock()
	defer c.unlock()
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := c.Kernel(ctx, "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]", nil)
		failed <- err
	}()
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
}

// TestPanic checks that a panic of the compiler reaches its caller.
func TestPanic(t *testing.T) {
	c := New(ownSources...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	require.Panics(t, func() { _ = c.cancellable(ctx, func() error { panic("mine") }) })
	require.NoError(t, c.cancellable(ctx, func() error { return nil }), "nobody holds the compiler")
}
