package ptxlitmus

import (
	"context"
	"encoding/csv"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestVerdicts decides the published tests and compares with the published verdicts.
func TestVerdicts(t *testing.T) {
	f, err := os.Open("testdata/tests/verdicts.csv")
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 59)
	for _, row := range rows[1:] {
		t.Run(row[0], func(t *testing.T) {
			test := parseFile(t, "testdata/tests/"+row[0]+".litmus")
			r, err := Check(context.Background(), test, Options{})
			require.NoError(t, err)
			assert.Empty(t, r.Unsupported)
			assert.Equal(t, row[2] == "1", r.Verdict, "%v", r.Outcomes)
			assert.False(t, r.Bounded)
		})
	}
}
