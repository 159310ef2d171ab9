package plot_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/view/plot"
)

// read returns the numbers of a figure.
func read(t *testing.T, st *store.Store, text string) *plot.Numbers {
	t.Helper()
	list, err := plot.Parse([]spec.Section{section(text)})
	require.NoError(t, err, text)
	list[0].UnitOf = func(name string) string { return map[string]string{"l2.latency": "cycle"}[name] }
	n, err := plot.Read(t.Context(), st, list[0])
	require.NoError(t, err, text)
	return n
}

// TestCaptions: every kind of figure says which runs it shows, by which conditions, and what was left out.
func TestCaptions(t *testing.T) {
	st := made(t)
	for text, want := range map[string]string{
		"kind: lines; x: l2.latency; y: cycles; series: scheduler; facet: graph":                                         "36 runs of made.db; a line for each scheduler, a panel for each graph.",
		"kind: lines; x: scheduler; y: cycles; series: l2.latency; where: graph=roads, scheduler!=warp; where: cycles>0": "8 runs of made.db where graph=roads and scheduler!=warp and cycles>0; a line for each l2.latency (cycle).",
		"kind: bars; x: graph; y: cycles; series: scheduler; baseline: scheduler=thread; where: l2.latency=100":          "6 runs of made.db where l2.latency=100; a color for each scheduler.",
		"kind: heat; x: l2.latency; y: scheduler; value: cycles; where: graph=roads":                                     "12 runs of made.db where graph=roads.",
		"kind: histogram; x: cycles; facet: l2.latency":                                                                  "36 runs of made.db; a panel for each l2.latency (cycle).",
		"kind: correlation; y: cycles; a: scheduler=thread; b: scheduler=warp; series: graph; where: l2.latency<300":     "12 runs of made.db where l2.latency<300; a color for each graph.",
		"kind: lines; x: l2.latency; y: cycles; where: status=ok":                                                        "36 runs of made.db where status=ok.",
		"kind: lines; x: l2.latency; y: cycles" + strings.Repeat("; where: cycles>0", 14):                                "36 runs of made.db where " + strings.Repeat("cycles>0 and ", 12) + "2 more conditions.",
	} {
		n := read(t, st, text)
		assert.Equal(t, want, n.Caption[0], text)
		bad := "Left out: 1 run that did not end well."
		if strings.Contains(text, "thread; b") || strings.Contains(text, "warp, cycles") || strings.Contains(text, "scheduler!=warp") || strings.Contains(text, "status=ok") || strings.Contains(text, "cycles>0") {
			continue // its conditions do not select the run that failed, or name the status
		}
		assert.Contains(t, n.Caption, bad, text)
	}
	study := plot.StudyOf([]spec.Point{{Settings: []spec.Setting{{Name: "l2.latency", Value: "400"}, {Name: "param.block", Value: "64"}}}})
	study.Name = "slow"
	plots, err := plot.Parse([]spec.Section{section("kind: bars; x: graph; y: cycles; where: scheduler=warp")})
	require.NoError(t, err)
	plots[0].Study = study
	p, err := plot.Draw(t.Context(), st, plots[0])
	require.NoError(t, err)
	assert.Equal(t, []string{"3 runs of made.db (study slow) where scheduler=warp."}, p.Caption)
	var svg bytes.Buffer
	require.NoError(t, p.Write(&svg, "svg"))
	assert.Contains(t, svg.String(), ">3 runs of made.db (study slow) where scheduler=warp.<")
	assert.Contains(t, read(t, madeTraces(t), "kind: time; series: scheduler; where: graph=web").Caption[0], "2 runs of traces.db where graph=web; a line for each scheduler.")
}

// looksOf returns the looks of the series of a figure by their names.
func looksOf(n *plot.Numbers) map[string]plot.Look {
	looks := map[string]plot.Look{}
	for i, name := range n.Series {
		looks[name] = n.Looks[i]
	}
	return looks
}

