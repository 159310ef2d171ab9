package run

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// record returns a recorded run, by test.
func record(t *testing.T, file string) map[string]Report {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	list := map[string]Report{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var x Report
		require.NoError(t, json.Unmarshal(lines.Bytes(), &x), file)
		require.NotContains(t, list, x.Test)
		list[x.Test] = x
	}
	require.NoError(t, lines.Err())
	return list
}

// late are outcomes that an H200 showed in a few of a million instances: a load takes effect after a later store of its
// thread has made the round trip to another thread. sim:h200 shows them on a machine on which requests may be late.
var late = map[string]string{"LB-dlb-no-fence-2": "P0:r0=1 P1:r1=1", "SL-future-minus": "P0:r0=1 P1:r2=0"}

// TestHeavyLateRequests checks that a machine on which requests may be late shows them, and another one does not.
func TestHeavyLateRequests(t *testing.T) {
	d, l := machine(t, "h200"), machine(t, "h200", "jitter.message", "3000")
	for name, outcome := range late {
		r, err := (&Runner{Device: d, Late: l, Instances: 100_000, Seeds: 64, Seed: 1}).Run(t.Context(), named(t, name))
		require.NoError(t, err)
		assert.Contains(t, r.Report("").Observed, outcome)
		r, err = (&Runner{Device: d, Instances: 20_000, Seeds: 32, Seed: 1}).Run(t.Context(), named(t, name))
		require.NoError(t, err)
		assert.NotContains(t, r.Report("").Observed, outcome)
	}
}

// TestRecords checks the recorded runs: each has all tests, in a million instances, and nothing that the model forbids.
// What an H200 showed, sim:h200 showed, too.
func TestRecords(t *testing.T) {
	files, err := filepath.Glob("../../../../results/litmus/*.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 2)
	records := map[string]map[string]Report{}
	for _, file := range files {
		list := record(t, file)
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		records[name] = list
		for _, x := range published(t) {
			if !strings.Contains(x.File, "/tests/") {
				continue
			}
			rec, ok := list[x.Name]
			if slices.Contains(twoGPUs, x.Name) {
				assert.NotEmpty(t, rec.Unsupported, "%s: %s", name, x.Name)
				continue
			}
			require.True(t, ok, "%s has no %s", name, x.Name)
			assert.Empty(t, rec.Forbidden, "%s: %s", name, x.Name)
			assert.GreaterOrEqual(t, rec.Instances, 1_000_000, "%s: %s", name, x.Name)
			assert.False(t, rec.Partial)
			total := 0
			for _, n := range rec.Observed {
				total += n
			}
			assert.Equal(t, rec.Instances, total, "%s: %s", name, x.Name)
		}
	}
	require.Contains(t, records, "sim-h200")
	require.Contains(t, records, "sim-v100")
	for test, x := range records["h200"] {
		for outcome := range x.Observed {
			assert.Contains(t, records["sim-h200"][test].Observed, outcome, "%s: an H200 shows it %d times", test, x.Observed[outcome])
		}
	}
}
