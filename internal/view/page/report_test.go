package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/measure/series"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/view/page"
	"github.com/weft-gpu/weft/internal/view/plot"
)

// hostile are texts that break pages which trust them.
var hostile = []string{
	`</script><script>document.title="pwned"</script>`, `<img src=x onerror="document.title='pwned'">`, "a\u2028b\u2029c", `{{script}}{{data}}${alert(1)}{b}{a|c}`,
	`"'` + "`" + `<!--<script>`, `]]></style><style>body{display:none}</style>`, "__proto__", "constructor", "javascript:alert(1)", "\u202Eevil\u202C", "bad \xff utf-8", "'; DROP TABLE runs; --",
}

// specText is a specification with plots of all kinds, some of them wrong. Two of its schedulers have hostile names.
var specText = fmt.Sprintf(`name: latency
doc: what latency costs
vary:
  scheduler: [warp, thread, %q, %q]
  l2.latency: 100:500:100
plots:
  - {kind: lines, title: %q, x: l2.latency, y: cycles, series: scheduler, where: "scheduler~*"}
  - {kind: bars, x: l2.latency, y: cycles, series: scheduler, baseline: scheduler=thread, where: [scheduler=warp|thread], ratio: relative, file: bars}
  - {kind: bars, x: scheduler, y: cycles, baseline: l2.latency=100, ratio: relative, where: [scheduler!=block, l2.latency<=200], reduce: mean, file: relative}
  - {kind: heat, x: l2.latency, y: scheduler, value: cycles, where: scheduler!=warp, reduce: max, file: heat}
  - {kind: histogram, x: cycles, facet: scheduler, logx: true, file: histogram}
  - {kind: correlation, y: cycles, a: l2.latency=100, b: l2.latency=200, file: correlation}
  - {kind: surface, x: l2.latency, y: cycles}
  - {kind: lines, x: l2.latenzy, y: cycles, file: unknown}
  - {kind: time, y: [occupancy, DRAM-bandwidth], series: scheduler, where: l2.latency=100, file: time}
  - {kind: time, where: l2.latency=200, file: none}
`, hostile[0], hostile[9], "Cycles by latency "+hostile[1])

// graph is the graph of a hang: threads that wait for each other, and for some that have left.
func graph() *device.WaitGraph {
	all := func(block int) device.Threads {
		return device.Threads{Blocks: []device.Span{{First: block, Last: block}}, Count: 32}
	}
	at := []device.Frame{{File: "<b>k.go</b>", Line: 7, Col: 1, Func: "f"}}
	return &device.WaitGraph{Device: "sim:tiny", Kernel: "k", Grid: [3]int{3, 1, 1}, Block: [3]int{32, 1, 1}, Text: "text", Waiters: []device.Waiter{
		{ID: 0, Threads: all(0), Kind: device.WaitMemory, At: at, What: "until x[0] == 1", Writers: []device.Writer{{At: at, Op: "Store", Ends: true, Holders: []device.Holder{
			{Threads: all(1), Waiter: 1, Cause: device.CauseCycle}, {Threads: all(2), Waiter: -1, Cause: device.CauseExited}}}}},
		{ID: 1, Threads: all(1), Kind: device.WaitBarrier, At: at, What: "for the block", Missing: []device.Holder{{Threads: all(0), Waiter: 0, Cause: device.CauseBarrier}}},
	}}
}

