package litmus

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/proof/progress"
)

const given = "testdata/tests"

// TestVerdicts compares all tests under all models with the published verdicts.
func TestVerdicts(t *testing.T) {
	tests, err := ReadDir(t.Context(), given)
	require.NoError(t, err)
	want, err := ReadVerdicts(t.Context(), given+"/verdicts.csv")
	require.NoError(t, err)
	require.Len(t, tests, 243)
	require.Len(t, want, len(tests))
	for _, test := range tests {
		g, err := progress.Explore(t.Context(), test.System(), progress.Limits{States: 1 << 20})
		require.NoError(t, err)
		require.Len(t, want[test.Name], len(progress.Models))
		for _, m := range progress.Models {
			if got, _ := g.Decide(m); got != want[test.Name][m.Name] {
				t.Errorf("%s under %s: %s, published as %s\n%s", test.Name, m.Name, got, want[test.Name][m.Name], test)
			}
		}
	}
}
