package plot_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/view/plot"
)

// numbers returns the numbers of a plot, and checks that they have the notes of its picture and that
// the flags say the same.
func numbers(t *testing.T, text string) *plot.Numbers {
	t.Helper()
	st := made(t)
	list, err := plot.Parse([]spec.Section{section(text)})
	require.NoError(t, err)
	n, err := plot.Read(t.Context(), st, list[0])
	require.NoError(t, err)
	p, err := plot.Draw(t.Context(), st, list[0])
	require.NoError(t, err)
	require.Equal(t, *p.Description, n.Description, "both are drawn by one description")
	var flags spec.Section
	words := list[0].Flags()
	for i := 0; i < len(words); i++ {
		v := spec.Setting{Name: strings.TrimPrefix(words[i], "--"), Value: "true"}
		if v.Name != "logx" && v.Name != "logy" {
			i++
			v.Value = words[i]
		}
		flags.Values = append(flags.Values, v)
	}
	again, err := plot.Parse([]spec.Section{flags})
	require.NoError(t, err)
	m, err := plot.Read(t.Context(), st, again[0])
	require.NoError(t, err)
	m.File = n.File
	require.Equal(t, n, m, "the flags %q", words)
	return n
}

func TestNumbers(t *testing.T) {
	n := numbers(t, "kind: lines; x: l2.latency; y: cycles; series: scheduler; facet: graph; logx: true; title: T; file: name")
	assert.Equal(t, []string{"block-queue", "thread", "warp"}, n.Series)
	assert.Equal(t, []string{"grid:width=64", "rmat:scale=12,degree=16,seed=1", "roads"}, n.Facets)
	assert.Equal(t, []float64{100, 200, 300, 400}, n.At)
	require.Len(t, n.Values, 3*3*4)
	assert.Equal(t, plot.Value{Facet: 0, Series: 1, X: 0, Y: 3111, Lo: 3111, Hi: 3111, Runs: []int64{9}}, n.Values[4])
	assert.Equal(t, "cycles", n.YLabel)
	assert.True(t, n.LogX)

	n = numbers(t, "kind: bars; x: graph; y: cycles; series: scheduler; baseline: scheduler=thread; ratio: relative; where: l2.latency=100; reduce: mean")
	assert.Equal(t, []string{"block-queue", "warp"}, n.Series, "bars of the baseline would all be 1")
	assert.Equal(t, "scheduler=thread", n.Base)
	assert.InDelta(t, 9037.0/3111, n.Values[0].Y, 1e-12)

	n = numbers(t, "kind: heat; x: l2.latency; y: scheduler; value: cycles; where: scheduler!=warp; reduce: max")
	assert.Equal(t, []string{"block-queue", "thread"}, n.Series)
	assert.Nil(t, n.At)
	assert.Equal(t, 9037.0, n.Values[0].Y)
	assert.Len(t, n.Values[0].Runs, 3)

	n = numbers(t, "kind: histogram; x: cycles; facet: scheduler")
	sum := 0.0
	for _, v := range n.Values {
		sum += v.Y
		assert.Len(t, v.Runs, int(v.Y))
	}
	assert.Equal(t, 36.0, sum)
	assert.Len(t, n.Edges, len(n.X)+1)

	n = numbers(t, "kind: correlation; y: cycles; a: scheduler=thread; b: scheduler=warp; series: graph")
	require.Len(t, n.Pairs, 12)
	assert.Regexp(t, `^12 points, mean error \d+\.\d%, correlation of logarithms [\d.]+; farthest off: .+ \(y/x [\d.]+\), .+, .+\.$`, n.Caption[1])
	assert.Equal(t, plot.Pair{Series: 1, Name: n.Pairs[0].Name, A: 1111, B: 2074, Runs: []int64{1, 13}, Outlier: n.Pairs[0].Outlier}, n.Pairs[0])
	outliers := 0
	for _, p := range n.Pairs {
		if p.Outlier {
			outliers++
		}
	}
	assert.Equal(t, 3, outliers)
}
