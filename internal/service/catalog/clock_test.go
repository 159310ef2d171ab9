package catalog_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestAlgorithmSeconds checks that the clock runs from the first launch to the last read: the copies to the device
// before it do not count, and a device without a clock has no time.
func TestAlgorithmSeconds(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "grid:width=8", graph.LoadOptions{})
	require.NoError(t, err)
	for name, timed := range map[string]bool{"sim:tiny": true, "func": false} {
		dev := openDevice(t, name)
		for range 2 { // earlier work of the device does not count
			before := dev.Now()
			res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g})
			require.NoError(t, err)
			if !timed {
				assert.Zero(t, res.AlgorithmSeconds)
				assert.Zero(t, dev.Now())
				continue
			}
			assert.Greater(t, res.AlgorithmSeconds, res.KernelSeconds())
			assert.Less(t, res.AlgorithmSeconds, dev.Now()-before, "the graph was copied before")
		}
	}
}

// slow is a device on which what is done before a launch and after it takes a second of its clock.
type slow struct {
	device.Wrapper
	now, known float64
	readied    []string
	fail       error
}

func (s *slow) Now() float64   { return s.now }
func (s *slow) Known() float64 { return s.known }

func (s *slow) Ready(_ context.Context, l device.Launch) (device.Launch, error) {
	s.readied = append(s.readied, l.Kernel.Name)
	s.now++
	l.Prepared = 7
	return l, s.fail
}

func (s *slow) launched(l device.Launch) {
	if (l.Prepared == 7) != (s.now == 1) {
		panic("the first launch, and no other, is made ready")
	}
	s.now += 1. / 16
	s.known = s.now
	s.now++ // a record of the launch
}

func (s *slow) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	defer s.launched(l)
	return s.Device.Launch(ctx, l)
}

func (s *slow) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	defer s.launched(l)
	return device.LaunchRead(ctx, s.Device, l, a)
}

// TestReadyIsBeforeTheClock checks that the solve time begins when the device is ready for the first launch, and ends when the host knows the end of the last one,
// in loops of launches and of lists.
func TestReadyIsBeforeTheClock(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "grid:width=8", graph.LoadOptions{})
	require.NoError(t, err)
	for scheme, algorithm := range map[string]string{"bitmap": "bfs", "union-find": "cc", "near-far": "sssp", "thread": "bfs"} {
		dev := &slow{Wrapper: device.Wrapper{Device: openDevice(t, "func")}}
		res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: algorithm, Scheduler: scheme, Graph: g})
		require.NoError(t, err)
		require.Len(t, dev.readied, 1, scheme)
		launches := float64(len(res.Steps))
		assert.Equal(t, launches/16+launches-1, res.SolveSeconds, scheme)

		dev = &slow{Wrapper: device.Wrapper{Device: openDevice(t, "func")}, fail: errors.New("not ready")}
		_, err = catalog.Run(t.Context(), dev, catalog.Request{Algorithm: algorithm, Scheduler: scheme, Graph: g})
		require.ErrorIs(t, err, dev.fail)
	}
}
