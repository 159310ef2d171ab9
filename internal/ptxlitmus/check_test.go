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
	for _, dir := range []struct {
		name  string
		tests int
	}{{"tests", 58}, {"more", 44}} {
		f, err := os.Open("testdata/" + dir.name + "/verdicts.csv")
		require.NoError(t, err)
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		require.NoError(t, err)
		assert.Len(t, rows, dir.tests+1)
		for _, row := range rows[1:] {
			t.Run(row[0], func(t *testing.T) {
				test := parseFile(t, "testdata/"+dir.name+"/"+row[0]+".litmus")
				r, err := Check(context.Background(), test, Options{})
				require.NoError(t, err)
				assert.Empty(t, r.Unsupported)
				assert.Equal(t, row[len(row)-1] == "1", r.Verdict, "%v", r.Outcomes)
				assert.False(t, r.Bounded)
			})
		}
	}
}
