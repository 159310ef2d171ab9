package sim

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
	"github.com/weft-gpu/weft/sim/config"
)

// contractPresets are the smallest and the largest machine, for the tests that always run.
var contractPresets = []string{"tiny", "h200"}

func TestContract(t *testing.T) { contract(t, contractPresets) }

// TestHeavyContract runs the contract on all other machines.
func TestHeavyContract(t *testing.T) {
	contract(t, slices.DeleteFunc(config.Presets(), func(p string) bool { return slices.Contains(contractPresets, p) }))
}

func contract(t *testing.T, presets []string) {
	for _, preset := range presets {
		t.Run(preset, func(t *testing.T) {
			cfg, err := config.Load(preset)
			require.NoError(t, err)
			independent := cfg.SM.Divergence == "its"
			devicetest.Contract(t, func(t *testing.T) device.Device {
				cfg, err := config.Load(preset)
				require.NoError(t, err)
				d, err := New(cfg, Options{Seed: 1})
				require.NoError(t, err)
				return d
			}, devicetest.Traits{Keeps: true, Faults: true, Hangs: true, Repeats: true, Independent: independent, Capability: cfg.Capability()})
		})
	}
}

// TestContractIndependent also makes lanes yield at every backward branch, so that warps split and reconverge all the
// time.
func TestContractIndependent(t *testing.T) {
	for _, patience := range []string{"4096", "1"} {
		t.Run("patience "+patience, func(t *testing.T) {
			devicetest.Contract(t, func(t *testing.T) device.Device {
				cfg, err := config.Load("tiny")
				require.NoError(t, err)
				require.NoError(t, cfg.Set("sm.divergence", "its"))
				require.NoError(t, cfg.Set("issue.patience", patience))
				d, err := New(cfg, Options{Seed: 1})
				require.NoError(t, err)
				return d
			}, devicetest.Traits{Keeps: true, Faults: true, Hangs: true, Independent: true, Repeats: true})
		})
	}
}

// TestContractStrict ends launches at what PTX leaves undefined, with the messages of the functional device.
func TestContractStrict(t *testing.T) {
	for _, divergence := range []string{"stack", "its"} {
		t.Run(divergence, func(t *testing.T) {
			devicetest.Contract(t, func(t *testing.T) device.Device {
				cfg, err := config.Load("tiny")
				require.NoError(t, err)
				require.NoError(t, cfg.Set("sm.divergence", divergence))
				d, err := New(cfg, Options{Seed: 1, Strict: true})
				require.NoError(t, err)
				return d
			}, devicetest.Traits{Keeps: true, Faults: true, Hangs: true, Independent: divergence == "its", Repeats: true, Strict: true})
		})
	}
}

// TestBFSApart runs real kernels in the same way: answers do not depend on which lanes run together.
func TestBFSApart(t *testing.T) {
	g := openGraph(t, "rmat:scale=9,degree=8,seed=3")
	for _, s := range schemes {
		together := open(t, "tiny", "sm.divergence", "its")
		bfs(t, together, g, s)
		apart := open(t, "tiny", "sm.divergence", "its", "issue.patience", "1")
		bfs(t, apart, g, s)
		if s == "thread" { // its loops have as many iterations as vertices have arcs
			require.Greater(t, count(t, apart.Total(), "smsp__inst_executed.sum"), count(t, together.Total(), "smsp__inst_executed.sum"))
		}
	}
}
