package page_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/view/page"
	"github.com/weft-gpu/weft/internal/view/plot"
)

// figuresSpec has every kind of plot.
const figuresSpec = `name: looks
set: {algorithm: bfs}
vary:
  device: [sim:tiny, sim:other]
  scheduler: [warp, thread, block]
  l2.latency: [100, 200]
  seed: 1:40:1
plots:
  - {kind: lines, x: l2.latency, y: kernel_seconds, series: scheduler}
  - {kind: bars, x: device, y: cycles, series: scheduler, where: scheduler!=block}
  - {kind: bars, x: device, y: cycles, series: [scheduler, l2.latency]}
  - {kind: heat, x: l2.latency, y: scheduler, value: kernel_seconds}
  - {kind: histogram, x: kernel_seconds, series: l2.latency}
  - {kind: histogram, x: cycles, facet: device}
  - {kind: correlation, y: kernel_seconds, a: device=sim:tiny, b: device=sim:other, series: scheduler}
  - {kind: time, y: [occupancy, DRAM-bandwidth], series: scheduler, where: [seed=1, l2.latency=100, device=sim:tiny]}
`

// figuresStore has 480 runs, whose correlation is dense, and one that failed.
func figuresStore(t *testing.T) *store.Store {
	t.Helper()
	st, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "looks.db"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = st.Close() })
	spec, err := st.AddSpec(t.Context(), "looks", figuresSpec)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	var list []*store.Run
	for _, device := range []string{"sim:tiny", "sim:other"} {
		for s, scheduler := range []string{"warp", "thread", "block"} {
			for _, latency := range []string{"100", "200"} {
				for seed := 1; seed <= 40; seed++ {
					cycles := math.Round(math.Exp(7 + float64(s) + random.Float64()))
					r := &store.Run{
						Point: fmt.Sprintf("%064x", len(list)), Spec: spec, Status: store.OK, Algorithm: "bfs", Scheduler: scheduler, Graph: "demo", Device: device, Seed: uint64(seed), Date: time.Unix(0, 0).UTC(), Command: "weft run bfs",
						Settings: map[string]string{"algorithm": "bfs", "device": device, "scheduler": scheduler, "l2.latency": latency, "seed": fmt.Sprint(seed)},
						Metrics:  []store.Metric{{Name: "cycles", Unit: "cycle", Value: cycles}, {Name: "kernel_seconds", Unit: "s", Value: cycles / 1e9}},
					}
					if device == "sim:tiny" && seed == 1 && latency == "100" {
						r.Attachments = map[string][]byte{"trace": traceOf(20)}
					}
					list = append(list, r)
				}
			}
		}
	}
	list = append(list, &store.Run{Point: fmt.Sprintf("%064x", 9999), Spec: spec, Status: store.Failed, Error: "no memory", Algorithm: "bfs", Scheduler: "atos", Graph: "demo", Device: "sim:tiny", Date: time.Unix(0, 0).UTC(), Settings: map[string]string{"scheduler": "atos"}})
	_, err = st.Add(t.Context(), list...)
	require.NoError(t, err)
	return st
}

// option evaluates an expression of the option o of the figure with this number, and of its chart.
func option[T any](b *tab, figure int, expression string) T {
	b.t.Helper()
	return eval[T](b, fmt.Sprintf(`(() => { const chart = echarts.getInstanceByDom(document.querySelectorAll("figure .chart")[%d]), o = chart.getOption(); return %s; })()`, figure, expression))
}