// study makes a store with runs of two schedulers, failures, a hang and hostile names.
func study(t *testing.T, runs int) *store.Store {
	t.Helper()
	st, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "study.db"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = st.Close() })
	spec, err := st.AddSpec(t.Context(), "latency", specText)
	require.NoError(t, err)
	require.NoError(t, st.AddMachine(t.Context(), "m0", []byte(`{"l2.latency": 100, "sm.count": 4}`)))
	var list []*store.Run
	for i := range runs {
		latency := 100 * (1 + i%5)
		r := &store.Run{
			Point: fmt.Sprintf("%064x", i), Spec: spec, Status: store.OK, Algorithm: "bfs", Scheduler: []string{"warp", "thread"}[i%2], Kernel: "bsp.Push", Graph: "demo",
			Device: "sim:tiny", Machine: "m0", Version: "v1", Date: time.Date(2026, 1, 2, 3, 4, i%60, 0, time.UTC), Host: "here", Command: fmt.Sprintf("weft run bfs --seed %d", i), Wall: 0.5,
			Settings: map[string]string{"scheduler": []string{"warp", "thread"}[i%2], "l2.latency": fmt.Sprint(latency)},
			Metrics:  []store.Metric{{Name: "cycles", Unit: "cycle", Meaning: "duration", Value: float64(1000*(1+i%2) + latency + i)}, {Name: "zero", Unit: "inst"}},
		}
		switch i {
		case 0, 15: // both of latency 100, of both schedulers
			r.Attachments = map[string][]byte{series.Attachment: traceOf(float64(10 + 2*i/3))}
		case 6, 8:
			r.Scheduler = hostile[map[int]int{6: 0, 8: 9}[i]]
			r.Settings["scheduler"] = r.Scheduler
		case 3:
			h := &device.HangError{Kernel: "k", What: "nobody comes", Graph: graph()}
			r.Status, r.Error, r.Attachments = store.Hang, "kernel k hangs: "+hostile[0], map[string][]byte{}
			r.Attachments["hang"], err = json.Marshal(h)
			require.NoError(t, err)
		case 4, 5:
			r.Status, r.Error = store.Failed, "no memory "+hostile[1]
		}
		list = append(list, r)
	}
	for i, s := range hostile {
		list = append(list, &store.Run{
			Point: fmt.Sprintf("f%063x", i), Spec: spec, Status: store.Status(map[bool]string{true: s, false: "ok"}[i == 0]), Error: s, Algorithm: s, Scheduler: s, Kernel: s, Graph: s, Device: "sim:tiny", Version: s, Host: s,
			Command: "weft run " + s, Date: time.Date(2026, 1, 3, 0, 0, i, 0, time.UTC), Settings: map[string]string{s: s, "l2.latency": "100", "scheduler": s}, Metrics: []store.Metric{{Name: "m" + s, Unit: s, Meaning: s, Value: 1}, {Name: "cycles", Value: 2000}},
		})
	}
	_, err = st.Add(t.Context(), list...)
	require.NoError(t, err)
	return st
}

// traceOf returns a trace of two launches that takes n microseconds, with two counters that change once.
func traceOf(n float64) []byte {
	text := `{"otherData":{"device":"sim:tiny"},"traceEvents":[{"name":"process_name","ph":"M","pid":2,"args":{"name":"GPU"}}`
	for k := range 2 {
		text += fmt.Sprintf(`,{"name":"k","ph":"X","pid":2,"ts":%g,"dur":%g,"args":{"launch":%d}}`, n*float64(k)/2, n/2, k)
		for c, name := range []string{"occupancy", "DRAM bandwidth"} {
			text += fmt.Sprintf(`,{"name":%q,"ph":"C","pid":2,"ts":%g,"args":{%q:%d}}`, name, n*float64(k)/2, []string{"%", "GB/s"}[c], (k+1)*50*(c+1))
		}
	}
	return []byte(text + "]}")
}

// load loads a page with a profile.
func load(t *testing.T, st *store.Store) *page.Page {
	t.Helper()
	p, err := page.Load(t.Context(), st, page.Options{Preset: func(string) map[string]any { return map[string]any{"l2.latency": 66, "sm.count": 4} }})
	require.NoError(t, err)
	p.Profiles = []page.Profile{{Run: 1, Command: "weft annotate bfs", Cycles: 100, Stalled: 80, Kernels: []page.ProfileKernel{{
		Name: "k", Launches: 2, Cycles: 50, Lines: json.RawMessage(`[{"file":"k.go","line":2,"stalled_warp_cycles":60,"stalls":{"long_scoreboard":60},"warp_instructions":7,"lanes":32}]`),
		Explained: json.RawMessage(`{"name":"k","bound_by":{"kind":"latency","text":"latency: no unit is at 60% of its peak"},"roofline":{"operations":6400,"operations_per_second":1e9,"peak_operations_per_second":1e12,
			"levels":[{"name":"L2","bytes":640,"peak_bytes_per_second":1e10,"operations_per_byte":10,"roof_operations_per_second":1e11},{"name":"DRAM","bytes":64,"peak_bytes_per_second":1e9,"operations_per_byte":100,"roof_operations_per_second":1e11}]}}`),
		Source: []page.SourceFile{{File: "k.go", Parts: []page.SourcePart{{First: 1, Lines: []string{"func k() {", "\tx := \"" + hostile[0] + "\"", "}"}}}}},
	}}}}
	return p
}

