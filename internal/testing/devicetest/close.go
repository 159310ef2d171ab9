package devicetest

import (
	"context"
	"sync"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

func testClose(b *bench) {
	d := b.open(b.T)
	c := &bench{T: b.T, Device: d, kernels: b.kernels}
	buf := buffer(c, "buf", device.U32, uint32(1))
	require.NoError(b, d.Close())
	closed(c, buf)
	assert.NoError(b, d.Close(), "closing again does nothing")
	assert.NotNil(b, d.Total())

	other := buffer(b, "other", device.U32, uint32(1), 2, 3)
	assert.NotEmpty(b, b.Device.Name())
	assert.Equal(b, []uint32{1, 2, 3}, read[uint32](b, other), "devices are independent")
}

// closed checks that calls of a closed device fail. buf was its buffer.
func closed(b *bench, buf device.Buffer) {
	_, err := b.Alloc("x", device.U32, 1)
	failed := []error{err, b.Write(buf, []uint32{1}), b.Read(buf, make([]uint32, 1)), b.Free(buf)}
	_, err = b.launch("Iota", 1, 32, nil)
	failed = append(failed, err)
	_, err = b.Occupancy(b.kernel("Iota"), 32)
	failed = append(failed, err)
	for i, want := range []string{"alloc x: ", "write: buffer " + buf.Name + ": ", "read: buffer " + buf.Name + ": ", "free: buffer " + buf.Name + ": ", "", ""} {
		assert.ErrorIs(b, failed[i], device.ErrClosed)
		assert.ErrorContains(b, failed[i], want+"the device is closed")
	}
}

// watched is a context that calls then once, after it was checked a number of times: during a
// launch.
type watched struct {
	context.Context
	left int
	then func()
}

func (w *watched) Err() error {
	if w.left--; w.left == 0 {
		w.then()
	}
	return w.Context.Err()
}

// testCloseDuring closes devices during a launch that does not end by itself: from another
// goroutine, and from a callback of the launch.
func testCloseDuring(b *bench) {
	for _, inside := range []bool{false, true} {
		d := b.open(b.T)
		c := &bench{T: b.T, Device: d, kernels: b.kernels}
		word := buffer(c, "word", device.U32, uint32(0))
		l := device.Launch{Kernel: b.kernel("Endless"), Grid: 2, Block: 64, Args: []any{word}}
		b.kernel("Iota") // so that it is compiled while no launch runs

		runs := make(chan struct{})
		ctx := &watched{Context: context.Background(), left: 5, then: func() {
			if inside {
				assert.NoError(b, d.Close())
			}
			close(runs)
		}}
		var wait sync.WaitGroup
		var rep *device.Report
		var err error
		wait.Go(func() { rep, err = d.Launch(ctx, l) })
		soon(b, runs, "the launch has begun")
		require.NoError(b, d.Close())
		closed(c, word)
		ended := make(chan struct{})
		go func() {
			wait.Wait()
			close(ended)
		}()
		soon(b, ended, "the launch has ended")
		require.ErrorIs(b, err, device.ErrClosed)
		assert.ErrorContains(b, err, "the device is closed")
		assert.NotNil(b, rep, "what happened so far")
		closed(c, word)
		assert.NoError(b, d.Close(), "closing again does nothing")
		assert.NotNil(b, d.Total())
	}
}

// soon waits until a channel is closed.
func soon(b *bench, done <-chan struct{}, what string) {
	b.Helper()
	select {
	case <-done:
	case <-time.After(time.Minute):
		require.Fail(b, what+": not within a minute")
	}
}
