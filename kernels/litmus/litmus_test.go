//go:build !kernel

package litmus_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/kernels/litmus"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

func kernels(t testing.TB) *compile.Compiler {
	c := compile.New(catalog.Sources()...)
	return c
}

// TestEveryKernelIsTested checks that each entry point belongs to a test.
func TestEveryKernelIsTested(t *testing.T) {
	names, err := kernels(t).Entries("kernels/litmus")
	require.NoError(t, err)
	tested := map[string]bool{}
	for _, x := range litmus.Tests() {
		tested[x.Kernel()] = true
		assert.NotEmpty(t, x.Why)
		if x.Forbidden {
			assert.Equal(t, litmus.Never, x.Needs, x.Name())
		}
	}
	assert.Len(t, tested, len(names))
	for _, n := range names {
		assert.True(t, tested["kernels/"+n], n)
	}
}

// missed lists the tests whose weak outcome an H200 showed and sim:h200 does not show. The
// first appeared in one instance of 38,400, by two plain loads of words in one L1. The
// second appeared in 245: the H200's fence.sc of block scope orders nothing between blocks,
// whereas ours and its fence.acq_rel keep a load before a later store.
var missed = []string{"WRC+Plain/block", "LB+SCBlock"}

// TestHeavyOnSim checks that outcomes that PTX forbids never appear, and that allowed
// outcomes appear if the machine has the cause for them. sim:h200 shows exactly the
// outcomes that an H200 showed, except for two (see missed).
func TestHeavyOnSim(t *testing.T) {
	outcomes := silicon(t)
	for _, m := range []struct {
		preset string
		seeds  int
		causes []litmus.Cause
	}{
		{"tiny", 200, []litmus.Cause{litmus.Stale}},
		{"h200", 40, []litmus.Cause{litmus.Stale, litmus.Far}},
	} {
		t.Run(m.preset, func(t *testing.T) {
			cfg, err := config.Load(m.preset)
			require.NoError(t, err)
			d, err := sim.New(cfg, sim.Options{Seed: 1})
			require.NoError(t, err)
			r := litmus.Runner{Device: d, Kernels: kernels(t)}
			for _, x := range litmus.Tests() {
				h, err := r.Run(context.Background(), x, 1, m.seeds)
				require.NoError(t, err)
				require.Greater(t, h.Total(), m.seeds)
				has := slices.Contains(m.causes, x.Needs)
				for more := uint64(1); has && h[x.Weak] == 0 && more < 20; more++ { // some are rare
					other, err := r.Run(context.Background(), x, 1+more*uint64(m.seeds), m.seeds)
					require.NoError(t, err)
					h.Add(other)
				}
				t.Log(x.Name(), h)
				if has {
					assert.Positive(t, h[x.Weak], "%s allows %s (%s), and the machine can show it: %v", x.Name(), x.Weak, x.Why, h)
				} else if x.Forbidden || x.Needs == litmus.Never {
					assert.Zero(t, h[x.Weak], "%s excludes %s (%s): %v", x.Name(), x.Weak, x.Why, h)
				}
				if m.preset == "h200" && !slices.Contains(missed, x.Name()) {
					assert.Equal(t, outcomes[x.Name()][x.Weak] > 0, h[x.Weak] > 0, "%s: %s on an H200: %v; here: %v", x.Name(), x.Weak, outcomes[x.Name()], h)
				}
				if x.Shape != "CoWW" && x.Shape != "CoRW" && x.Shape != "CoWR" {
					assert.Greater(t, len(h), 1, "%s always ends alike: %v", x.Name(), h)
				}
			}
		})
	}
}

// TestHeavySlowStores uses machines whose stores to the far half of the L2 take long and
// whose fences cost nothing. What a fence orders must still have taken effect: stores of
// its own thread, of threads that a Sync joined it with, and of threads whose writes it has
// seen.
func TestHeavySlowStores(t *testing.T) {
	for preset, seeds := range map[string]int{"tiny": 400, "h200": 40} {
		cfg, err := config.Load(preset)
		require.NoError(t, err)
		for name, value := range map[string]string{
			"l2.partitions": "2", "l2.far": "600", "l2.latency": "700", "fence.device": "1", "fence.store": "0", "fence.acquire": "0",
		} {
			require.NoError(t, cfg.Set(name, value))
		}
		d, err := sim.New(cfg, sim.Options{Seed: 1})
		require.NoError(t, err)
		r := litmus.Runner{Device: d, Kernels: kernels(t)}
		for _, x := range litmus.Tests() {
			if !x.Forbidden || x.Together || strings.HasPrefix(x.Shape, "Co") {
				continue
			}
			h, err := r.Run(context.Background(), x, 1, seeds)
			require.NoError(t, err)
			assert.Zero(t, h[x.Weak], "%s: %s excludes %s (%s): %v", preset, x.Name(), x.Weak, x.Why, h)
			assert.Greater(t, len(h), 1, "%s: %s always ends alike: %v", preset, x.Name(), h)
		}
	}
}

// TestHeavyJitter checks, on a machine whose schedules vary in every way, that outcomes that
// PTX forbids never appear, and that requests which overtake each other show what otherwise
// only a machine with two L2 halves shows.
func TestHeavyJitter(t *testing.T) {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	cfg.VarySchedules()
	d, err := sim.New(cfg, sim.Options{Seed: 1})
	require.NoError(t, err)
	r := litmus.Runner{Device: d, Kernels: kernels(t)}
	overtaken := map[string]int{}
	for _, x := range litmus.Tests() {
		h, err := r.Run(context.Background(), x, 1, 100)
		require.NoError(t, err)
		if x.Forbidden {
			assert.Zero(t, h[x.Weak], "%s excludes %s (%s): %v", x.Name(), x.Weak, x.Why, h)
		}
		if x.Needs == litmus.Far {
			overtaken[x.Name()] = h[x.Weak]
		}
	}
	t.Log(overtaken)
	shown := 0
	for _, n := range overtaken {
		if n > 0 {
			shown++
		}
	}
	assert.Greater(t, shown, len(overtaken)/2, "%v", overtaken)
}

// TestOnFunc checks that the functional device is sequentially consistent.
func TestOnFunc(t *testing.T) {
	r := litmus.Runner{Device: function.New(function.Options{}), Kernels: kernels(t)}
	for _, x := range litmus.Tests() {
		h, err := r.Run(context.Background(), x, 1, 10)
		require.NoError(t, err)
		assert.Zero(t, h[x.Weak], "%s: %v", x.Name(), h)
	}
}
