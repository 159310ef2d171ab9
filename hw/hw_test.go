package hw_test

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	weftcommand "github.com/weft-gpu/weft/command"
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
)

// asCommand is the environment variable that makes the test binary the program weft, with the emulated driver if that is
// asked for, too.
const asCommand = "WEFT_HW_TEST_COMMAND"

func TestMain(m *testing.M) {
	forget()
	installFake()
	worker.MaybeChild()
	if os.Getenv(asCommand) != "" {
		os.Exit(weftcommand.Run(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// open opens the GPU. If there is none, it checks that the error says so and what to do, and returns nil.
func open(t *testing.T, opts hw.Options) *hw.Device {
	d, err := hw.Open("hw", 0, opts)
	if hw.IsMissing(err) {
		require.Regexp(t, "^(no CUDA driver|the CUDA driver finds no usable GPU|this program was built without cgo).*", err.Error())
		require.NotContains(t, err.Error(), "\n", "one line")
		return nil
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// TestContract checks the GPU against the contract of all devices, with checks compiled in.
func TestContract(t *testing.T) {
	if open(t, hw.Options{}) == nil {
		return
	}
	devicetest.Contract(t, func(t *testing.T) device.Device {
		d, err := hw.Open("hw", 0, hw.Options{Check: true})
		require.NoError(t, err)
		return d
	}, devicetest.Traits{Faults: true})
}

// TestUnchecked runs the contract without checks.
func TestUnchecked(t *testing.T) {
	if open(t, hw.Options{}) == nil {
		return
	}
	devicetest.Contract(t, func(t *testing.T) device.Device {
		d, err := hw.Open("hw", 0, hw.Options{})
		require.NoError(t, err)
		return d
	}, devicetest.Traits{})
}

// TestAllBuild makes the driver build every kernel, with and without checks.
func TestAllBuild(t *testing.T) {
	c := compile.New(catalog.Sources()...)
	for _, opts := range []hw.Options{{}, {Check: true}, {Watchdog: true}} {
		d := open(t, opts)
		if d == nil {
			return
		}
		for _, e := range catalog.EntryPoints() {
			k, err := c.Kernel(t.Context(), e.Name, e.Bind)
			require.NoError(t, err)
			info, err := d.Function(k)
			require.NoError(t, err, e.Name)
			t.Logf("%-64s registers %d, shared %d, local %d, ours %d", e.Name, info.Registers, info.Shared, info.Local, k.Registers)
		}
	}
}

// launch runs a kernel of the contract test.
func launch(t *testing.T, d device.Device, name string, grid, block int, args ...any) error {
	t.Helper()
	kernels, err := devicetest.Kernels()
	require.NoError(t, err)
	k, err := kernels.Kernel(t.Context(), "testkernels."+name, nil)
	require.NoError(t, err)
	_, err = d.Launch(t.Context(), device.Launch{Kernel: k, Grid: grid, Block: block, Args: args})
	return err
}

// word allocates a buffer with one element, 0.
func word(t *testing.T, d device.Device) device.Buffer {
	t.Helper()
	b, err := d.Alloc("word", device.U32, 1)
	require.NoError(t, err)
	require.NoError(t, d.Write(b, []uint32{0}))
	return b
}

// TestIllegalAccess uses an index far out of range in unchecked code: the run ends with the driver's error and the
// kernel's name, and a new child takes over.
func TestIllegalAccess(t *testing.T) {
	d := open(t, hw.Options{})
	if d == nil {
		return
	}
	w := word(t, d)
	err := launch(t, d, "Index", 4, 16, w, 1<<37)
	var f *device.Fault
	require.ErrorAs(t, err, &f)
	require.Equal(t, "testkernels.Index", f.Kernel)
	require.Contains(t, f.What, "CUDA_ERROR_ILLEGAL_ADDRESS")
	require.Contains(t, f.What, "--check")
	require.Error(t, d.Read(w, make([]uint32, 1)), "the old memory is gone")
	require.NoError(t, launch(t, d, "Iota", 1, 32, word(t, d)))
}

// TestWatchdog runs endless loops: the deadline ends them and reports where they are, and the GPU stays usable.
// Threads at a barrier cannot check the clock; the other threads exit, which opens the barrier.
func TestWatchdog(t *testing.T) {
	d := open(t, hw.Options{Watchdog: true, Deadline: 300 * time.Millisecond})
	if d == nil {
		return
	}
	for _, name := range []string{"Spin", "Endless", "Late"} {
		err := launch(t, d, name, 3, 64, word(t, d))
		var hang *device.HangError
		require.ErrorAs(t, err, &hang, name)
		t.Log(err)
		require.NoError(t, launch(t, d, "Iota", 1, 32, word(t, d)))
	}
}

// TestHostDeadline ends a kernel that has no watchdog compiled in.
func TestHostDeadline(t *testing.T) {
	d := open(t, hw.Options{Deadline: 500 * time.Millisecond})
	if d == nil {
		return
	}
	err := launch(t, d, "Spin", 3, 64, word(t, d))
	var hang *device.HangError
	require.ErrorAs(t, err, &hang)
	require.Contains(t, err.Error(), "exceeded its deadline of 500ms")
	require.NoError(t, launch(t, d, "Iota", 1, 32, word(t, d)))
}

// TestOutOfMemory requests more memory than the GPU has.
func TestOutOfMemory(t *testing.T) {
	d := open(t, hw.Options{})
	if d == nil {
		return
	}
	n := int(d.Info().Memory / 4)
	_, err := d.Alloc("big", device.U32, n-1<<20)
	require.ErrorContains(t, err, "alloc big: cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2)")
	_, err = d.Alloc("bigger", device.U32, 2*n)
	require.ErrorContains(t, err, "out of memory")
	require.NoError(t, launch(t, d, "Iota", 1, 32, word(t, d)))
}

// TestNoSuchGPU opens a GPU that does not exist.
func TestNoSuchGPU(t *testing.T) {
	_, err := hw.Open("hw:99", 99, hw.Options{})
	require.True(t, hw.IsMissing(err), "%v", err)
	require.False(t, errors.Is(err, os.ErrNotExist))
}

// TestTimes checks that both ways of timing agree: by events, as for cooperative launches, and by our kernels before
// and after the launch.
func TestTimes(t *testing.T) {
	d := open(t, hw.Options{})
	if d == nil {
		return
	}
	kernels, err := devicetest.Kernels()
	require.NoError(t, err)
	k, err := kernels.Kernel(t.Context(), "testkernels.Histogram", nil)
	require.NoError(t, err)
	t.Logf("beyond a launch, events measure %.2f us and kernels of ours %.2f us", d.Info().EventOverhead*1e6, d.Info().AnswerOverhead*1e6)
	out, err := d.Alloc("out", device.U32, 16)
	require.NoError(t, err)
	for _, n := range []int{1, 1 << 16, 1 << 20, 1 << 24} {
		in, err := d.Alloc("in", device.U32, n)
		require.NoError(t, err)
		median := func(cooperative bool) float64 {
			var times []float64
			for range 101 {
				r, err := d.Launch(t.Context(), device.Launch{Kernel: k, Grid: d.Info().SMs, Block: 256, Args: []any{in, out}, Cooperative: cooperative})
				require.NoError(t, err)
				times = append(times, r.Seconds)
			}
			slices.Sort(times)
			t.Logf("%8d words, cooperative %v: %.2f us (%.2f to %.2f)", n, cooperative, times[50]*1e6, times[10]*1e6, times[90]*1e6)
			return times[50]
		}
		ours, events := median(false), median(true)
		require.InDelta(t, events, ours, 1e-6+0.05*events)
	}
}