// TestFigures: what the page draws is what the description says, in light and in dark: colors, captions, units, the edges of bins,
// and names that cover no point.
func TestFigures(t *testing.T) {
	st := figuresStore(t)
	p, err := page.Load(t.Context(), st, page.Options{UnitOf: func(name string) string { return map[string]string{"l2.latency": "cycle"}[name] }})
	require.NoError(t, err)
	require.Empty(t, p.Notes)
	require.Len(t, p.Plots, 8)
	require.Equal(t, []string{"atos", "block", "thread", "warp"}, p.Looks["scheduler"], "also of runs that no figure shows")
	file := filepath.Join(t.TempDir(), "looks.html")
	require.NoError(t, os.WriteFile(file, []byte(written(t, p)), 0o644))
	b := open(t, file)

	// Below each figure stands its caption.
	for i, q := range p.Plots {
		text := ""
		for k, sentence := range q.Caption {
			text += map[bool]string{true: " "}[k > 0] + sentence
		}
		require.Contains(t, eval[[]string](b, fmt.Sprintf(`[...document.querySelectorAll("figure")[%d].querySelectorAll("p.note")].map((e) => e.textContent)`, i)), text)
	}
	require.Equal(t, "320 runs of looks.db (study looks) where scheduler!=block; a color for each scheduler.", p.Plots[1].Caption[0])

	// Colors: of the theme, in every figure by the scheme, also in one that the reader chooses.
	theme := plot.ThemeOf()
	b.press("Choose other columns")
	b.settle()
	for scheme, colors := range map[string][]string{"light": theme.Light, "dark": theme.Dark} {
		b.scheme(scheme)
		want := map[string]string{"block": colors[1], "thread": colors[2], "warp": colors[3]}
		shown := 0
		for figure := range eval[int](b, `document.querySelectorAll("figure .chart").length`) {
			for name, color := range option[map[string]string](b, figure, `Object.fromEntries(o.series.filter((s) => s.name && ["bar", "line", "scatter"].includes(s.type)).map((s) => [s.name, (s.itemStyle.borderWidth === 1.5 ? s.itemStyle.borderColor : s.itemStyle.color)]))`) {
				for scheduler, c := range want {
					if name == scheduler || strings.HasPrefix(name, scheduler+" ") || strings.HasPrefix(name, scheduler+",") {
						assert.Equal(t, c, color, "%s in figure %d, %s", name, figure, scheme)
						shown++
					}
				}
			}
		}
		assert.Equal(t, 3+2+6+3+3+3, shown, scheme)
	}
	b.scheme("light")

	// Bins have their labels at their edges: the axis with labels goes from the first edge to the last.
	edges := p.Plots[4].Edges
	require.Equal(t, float64(len(edges)-1), option[float64](b, 4, `o.xAxis[1].max`))
	require.False(t, option[bool](b, 4, `o.xAxis[0].axisLabel.show`))
	for i := range edges {
		// The bar of bin i begins right of edge i, and ends left of edge i+1, in pixels.
		if i+1 < len(edges) {
			require.InDelta(t, option[float64](b, 4, fmt.Sprintf(`chart.convertToPixel({ xAxisIndex: 0 }, %d)`, i)), option[float64](b, 4, fmt.Sprintf(`(chart.convertToPixel({ xAxisIndex: 1 }, %d) + chart.convertToPixel({ xAxisIndex: 1 }, %d)) / 2`, i, i+1)), 1, "the middle of a bar is that of its edges")
		}
	}
	require.Contains(t, option[string](b, 4, `o.xAxis[1].axisLabel.formatter(0)`), "µs")

	b.run(chromedp.SetValue(chromedp.CSS(`.chosen figure:last-child select`), "histogram"))
	require.True(t, eval[bool](b, `document.querySelector(".chosen figure:last-child select").dispatchEvent(new Event("change"))`))
	b.settle()
	last := eval[int](b, `document.querySelectorAll("figure .chart").length`) - 1
	require.Equal(t, []string{"category", "value"}, option[[]string](b, last, `o.xAxis.map((a) => a.type)`), "also of a histogram that the reader chose")
	require.Equal(t, option[int](b, last, `o.series[0].data.length`), option[int](b, last, `o.xAxis[1].max`))
	require.Equal(t, []string{"runs", "l2.latency (cycle)"}, []string{option[string](b, last, `o.yAxis[0].name`), option[string](b, last, `o.xAxis[1].name`)})
	require.Contains(t, eval[string](b, `document.querySelector(".chosen figure:last-child p.note").textContent`), "480 runs of looks.db; a color for each scheduler.")

	// Units.
	require.Equal(t, "l2.latency (cycle)", option[string](b, 0, `o.xAxis[0].name`))
	require.Contains(t, option[string](b, 0, `o.yAxis[0].axisLabel.formatter(2e-5)`), "20 µs")
	require.Contains(t, option[string](b, 0, `o.series.find((s) => s.type === "line").data[0].tip().textContent`), "µs")
	require.Regexp(t, `µs`, option[string](b, 3, `o.visualMap[0].text.join(" ")`))
	require.Regexp(t, `µs$`, option[string](b, 3, `o.series[0].data[0].label.formatter`))
	require.Equal(t, "l2.latency = 100 cycle", option[string](b, 4, `o.legend[0].formatter("100")`))
	require.Equal(t, []string{"runs", "cycles"}, []string{option[string](b, 5, `o.yAxis[0].name`), option[string](b, 5, `o.xAxis[o.xAxis.length - 1].name`)})
	require.Equal(t, []string{"occupancy\n%", "DRAM bandwidth\nGB/s"}, option[[]string](b, 7, `o.yAxis.map((a) => a.name)`))
	for figure, heads := range map[int][]string{
		0: {"scheduler", "l2.latency (cycle)", "kernel_seconds (s)", "from", "to", "runs"}, 3: {"scheduler", "l2.latency (cycle)", "kernel_seconds (s)", "from", "to", "runs"}, 4: {"l2.latency (cycle)", "kernel_seconds (s)", "runs", "runs"},
		6: {"point", "scheduler", "kernel_seconds, device=sim:tiny (s)", "kernel_seconds, device=sim:other (s)", "runs"},
	} {
		require.True(t, eval[bool](b, fmt.Sprintf(`(document.querySelectorAll("figure")[%d].querySelector("details").open = true)`, figure)))
		b.run(chromedp.WaitReady(chromedp.CSS("figure th")))
		b.settle()
		require.Equal(t, heads, eval[[]string](b, fmt.Sprintf(`[...document.querySelectorAll("figure")[%d].querySelectorAll("th")].map((e) => e.textContent)`, figure)), "figure %d", figure)
	}

	// No name covers a point, and none leaves the axes.
	covered := option[[]string](b, 6, `(() => {
		const points = o.series.filter((s) => s.type === "scatter").flatMap((s) => s.data.map((d) => chart.convertToPixel({ gridIndex: 0 }, d.value)));
		const boxes = chart.getZr().storage.getDisplayList(true).filter((d) => d.type === "tspan" && d.z === 5).map((d) => { const r = d.getBoundingRect().clone(); if (d.transform) r.applyTransform(d.transform); return r; });
		const inside = boxes.flatMap((r) => points.filter(([x, y]) => x > r.x && x < r.x + r.width && y > r.y && y < r.y + r.height).map(([x, y]) => x + "," + y));
		return [boxes.length + " of " + points.length, ...inside];
	})()`)
	require.Regexp(t, `^[0-3] of 240$`, covered[0])
	require.Empty(t, covered[1:])

	// A saved figure has its caption below it, so that it says its runs wherever it goes.
	saved := eval[[]float64](b, `(() => new Promise((done) => {
		const click = HTMLAnchorElement.prototype.click;
		HTMLAnchorElement.prototype.click = function () {
			HTMLAnchorElement.prototype.click = click;
			const img = new Image();
			img.onload = () => done([img.width, img.height]);
			img.src = this.href;
		};
		[...document.querySelectorAll("figure")[1].querySelectorAll("button")].find((e) => e.textContent === "Save as PNG").click();
	}))()`, chromedp.EvalAwaitPromise)
	drawn := option[[]float64](b, 1, `[chart.getWidth(), chart.getHeight()]`)
	require.InDelta(t, 3*drawn[0], saved[0], 3)
	require.Greater(t, saved[1], 3*(drawn[1]+30+16*2), "its title and at least two lines")
	b.quiet(file)
}