// written returns a page as it is written, with the folder of the store masked.
func written(t *testing.T, p *page.Page) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, page.Write(&b, p))
	return b.String()
}

func TestLoad(t *testing.T) {
	p := load(t, study(t, 20))
	require.Equal(t, 20+len(hostile), p.Runs)
	require.Equal(t, "latency", p.Title)
	require.Equal(t, "what latency costs", p.Doc)
	require.Equal(t, "2026-01-02 03:04:00", p.First)
	checkPlots(t, p)
	require.Equal(t, []page.Parameter{{Name: "l2.latency", Value: "100", Preset: "66"}}, p.Machines[0].Changed)
	require.Len(t, p.Hangs, 1)
	require.Equal(t, []page.Box{
		{Lines: []string{"[0] block 0 (32 threads)", "<b>k.go</b>:7", "spins until x[0] == 1"}}, {Lines: []string{"[1] block 1 (32 threads)", "<b>k.go</b>:7", "waits for the block"}},
		{Lines: []string{"block 2 (32 threads)", "the threads that would have exited"}, Outside: true},
	}, p.Hangs[0].Boxes)
	require.Len(t, p.Hangs[0].Lines, 3)
	for _, c := range p.Columns {
		require.NotEqual(t, "zero", c.Name, "a metric that is 0 everywhere is left out")
		if c.Name == "l2.latency" {
			require.Len(t, c.Numbers, p.Runs)
			require.Equal(t, 200.0, *c.Numbers[1])
		}
	}
}

// checkPlots checks the plots of the specification: they have the keys that "weft plot" heeds.
func checkPlots(t *testing.T, p *page.Page) {
	t.Helper()
	require.Equal(t, []string{
		`plot 2 of latency is not shown: latency.yaml:8:5: plots: no run of the specification with status ok is selected by scheduler=warp|thread`,
		`plot 7 of latency is not shown: latency.yaml:13:12: plots: kind: unknown "surface"; there are lines, bars, heat, histogram, correlation, time`,
		`plot 8 of latency is not shown: latency.yaml:14:22: plots: there is no column, setting or metric "l2.latenzy"; did you mean l2.latency?`,
		`plot 10 of latency is not shown: latency.yaml:16:5: plots: none of the 4 runs that are selected was kept over time; sweep with the setting trace: 500`,
	}, p.Notes)
	files := []string{}
	for _, q := range p.Plots {
		files = append(files, q.File)
		require.Equal(t, "latency.yaml", q.Spec)
	}
	require.Equal(t, []string{"lines-cycles-l2.latency-scheduler", "relative", "heat", "histogram", "correlation", "time"}, files)
	lines := p.Plots[0]
	require.Equal(t, []string{"warp", "thread", hostile[0], hostile[9]}, lines.Series, "only the runs of the specification, in its order")
	require.Equal(t, []string{"--kind", "lines", "--x", "l2.latency", "--y", "cycles", "--series", "scheduler", "--where", "scheduler~*", "--title", lines.Title}, lines.Flags)
	relative := p.Plots[1]
	require.Equal(t, "l2.latency=100", relative.Base)
	require.Len(t, relative.Values, 2)
	heat := p.Plots[2]
	require.NotContains(t, heat.Series, "warp")
	require.Contains(t, p.Plots[4].Caption[1], "point")
	time := p.Plots[5]
	require.Equal(t, []plot.Counter{{Name: "occupancy", Unit: "%"}, {Name: "DRAM bandwidth", Unit: "GB/s"}}, time.Counters)
	require.Equal(t, []string{"warp", "thread"}, time.Series)
	require.Len(t, time.Lines, 4)
	require.Equal(t, []int64{1, 16}, []int64{time.Lines[0].Run, time.Lines[1].Run})
	require.InDelta(t, 20e-6, time.End, 1e-12)
	require.Equal(t, []string{"Each value is the mean over 50 ns."}, time.Notes[:1])
	require.Equal(t, 400, len(time.Lines[1].Means), "of the longer run")
	require.InDelta(t, 100, time.Lines[1].Means[399], 0, "the second half has the other value")
	require.Equal(t, &page.Figure{Title: "cycles over l2.latency, by scheduler", Kind: "heat", X: "l2.latency", Y: "cycles", Series: "scheduler"}, heat.Other)
}

