package trial_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/proof/progress/litmus"
	"github.com/weft-gpu/weft/internal/proof/progress/trial"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/policy"
)

// TestAdversarialMachine runs the given tests as blocks on machines that promise no more than a progress model: those of
// which the model guarantees, as published, that they end, end on every seed. Of the others, many hang on some seed.
func TestAdversarialMachine(t *testing.T) {
	r := trial.New()
	for _, m := range policy.Models() {
		safe, all := guaranteed(t, m.Name)
		require.NotEmpty(t, safe)
		hang := 0
		for i, test := range all {
			ends := slices.ContainsFunc(safe, func(s *litmus.Test) bool { return s.Name == test.Name })
			if !ends && i%4 > 0 {
				continue // a quarter of those that may hang
			}
			res, err := r.Run(t.Context(), test, trial.Options{As: trial.Blocks, Instances: 1, Launches: 6, Seed: 1,
				Open: func(_ context.Context, seed uint64) (device.Device, error) {
					cfg, err := config.Load("tiny")
					if err != nil {
						return nil, err
					}
					return sim.New(cfg, sim.Options{Seed: seed, Budget: 10_000_000, Control: &m})
				}})
			require.NoError(t, err)
			if ends {
				assert.Zero(t, res.Hangs+res.Undecided, "%s under %s: %s", test.Name, m.Name, res.Why)
			}
			hang += res.Hangs // 0 for those that must end
		}
		t.Logf("%s: %d tests end on all seeds; %d of about %d that may hang do", m.Name, len(safe), hang, (len(all)-len(safe))/4)
		if m.Name != "weak_fair" { // there, only a schedule that watches values hangs
			assert.Greater(t, hang, (len(all)-len(safe))/16, m.Name)
		}
	}
}
