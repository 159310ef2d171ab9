package plot_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/view/plot"
)

// TestWithin draws runs that were simulated in part: bands and whiskers have their intervals.
func TestWithin(t *testing.T) {
	st, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "part.db"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = st.Close() })
	for _, r := range []struct {
		scheduler, latency                string
		cycles, half, inst, instructsHalf float64
	}{
		{"thread", "1", 1000, 100, 4000, 40},
		{"thread", "2", 1200, 0, 4000, 0}, // simulated whole
		{"warp", "1", 500, 25, 2000, 0},
	} {
		metrics := []store.Metric{{Name: "cycles", Unit: "cycle", Value: r.cycles}, {Name: "inst", Unit: "inst", Value: r.inst}}
		if r.half > 0 {
			metrics = append(metrics, store.Metric{Name: "cycles" + store.Within, Unit: "cycle", Value: r.half}, store.Metric{Name: "inst" + store.Within, Unit: "inst", Value: r.instructsHalf})
		}
		add(t, st, r.scheduler, "roads", map[string]string{"l2.latency": r.latency}, store.OK, metrics...)
	}
	const note = " include the intervals (95%) of runs that were simulated in part."
	for _, c := range []struct {
		text            string
		thread, warp    [3]float64 // value, from, to
		caption, absent string
	}{
		{"kind: bars; x: graph; y: cycles; series: scheduler", [3]float64{1100, 900, 1200}, [3]float64{500, 475, 525}, "Whiskers" + note, ""},
		{"kind: lines; x: graph; y: cycles; series: scheduler; reduce: mean", [3]float64{1100, 900, 1200}, [3]float64{500, 475, 525}, "Bands" + note, ""},
		{"kind: bars; x: graph; y: cycles; series: scheduler; spread: quartiles", [3]float64{1100, 975, 1175}, [3]float64{500, 475, 525}, "Whiskers" + note, ""},
		{"kind: bars; x: graph; y: cycles; series: scheduler; spread: none", [3]float64{1100, 1100, 1100}, [3]float64{500, 500, 500}, "", note},
		// A tenth and a hundredth of a quotient of 4; 1,200 cycles for 4,000 instructions have no interval.
		{"kind: bars; x: graph; y: inst / cycles; series: scheduler; where: l2.latency=1", [3]float64{4, 3.56, 4.44}, [3]float64{4, 3.8, 4.2}, "Whiskers" + note, ""},
		// The baseline's widest interval counts as well: a tenth and a twentieth.
		{"kind: lines; x: scheduler; y: cycles; baseline: scheduler=thread; where: l2.latency=1", [3]float64{1, 0.8, 1.2}, [3]float64{2, 1.7, 2.3}, "Bands" + note, ""},
	} {
		list, err := plot.Parse([]spec.Section{section(c.text)})
		require.NoError(t, err)
		n, err := plot.Read(t.Context(), st, list[0])
		require.NoError(t, err, c.text)
		require.Len(t, n.Values, 2, c.text)
		for i, want := range [][3]float64{c.thread, c.warp} {
			assert.InDeltaSlice(t, want[:], []float64{n.Values[i].Y, n.Values[i].Lo, n.Values[i].Hi}, 1e-9, "%s: %d", c.text, i)
		}
		if c.caption != "" {
			assert.Contains(t, n.Caption, c.caption, c.text)
		}
		for _, line := range n.Caption {
			if c.absent != "" {
				assert.NotContains(t, line, c.absent, c.text)
			}
		}
		_, err = plot.Draw(t.Context(), st, list[0])
		require.NoError(t, err)
	}
}