func TestSameBytes(t *testing.T) {
	st := study(t, 10)
	require.Equal(t, written(t, load(t, st)), written(t, load(t, st)))
}

// TestEscapes checks that no text of the store ends the element that holds it.
func TestEscapes(t *testing.T) {
	p := load(t, study(t, 10))
	p.Title = hostile[0]
	text := written(t, p)
	require.Equal(t, 3, strings.Count(text, "</script"), "data, library and script")
	require.Equal(t, 1, strings.Count(text, "</style"))
	require.NotContains(t, text, "pwned\"</script")
	require.NotContains(t, text, "\u2028")
	require.NotContains(t, text, "<img")
	data := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindStringSubmatch(text)
	require.Len(t, data, 2)
	var back page.Page
	require.NoError(t, json.Unmarshal([]byte(data[1]), &back))
	require.Equal(t, p.Runs, back.Runs)
	require.Contains(t, text, "Apache License")
	require.Contains(t, text, "The Apache Software Foundation (https://www.apache.org/)")
	require.Contains(t, text, "Copyright (c) 2017, Baidu Inc.")
}

// TestLibrary checks that the library is that of the npm package echarts 6.1.0.
func TestLibrary(t *testing.T) {
	data, err := os.ReadFile("assets/echarts/echarts.min.js")
	require.NoError(t, err)
	require.Equal(t, "b66b25aeb4df84e33199dc21694014d336d222cbd9deb0e5a7c14bd6aa0d0fd0", fmt.Sprintf("%x", sha256.Sum256(data)))
}

func TestSelect(t *testing.T) {
	st := study(t, 10)
	for word, want := range map[string][]int64{"slowest": {10}, "each-algorithm": {10}, "2": {2}} {
		ids, err := page.Select(t.Context(), st, nil, []string{word})
		require.NoError(t, err)
		require.Equal(t, want, ids, word)
	}
	for word, want := range map[string]string{
		"fastest": `"fastest" is not the id of a run, slowest or each-algorithm`, "99": "there is no run 99 among those of the page",
		"11": "run 11 was not on a simulated machine, which alone knows the cost of each line",
	} {
		_, err := page.Select(t.Context(), st, nil, []string{word})
		require.EqualError(t, err, want)
	}
	_, err := page.Select(t.Context(), st, []string{"status=failed"}, []string{"slowest"})
	require.EqualError(t, err, "no run on a simulated machine ended well")
}

