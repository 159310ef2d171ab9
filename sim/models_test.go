package sim

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/policy"
)

const modelSource = `package p

import "github.com/weft-gpu/weft/gpu"

// Up makes each block wait for the next higher one.
func Up(t gpu.Thread, x []uint32) {
	if b := t.Block(); b+1 < t.GridDim() {
		for gpu.Load(&x[b+1]) == 0 {
		}
	}
	gpu.Store(&x[t.Block()], 1)
}

// Down makes each block wait for the next lower one.
func Down(t gpu.Thread, x []uint32) {
	if b := t.Block(); b > 0 {
		for gpu.Load(&x[b-1]) == 0 {
		}
	}
	gpu.Store(&x[t.Block()], 1)
}

// Lock has blocks that take a spin lock.
func Lock(t gpu.Thread, x []uint32) {
	for gpu.AtomicCAS(&x[0], 0, 1) != 0 {
	}
	gpu.Store(&x[1], gpu.Load(&x[1])+1)
	gpu.StoreRelease(&x[0], 0)
}

// Barrier is a barrier of all blocks.
func Barrier(t gpu.Thread, x []uint32) {
	gpu.AtomicAdd(&x[0], 1)
	for gpu.Load(&x[0]) < t.GridDim() {
	}
}

// Begun makes each block wait for those that have begun before it.
func Begun(t gpu.Thread, x []uint32) {
	before := gpu.AtomicAdd(&x[0], 1)
	for gpu.Load(&x[1]) < before {
	}
	gpu.AtomicAdd(&x[1], 1)
}

// Free has blocks that wait for nobody.
func Free(t gpu.Thread, x []uint32) {
	for range 10 {
		gpu.AtomicAdd(&x[t.Block()], 1)
	}
}
`

// TestModels checks, for kernels of blocks that wait for each other, that what a model guarantees to end ends on every
// seed, and that what it does not hangs on some seeds.
func TestModels(t *testing.T) {
	ends := map[string]string{
		"Free":    "obe hsa hsa_obe lobe weak_fair",
		"Up":      "weak_fair",
		"Down":    "hsa hsa_obe lobe weak_fair",
		"Lock":    "obe hsa_obe lobe weak_fair",
		"Barrier": "weak_fair",
		"Begun":   "obe hsa_obe lobe weak_fair",
	}
	const seeds = 40
	for kernel, guaranteed := range ends {
		k := compiled(t, modelSource, kernel)
		for _, m := range policy.Models() {
			hangs := 0
			for seed := range uint64(seeds) {
				err := underModel(t, k, m.Name, seed, 5)
				if err == nil {
					continue
				}
				var hang *device.HangError
				require.ErrorAs(t, err, &hang)
				hangs++
				if m.Name == "lobe" || m.Name == "hsa_obe" || m.Name == "obe" {
					assert.Equal(t, device.Hang, hang.Kind)
					assert.Regexp(t, `of 5 blocks cannot be placed until others end: progress model `+m.Name+` with at most [1-4] blocks? at a time$`, hang.What)
					for _, advice := range hang.Graph.Advice {
						assert.NotContains(t, advice.Text, "launch at most", "the machine has room for all blocks")
					}
				}
			}
			if contains(guaranteed, m.Name) {
				assert.Zero(t, hangs, "%s under %s", kernel, m.Name)
			} else { // one that waits for a block within its critical section hangs least often
				assert.Greater(t, hangs, seeds/20, "%s under %s", kernel, m.Name)
			}
		}
	}
}

func contains(list, name string) bool { return slices.Contains(strings.Fields(list), name) }

// underModel launches a kernel under a progress model.
func underModel(t testing.TB, k *device.Kernel, model string, seed uint64, grid int) error {
	m, err := policy.ModelNamed(model)
	require.NoError(t, err)
	d, err := New(machineOf(t), Options{Seed: seed, Control: m})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	x := upload(t, d, "x", device.U32, make([]uint32, 16))
	_, err = d.Launch(context.Background(), device.Launch{Kernel: k, Grid: grid, Block: 1, Args: []any{x}})
	return err
}

// TestModelNeedsRoom checks that a grid that does not fit is refused under weak_fair.
func TestModelNeedsRoom(t *testing.T) {
	err := underModel(t, compiled(t, modelSource, "Free"), "weak_fair", 1, 1000)
	assert.EqualError(t, err, "progress model weak_fair: all blocks must be resident, but 8 of the 1000 blocks fit on the machine at once")
	_, err = policy.ModelNamed("fair")
	assert.EqualError(t, err, `unknown progress model "fair"; there are obe, hsa, hsa_obe, lobe, weak_fair`)
}
