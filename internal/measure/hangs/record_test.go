package hangs

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// recorded is the folder of what an H200 showed.
const recorded = "../../../results/hangs/h200/"

func readRecord(t *testing.T, file string, to any) {
	t.Helper()
	text, err := os.ReadFile(recorded + file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, to))
}

// TestRecord checks that on an H200 each scenario ended as it is expected to end there today, with the
// number of blocks that the driver said are resident.
func TestRecord(t *testing.T) {
	var record struct {
		Rows []struct {
			*Result
			Set map[string]string `json:"set"`
		}
	}
	readRecord(t, "hangs.json", &record)
	next := 0
	for _, s := range Scenarios() {
		for _, set := range s.Cases {
			require.Less(t, next, len(record.Rows))
			row := record.Rows[next]
			next++
			require.Equal(t, s.Name, row.Scenario)
			require.True(t, maps.Equal(set, row.Set), "%s: %v and not %v", s.Name, row.Set, set)
			v, err := s.Values(set)
			require.NoError(t, err)
			e := s.expect(Situation{Machine: MachineOf(hw.Capabilities, nil), Values: v, Blocks: row.Blocks, Threads: row.Threads, Resident: row.Resident})
			assert.True(t, e.Met(row.Outcome), "%s %v: %s, and expected is %s", s.Name, set, row.Outcome, e)
		}
	}
	require.Len(t, record.Rows, next)
}

// TestRecordOfLargest checks that the largest grid of an H200 is that of the simulated one, for
// kernels that registers limit and for kernels that warps limit.
func TestRecordOfLargest(t *testing.T) {
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	r := &Runner{Kernels: kernels, Open: func(context.Context) (device.Device, error) {
		cfg, err := config.Load("h200")
		if err != nil {
			return nil, err
		}
		return sim.New(cfg, sim.Options{})
	}}
	for registers, want := range map[string]int{"110": 528, "24": 2112} {
		var record Largest
		readRecord(t, "largest-"+registers+".json", &record)
		require.Equal(t, [3]int{want, want + 1, want}, [3]int{record.Ends, record.Next, record.Resident})
		res, err := r.Run(t.Context(), Find("barrier-simdx"), map[string]string{Registers: registers, Blocks: "1"})
		require.NoError(t, err)
		require.Equal(t, want, res.Resident, "on sim:h200, where TestHeavyScenarios has it hang with one more")
	}
}