// TestLooks: a scheduler has one color in all figures of a store, whatever a figure filters, orders or adds to the series.
func TestLooks(t *testing.T) {
	st := made(t)
	whole := looksOf(read(t, st, "kind: lines; x: l2.latency; y: cycles; series: scheduler"))
	require.Equal(t, map[string]plot.Look{"block-queue": {}, "thread": {Color: 1}, "warp": {Color: 2}}, whole)
	for _, text := range []string{
		"kind: bars; x: graph; y: cycles; series: scheduler; where: scheduler!=block-queue",
		"kind: bars; x: graph; y: cycles; series: scheduler; baseline: scheduler=thread",
		"kind: lines; x: l2.latency; y: cycles; series: scheduler; where: scheduler=warp",
		"kind: histogram; x: cycles; series: scheduler; where: scheduler~r, graph=roads",
		"kind: correlation; y: cycles; a: l2.latency=100; b: l2.latency=400; series: scheduler; where: scheduler!=block-queue",
	} {
		for name, l := range looksOf(read(t, st, text)) {
			assert.Equal(t, whole[name], l, "%s in %s", name, text)
		}
	}
	// A color is that of the scheduler where a second column tells series apart, too; marks differ.
	seen := map[plot.Look]bool{}
	for name, l := range looksOf(read(t, st, "kind: lines; x: l2.latency; y: cycles; series: scheduler, graph")) {
		scheduler, _, _ := strings.Cut(name, " ")
		assert.Equal(t, whole[scheduler].Color, l.Color, name)
		assert.False(t, seen[l], name)
		seen[l] = true
	}
	// Where one scheduler is left, it is the other column that has colors.
	graphs := looksOf(read(t, st, "kind: lines; x: l2.latency; y: cycles; series: graph; where: scheduler=warp"))
	for name, l := range looksOf(read(t, st, "kind: lines; x: l2.latency; y: cycles; series: scheduler, graph; where: scheduler=warp")) {
		assert.Equal(t, graphs[strings.TrimPrefix(name, "warp ")], l, name)
	}
	// Over time.
	traces := madeTraces(t)
	all := looksOf(read(t, traces, "kind: time; series: scheduler; where: graph=web"))
	assert.Equal(t, all["warp"], looksOf(read(t, traces, "kind: time; series: scheduler; where: graph=roads; where: scheduler=warp"))["warp"])
	assert.NotEqual(t, all["warp"], all["thread"])

	// More values than colors: marks tell them apart.
	many, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "many.db"))
	require.NoError(t, err)
	defer many.Close()
	for i := range 25 {
		add(t, many, fmt.Sprintf("s%02d", i), "roads", map[string]string{"n": fmt.Sprint(i)}, store.OK, store.Metric{Name: "cycles", Unit: "cycle", Value: 5})
	}
	distinct := map[plot.Look]bool{}
	for _, l := range read(t, many, "kind: lines; x: graph; y: cycles; series: scheduler").Looks {
		distinct[l] = true
	}
	assert.Len(t, distinct, 25)
	assert.Equal(t, plot.Look{Color: 9}, looksOf(read(t, many, "kind: lines; x: graph; y: cycles; series: n"))["9"], "numbers go by size")
}

// TestUnits: in each kind of picture, each quantity that has a unit says it: on axes, in legends, headings, scales and cells.
func TestUnits(t *testing.T) {
	st := made(t)
	units := func(name string) string {
		return map[string]string{"l2.latency": "cycle", "param.block": "thread"}[name]
	}
	for text, want := range map[string][]string{
		"kind: lines; x: l2.latency; y: inst; series: param.block; facet: l2.latency":  {">l2.latency (cycle)<", ">inst<", ">l2.latency = 100 cycle<"},
		"kind: lines; x: graph; y: kernel_seconds; series: l2.latency":                 {"µs<", ">l2.latency (cycle)<"},
		"kind: lines; x: kernel_seconds; y: kernel_seconds / inst; where: graph=roads": {"µs<", ">kernel_seconds / inst (s/inst)<"},
		"kind: bars; x: l2.latency; y: cycles; series: scheduler":                      {">l2.latency (cycle)<", ">cycles<"},
		"kind: heat; x: l2.latency; y: scheduler; value: kernel_seconds":               {">l2.latency (cycle)<", "µs<"},
		"kind: heat; x: scheduler; y: l2.latency; value: cycles":                       {">l2.latency (cycle)<", ">cycles<"},
		"kind: histogram; x: kernel_seconds; series: l2.latency":                       {">runs<", "µs<", ">l2.latency (cycle)<"},
		"kind: histogram; x: inst / cycles":                                            {">inst / cycles (inst/cycle)<", ">runs<"},
		"kind: correlation; y: kernel_seconds; a: scheduler=thread; b: scheduler=warp": {"µs<"},
		"kind: correlation; y: inst; a: scheduler=thread; b: scheduler=warp":           {">inst, scheduler=thread<"},
	} {
		list, err := plot.Parse([]spec.Section{section(text)})
		require.NoError(t, err)
		list[0].UnitOf = units
		p, err := plot.Draw(t.Context(), st, list[0])
		require.NoError(t, err, text)
		var svg bytes.Buffer
		require.NoError(t, p.Write(&svg, "svg"))
		for _, w := range want {
			assert.Contains(t, svg.String(), w, text)
		}
		assert.NotRegexp(t, `>\d\.\d+e-\d+<`, svg.String(), "%s: seconds without a unit", text)
	}
	p, err := drawn(t.Context(), madeTraces(t), "kind: time; series: scheduler; where: graph=web")
	require.NoError(t, err)
	var svg bytes.Buffer
	require.NoError(t, p.Write(&svg, "svg"))
	for _, w := range []string{"µs<", ">%<", ">GB/s<", ">G/s<"} {
		assert.Contains(t, svg.String(), w)
	}
}
