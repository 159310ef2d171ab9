package hangs

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestChecks checks that a kernel which does nothing passes no check, except where only what
// threads see is checked.
func TestChecks(t *testing.T) {
	unchecked := map[string]bool{"sync-branches": true, "sync-left-named": true, "sync-flag": true} // two of them never end
	for _, s := range Scenarios() {
		v, err := s.Values(nil)
		require.NoError(t, err)
		dev := function.New(function.Options{})
		m, l := &memory{dev: dev, buffers: map[string]device.Buffer{}}, layout{v, 4, v.threads()}
		s.arguments(m, l)
		require.NoError(t, m.err)
		_, err = s.check(m, l)
		require.Equal(t, !unchecked[s.Name], err != nil, s.Name)
		require.NoError(t, m.err)
		require.NoError(t, dev.Close())
	}
}

// compiled is a device that uses as many registers as a compiler gives to a kernel with values
// kept alive.
type compiled struct {
	device.Device
	registers func(k *device.Kernel) int
}

func (d compiled) Occupancy(k *device.Kernel, _ int) (device.Occupancy, error) {
	return device.Occupancy{BlocksPerSM: 1, SMs: 1, Regs: d.registers(k), RegsPerSM: 65536}, nil
}

// TestKeep checks that a kernel is found that is given as many registers as were asked for, up to
// the unit in which a GPU allocates them, whatever the compiler adds.
func TestKeep(t *testing.T) {
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	r := &Runner{Kernels: kernels, Machine: Machine{Silicon: true}}
	for _, add := range []int{0, 9, 25, 40} {
		for _, want := range []int{48, 110, 128, 200} {
			of := func(k *device.Kernel) int { return min(k.Registers, 255) - 27 + add }
			dev := compiled{function.New(function.Options{}), of}
			k, occ, err := r.keep(context.Background(), dev, device.Launch{Block: 128, Regs: want})
			require.NoError(t, err, "%d registers, %d added", want, add)
			require.LessOrEqual(t, occ.Regs, want)
			require.Greater(t, occ.Regs, want-unit)
			require.Equal(t, of(k), occ.Regs)
			require.Zero(t, k.Local, "the values are in registers")
			require.NoError(t, dev.Close())
		}
	}
	of := func(k *device.Kernel) int { return min(k.Registers, 255) }
	dev := compiled{function.New(function.Options{}), of}
	defer dev.Close()
	k, occ, err := r.keep(context.Background(), dev, device.Launch{Block: 128, Regs: 16})
	require.NoError(t, err)
	require.Greater(t, occ.Regs, 16, "what the kernel needs with no values kept alive")
	require.Equal(t, of(k), occ.Regs)
	dev.registers = func(*device.Kernel) int { return 40 }
	_, _, err = r.keep(context.Background(), dev, device.Launch{Block: 128, Regs: 240})
	require.EqualError(t, err, "no kernel has 240 registers per thread on func: with 192 values kept alive it has 40")
}

// TestHeld checks that the kernel that keeps values alive is launched with arguments that fit, and
// passes the check of the lock-array barrier.
func TestHeld(t *testing.T) {
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	s := Find("barrier-simdx")
	dev := compiled{function.New(function.Options{}), func(k *device.Kernel) int { return min(k.Registers, 255) }}
	r := &Runner{Kernels: kernels, Machine: Machine{Silicon: true}, Open: func(context.Context) (device.Device, error) { return dev, nil }}
	res, err := r.Run(context.Background(), s, map[string]string{Registers: "110", Blocks: "20"})
	require.NoError(t, err)
	require.Equal(t, Ends, res.Outcome, fmt.Sprint(res.Err))
	require.Contains(t, res.Kernel, "Held")
}
