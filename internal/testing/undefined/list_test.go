package undefined

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/testing/undefined/misuse"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// run launches the kernel of a row on a device and returns what it left in out.
func run(t *testing.T, d device.Device, r *Row) ([]uint32, error) {
	t.Helper()
	k, err := compile.New(misuse.Sources).Kernel(t.Context(), "misuse."+r.Kernel, nil)
	require.NoError(t, err)
	out, err := d.Alloc("out", device.U32, 64)
	require.NoError(t, err)
	require.NoError(t, d.Write(out, make([]uint32, 64)))
	blank, err := d.Alloc("blank", device.U32, 64)
	require.NoError(t, err)
	_, err = d.Launch(t.Context(), device.Launch{Kernel: k, Grid: 1, Block: r.Block, Args: []any{out, blank, uint32(0)}})
	words := make([]uint32, 64)
	require.NoError(t, d.Read(out, words))
	return words, err
}

// machine opens a simulated machine.
func machine(t *testing.T, name string, strict bool, seed uint64) device.Device {
	t.Helper()
	cfg, err := config.Load(name)
	require.NoError(t, err)
	d, err := sim.New(cfg, sim.Options{Seed: seed, Strict: strict})
	require.NoError(t, err)
	return d
}

// native runs the kernel of a row as plain Go.
func native(r *Row) ([]uint32, error) {
	out, blank := make([]uint32, 64), make([]uint32, 64)
	return out, gpu.Launch(1, r.Block, func(t gpu.Thread) { misuse.Kernels[r.Kernel](t, out, blank, 0) })
}

// TestRows checks each row on all devices. A fault names the kernel, a line of it and a
// thread. Where the kernel ends well, all devices agree.
func TestRows(t *testing.T) {
	for i := range Rows {
		r := &Rows[i]
		t.Run(r.Kernel, func(t *testing.T) {
			want, err := native(r)
			if r.Launch() == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, r.Launch())
			}
			for name, d := range map[string]device.Device{
				"func": function.New(function.Options{}), "sim:tiny": machine(t, "tiny", true, 1), "sim:v100": machine(t, "v100", true, 1),
			} {
				got, err := run(t, d, r)
				if r.Strict == "" {
					if assert.NoError(t, err, name) {
						assert.Equal(t, want, got, name)
					}
					continue
				}
				var f *device.Fault
				var hang *device.HangError
				switch {
				case errors.As(err, &f):
					alike := name == "sim:tiny" && r.Strict == goneAround && strings.Contains(f.What, notTheSame) // its lanes are not independent
					assert.True(t, alike || strings.Contains(f.What, r.Strict), "%s: %s", name, f.What)
					assert.Equal(t, "misuse."+r.Kernel, f.Kernel, name)
					require.NotEmpty(t, f.At, name)
					assert.Contains(t, f.At[0].File, "misuse/", name)
				case errors.As(err, &hang):
					assert.True(t, r.Native == "hangs" && name == "sim:v100" || strings.Contains(err.Error(), r.Strict), "%s: %v", name, err)
				default:
					assert.Fail(t, "no fault", "%s: %v", name, err)
				}
			}
		})
	}
}

// TestPoison checks that machines that are not strict return arbitrary numbers, which
// depend on the seed and on nothing else.
func TestPoison(t *testing.T) {
	for i := range Rows {
		r := &Rows[i]
		if r.Lax != poisoned {
			continue
		}
		first, err := run(t, machine(t, "tiny", false, 1), r)
		require.NoError(t, err)
		again, err := run(t, machine(t, "tiny", false, 1), r)
		require.NoError(t, err)
		other, err := run(t, machine(t, "tiny", false, 2), r)
		require.NoError(t, err)
		lax, err := run(t, function.New(function.Options{Lax: true}), r)
		require.NoError(t, err)
		assert.Equal(t, first, again)
		assert.NotEqual(t, first, other)
		for l := range first {
			large := first[l] >= 0x7FE00000
			assert.Equal(t, large, other[l] >= 0x7FE00000, "thread %d", l)
			assert.Equal(t, large, lax[l] >= 0x7FE00000, "thread %d", l)
		}
		assert.NotEmpty(t, first)
	}
}

// TestDocument checks that docs/undefined.md has the list.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../../docs/undefined.md")
	require.NoError(t, err)
	for i := range Rows {
		assert.Contains(t, string(text), Rows[i].line(), "docs/undefined.md lacks this line")
	}
	assert.Equal(t, len(Rows)+7, strings.Count(string(text), "\n| "), "docs/undefined.md has rows that are not in the list")
	assert.Len(t, misuse.Kernels, len(Rows), "each kernel has a row")
}

// line returns the row of the table in the document.
func (r *Row) line() string {
	if r.Strict == "" {
		return fmt.Sprintf("| %s | %s |\n", r.What, r.Source)
	}
	launch := "an error"
	if r.Native == EndsWell {
		launch = "does not see it"
	} else if r.Native == "hangs" {
		launch = "a hang"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", r.What, launch, r.Lax, r.Source)
}
