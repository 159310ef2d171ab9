package compare

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSummarizeMicro checks that rows of one constant count once, whatever their unit, and rows without an error not
// at all.
func TestSummarizeMicro(t *testing.T) {
	rows := []MicroRow{
		{Name: "a", Unit: "cycle", A: 3.15, B: 3}, // 5% off, and no time
		{Name: "b", Unit: "ms", A: 0.00315, B: 0.003},
		{Name: "c", Unit: "us", A: 3.15, B: 6.3},
		{Name: "d", Unit: "us", A: 3.15, B: 3.5},
		{Name: "e", Unit: "us", A: 3.151, B: 3.151}, // almost the constant
		{Name: "f", Unit: "us", A: 3.15, Note: "not recorded"},
		{Name: "g", Unit: "Gop/s", A: 2, B: 1},
	}
	MarkConstant(rows, "launch.rate", 3.15e-6)
	for i, want := range []string{"", "launch.rate", "launch.rate", "launch.rate", "", "", ""} {
		require.Equal(t, want, rows[i].Constant, rows[i].Name)
	}
	s, merged := SummarizeMicro(rows)
	require.Equal(t, map[string]int{"launch.rate": 3}, merged)
	require.Equal(t, 4, s.N)
	require.InDelta(t, (0.05+0.1+0+1)/4, s.Mean, 1e-9)
	require.InDelta(t, 2, s.Worst, 1e-9)
}