// TestBrowser looks at a page in a real browser.
func TestBrowser(t *testing.T) {
	const runs = 3000
	file := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(file, []byte(written(t, load(t, study(t, runs)))), 0o644))
	b := open(t, file)
	require.Equal(t, "yes", eval[string](b, `document.documentElement.dataset.ready`))
	require.Equal(t, "latency", eval[string](b, `document.title`), "no text became a script")
	all := fmt.Sprintf("%d,%03d", (runs+len(hostile))/1000, (runs+len(hostile))%1000)
	count := func() string { return eval[string](b, `document.getElementById("count").textContent`) }
	require.Equal(t, "1 to 50 of "+all+" runs", count())

	// Sorting, by a click and by the keyboard.
	b.run(chromedp.Focus(chromedp.CSS(`#table th button[title="duration (cycle)"]`)), chromedp.KeyEvent(kb.Enter))
	require.Equal(t, "1,100", b.column("cycles")[0])
	b.run(chromedp.KeyEvent(kb.Enter))
	require.Equal(t, "5,499", b.column("cycles")[0], "descending")
	b.run(chromedp.Click(chromedp.CSS(`[aria-label="Last page"]`)))
	require.Contains(t, b.column("cycles"), "1,100")

	// Filters: text, range, part of a text.
	b.run(chromedp.SendKeys(chromedp.CSS("#filter"), "BFS thread"))
	require.Equal(t, "1 to 50 of 1,500 selected runs, "+all+" in all", count())
	b.settle()
	require.Contains(t, eval[string](b, `document.querySelector(".chosen .chart").getAttribute("aria-label")`), ", 1498 runs;", "figures follow the filters; two of the runs did not end well")
	b.run(chromedp.SendKeys(chromedp.CSS(`[data-column="l2.latency"][data-end="low"]`), "500"))
	require.Equal(t, "1 to 50 of 300 selected runs, "+all+" in all", count())
	b.press("Clear filters")
	require.Contains(t, count(), "of "+all+" runs")
	b.run(chromedp.SendKeys(chromedp.CSS(`[data-column="status"]`), "hang"))
	require.Equal(t, []string{"4"}, b.column("id"))

	// One run.
	b.run(chromedp.Click(chromedp.CSS(`[aria-label="Run 4"]`)))
	require.Contains(t, eval[string](b, `document.querySelector("dialog[open]").textContent`), "weft run bfs --seed 3")
	require.Contains(t, eval[string](b, `document.querySelector("dialog[open]").textContent`), hostile[0])
	b.run(chromedp.KeyEvent(kb.Escape))
	require.True(t, eval[bool](b, `document.querySelector("dialog[open]") === null`))
	b.press("Clear filters")

	checkFigures(t, b)

	// A kernel's roofline: a roof and a point for each level of the memory. DRAM's intensity is ten times the L2's.
	require.Contains(t, eval[string](b, `document.getElementById("source").textContent`), "Bound by latency: no unit is at 60% of its peak.")
	require.Equal(t, 2, eval[int](b, `document.querySelectorAll(".roofline .roof").length`))
	require.Equal(t, "L2 640 10.0 G 10.0 100 G 1.0%", eval[string](b, `[...document.querySelector(".roofline").parentElement.querySelectorAll("tbody tr:first-child td")].map((c) => c.textContent.trim()).join(" ")`))
	require.True(t, eval[bool](b, `(([a, b]) => +a.getAttribute("cx") < +b.getAttribute("cx") && a.getAttribute("cy") === b.getAttribute("cy"))([...document.querySelectorAll(".roofline .reached")])`))

	// Figures: every kind draws something, and so does every column.
	for _, kind := range []string{"points", "bars", "heat", "histogram", "lines"} {
		b.run(chromedp.SetValue(chromedp.CSS(`figure select`), kind))
		require.True(t, eval[bool](b, `document.querySelector("figure select").dispatchEvent(new Event("change"))`))
		b.settle()
		colours := eval[int](b, `(() => {
			const c = document.querySelector(".chosen canvas"), copy = new OffscreenCanvas(c.width, c.height).getContext("2d", { willReadFrequently: true });
			copy.drawImage(c, 0, 0);
			const d = copy.getImageData(0, 0, c.width, c.height).data, seen = new Set();
			for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
			return seen.size;
		})()`)
		assert.Greater(t, colours, 20, kind)
	}
	require.Positive(t, eval[int](b, `document.querySelectorAll("svg.waits rect").length`))
	require.Equal(t, 3, eval[int](b, `document.querySelectorAll("ol.arrows li").length`))
	require.Equal(t, "75.0%", eval[string](b, `[...document.querySelectorAll("#source .hot5")].pop().textContent`))
	require.Contains(t, eval[string](b, `document.querySelector("#source .source").textContent`), hostile[0])
	require.True(t, eval[bool](b, `document.documentElement.scrollWidth <= innerWidth`), "the page itself does not scroll sideways")

	// Light and dark: the pictures are neither blank nor the same.
	mean := map[string]float64{}
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		mean[scheme] = brightness(t, b.screenshot(scheme))
	}
	assert.Greater(t, mean["light"], 0.8)
	assert.Less(t, mean["dark"], 0.3)
	b.print()
	b.screenshot("print")
	require.Equal(t, []string{"inline-block", "inline-block", "none"}, eval[[]string](b, `["#table th button", "#table td button.link", "#theme"].map((s) => getComputedStyle(document.querySelector(s)).display)`), "columns and runs have their names on paper")
	require.True(t, eval[bool](b, `document.getElementById("count").checkVisibility()`))
	require.Equal(t, "none rgb(255, 255, 255)", eval[string](b, `getComputedStyle(document.getElementById("nav")).display + " " + getComputedStyle(document.body).backgroundColor`), "on paper")
	b.scheme("dark")
	b.run(chromedp.Click(chromedp.CSS("#theme")))
	b.settle()
	require.Equal(t, "rgb(245, 246, 248)", eval[string](b, `getComputedStyle(document.body).backgroundColor`), "the switch wins over the system")
	b.run(chromedp.EmulateViewport(400, 800))
	b.settle()
	require.True(t, eval[bool](b, `document.documentElement.scrollWidth <= innerWidth`), "nor on a narrow screen")
	b.screenshot("narrow")
	b.quiet(file)
}

