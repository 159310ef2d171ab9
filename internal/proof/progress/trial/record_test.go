package trial_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/proof/progress"
	"github.com/weft-gpu/weft/internal/proof/progress/litmus"
)

// TestRecordOfH200 checks what an H200 did with the given tests: as blocks and as lanes, none hung of which weak fairness
// guarantees that it ends, which includes all that obe guarantees; and the hangs that there were had been decided to be
// possible under every model without strong fairness.
func TestRecordOfH200(t *testing.T) {
	verdicts, err := litmus.ReadVerdicts(t.Context(), given+"/verdicts.csv")
	require.NoError(t, err)
	for _, as := range []string{"blocks", "lanes"} {
		data, err := os.ReadFile("../../../../results/progress/h200-" + as + ".jsonl")
		require.NoError(t, err)
		seen, hung, instances := map[string]bool{}, 0, 0
		for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
			var row struct {
				Test, Device, Threads      string
				Launches, Instances, Hangs int
				Undecided                  int
			}
			require.NoError(t, json.Unmarshal(s.Bytes(), &row))
			require.Equal(t, "hw", row.Device)
			require.Equal(t, as, row.Threads)
			require.Zero(t, row.Undecided)
			require.False(t, seen[row.Test], row.Test)
			seen[row.Test] = true
			instances += row.Instances
			if row.Hangs > 0 {
				hung++
				require.Equal(t, progress.MayHang, verdicts[row.Test]["weak_fair"], row.Test)
			} else {
				require.Positive(t, row.Instances, row.Test)
			}
		}
		require.Len(t, seen, len(verdicts))
		require.Equal(t, map[string]int{"blocks": 52, "lanes": 34}[as], hung)
		require.Greater(t, instances, 38_000_000)
	}
}
