package ptxlitmus

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestVerdicts decides the published tests and compares with the published verdicts.
func TestVerdicts(t *testing.T) {
	for _, dir := range []struct {
		name  string
		tests int
	}{{"tests", 58}, {"more", 58}, {"proxies", 60}} {
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

// TestUnsupported checks what is reported instead of a verdict.
func TestUnsupported(t *testing.T) {
	for _, c := range []struct{ init, row, cond, want string }{
		{"x=1; y=x;", "st.weak x, 2", "exists (y == 1)", ""},
		{"x=0;", "bar.cta.red.or r0, 0, 1", "exists (x == 0)", "bar.red"},
	} {
		r := check(t, Options{}, "PTX t\n{ "+c.init+" }\n P0@cta 0,gpu 0 ;\n "+c.row+" ;\n"+c.cond)
		want := c.want
		if want != "" {
			want = "the model of PTX does not have " + want
		}
		assert.Equal(t, want, r.Unsupported, c.row)
		assert.Equal(t, want == "", len(r.Outcomes) > 0, c.row)
	}
	r := check(t, Options{}, "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\n")
	assert.Equal(t, "the test has no condition", r.Unsupported)
	assert.Nil(t, r.Report().Verdict)

	// A condition may read nothing at all.
	r = check(t, Options{}, "PTX t\n{}\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists 0==0")
	assert.True(t, r.Verdict)
	assert.Equal(t, []Outcome{{Executions: 1, Satisfies: true}}, r.Outcomes)
}

// FuzzCheck checks that no test that the reader accepts makes the checker crash or run
// long, and that its verdict fits its outcomes.
func FuzzCheck(f *testing.F) {
	for _, pattern := range []string{"testdata/tests/*.litmus", "testdata/forms/*.litmus"} {
		files, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, file := range files {
			src, err := os.ReadFile(file)
			require.NoError(f, err)
			f.Add(string(src))
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		test, err := Parse("fuzz.litmus", src)
		if err != nil {
			return
		}
		r, err := Check(context.Background(), test, Options{Bound: 1, Budget: 2000})
		if err != nil {
			var limit *LimitError
			require.ErrorAs(t, err, &limit)
			return
		}
		if r.Unsupported != "" {
			return
		}
		yes, no := 0, 0
		for _, o := range r.Outcomes {
			assert.Positive(t, o.Executions)
			if o.Satisfies {
				yes++
			} else {
				no++
			}
		}
		want := map[Quant]bool{Exists: yes > 0, NotExists: yes == 0, ForAll: no == 0}
		assert.Equal(t, want[test.Quant], r.Verdict)
		assert.Equal(t, r.Witness != nil, test.Quant != ForAll && yes > 0 || test.Quant == ForAll && no > 0)
	})
}