// checkFigures looks at the plots of the specification, their commands, and the ways from a run to what is known of it.
func checkFigures(t *testing.T, b *tab) {
	t.Helper()
	require.Equal(t, 6, eval[int](b, `document.querySelectorAll(".figures:not(.chosen) .chart:has(canvas)").length`))
	require.Equal(t, "weft results study.db --run 1 --attachment trace --out trace.json", eval[string](b, `[...document.querySelectorAll("figure")[5].querySelectorAll(".command code")].pop().textContent`))
	require.Contains(t, eval[string](b, `document.querySelector("figure h3").textContent`), hostile[1])
	require.Equal(t, []string{
		"weft sweep latency.yaml --out study.db", "weft plot study.db --kind bars --x scheduler --y cycles --where 'scheduler!=block' --where 'l2.latency<=200' --baseline l2.latency=100 --ratio relative --reduce mean --out relative.svg",
		"weft results study.db --where 'scheduler!=block' --where 'l2.latency<=200' --where status=ok --columns id,scheduler,cycles,l2.latency --format csv",
	}, eval[[]string](b, `[...document.querySelectorAll("figure")[1].querySelectorAll(".command code")].map((e) => e.textContent)`))
	b.run(chromedp.Click(chromedp.CSS("figure summary")))
	b.settle()
	require.Equal(t, []string{"scheduler", "l2.latency", "cycles", "from", "to", "runs"}, eval[[]string](b, `[...document.querySelectorAll("figure th")].map((e) => e.textContent)`))
	require.Equal(t, 2+2*5, eval[int](b, `document.querySelectorAll("figure")[0].querySelectorAll("tbody tr").length`), "two schedulers have all latencies, two have one")
	before := eval[int](b, `document.querySelectorAll(".chosen figure").length`)
	b.press("Choose other columns")
	require.Equal(t, before+1, eval[int](b, `document.querySelectorAll(".chosen figure").length`))
	b.run(chromedp.SendKeys(chromedp.CSS(`[data-column="status"]`), "hang"), chromedp.Click(chromedp.CSS(`[aria-label="report of run 4"]`)))
	require.True(t, eval[bool](b, `document.activeElement.parentElement.open && document.activeElement.textContent.startsWith("hang run 4")`))
	b.press("Clear filters")
	b.run(chromedp.SendKeys(chromedp.CSS("#filter"), "03:04:00"))
	require.Equal(t, 1, eval[int](b, `document.querySelectorAll('[aria-label="source of run 1"]').length`))
	b.press("Clear filters")
	require.Equal(t, "latency", eval[string](b, `document.title`), "no text became a script")
}

// brightness returns the mean brightness of a picture, from 0 to 1, and checks that it is not blank.
func brightness(t *testing.T, data []byte) float64 {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	bounds := img.Bounds()
	require.GreaterOrEqual(t, bounds.Dy(), 1000)
	sum, n, seen := 0.0, 0, map[uint32]bool{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y += 3 {
		for x := bounds.Min.X; x < bounds.Max.X; x += 3 {
			r, g, b, _ := img.At(x, y).RGBA()
			sum += float64(r+g+b) / (3 * 65535)
			seen[r>>12<<8|g>>12<<4|b>>12] = true
			n++
		}
	}
	require.Greater(t, len(seen), 20, "colours")
	return sum / float64(n)
}
