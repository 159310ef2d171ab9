package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/device/devicetest"
	"github.com/weft-gpu/weft/sim/config"
)

func TestContract(t *testing.T) {
	for _, preset := range config.Presets() {
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
			}, devicetest.Traits{Counts: true, Keeps: true, Faults: true, Hangs: true, Repeats: true, Independent: independent})
		})
	}
}

func TestContractIndependent(t *testing.T) {
	devicetest.Contract(t, func(t *testing.T) device.Device {
		cfg, err := config.Load("tiny")
		require.NoError(t, err)
		require.NoError(t, cfg.Set("sm.divergence", "its"))
		d, err := New(cfg, Options{Seed: 1})
		require.NoError(t, err)
		return d
	}, devicetest.Traits{Counts: true, Keeps: true, Faults: true, Hangs: true, Independent: true, Repeats: true})
}
