package plot_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/internal/view/plot"
)

func TestMain(m *testing.M) { os.Exit(golden.Run(m, "testdata/*.svg")) }

// made returns a store with made-up runs: 3 schedulers, 3 graphs, 4 latencies.
func made(t testing.TB) *store.Store {
	st, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "made.db"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = st.Close() })
	for i, s := range []string{"thread", "warp", "block-queue"} {
		for g, graph := range []string{"rmat:scale=12,degree=16,seed=1", "roads", "grid:width=64"} {
			for l := 1; l <= 4; l++ {
				cycles := float64((i+1)*1000*(g+1) + 37*l*l*(3-i))
				add(t, st, s, graph, map[string]string{"l2.latency": fmt.Sprint(100 * l), "param.block": "64"}, store.OK,
					store.Metric{Name: "cycles", Unit: "cycle", Value: cycles}, store.Metric{Name: "kernel_seconds", Unit: "s", Value: cycles / 1e9},
					store.Metric{Name: "inst", Unit: "inst", Value: 50 * cycles}, store.Metric{Name: "zero", Value: float64(l - 2)})
			}
		}
	}
	add(t, st, "warp", "roads", map[string]string{"l2.latency": "100", "seed": "2"}, store.Failed)
	return st
}

var points int

// add adds a run.
func add(t testing.TB, st *store.Store, scheduler, graph string, settings map[string]string, status store.Status, metrics ...store.Metric) {
	points++
	_, err := st.Add(t.Context(), &store.Run{Point: fmt.Sprintf("%064x", points), Status: status, Algorithm: "bfs", Scheduler: scheduler, Graph: graph,
		Device: "sim:tiny", Date: time.Unix(0, 0).UTC(), Settings: settings, Metrics: metrics})
	require.NoError(t, err)
}

// section parses "kind: lines; x: a; y: b, c" into a section whose places are 1:1, 2:1, ...
func section(text string) (s spec.Section) {
	s.Place = "study.yaml:1:1"
	for i, part := range strings.Split(text, "; ") {
		name, values, _ := strings.Cut(part, ": ")
		for v := range strings.SplitSeq(values, ", ") {
			s.Values = append(s.Values, spec.Setting{Name: name, Value: v, Place: fmt.Sprintf("study.yaml:%d:1", i+2)})
		}
	}
	return s
}

// drawn draws a picture.
func drawn(ctx context.Context, st *store.Store, text string) (*plot.Picture, error) {
	plots, err := plot.Parse([]spec.Section{section(text)})
	if err != nil {
		return nil, err
	}
	return plot.Draw(ctx, st, plots[0])
}

// pictures are drawn and compared with testdata/NAME.svg.
var pictures = map[string]string{
	"lines":         "kind: lines; x: l2.latency; y: cycles; series: scheduler; title: What the latency costs",
	"facets":        "kind: lines; x: l2.latency; y: kernel_seconds; series: scheduler; facet: graph; logy: true; logx: true",
	"category":      "kind: lines; x: graph; y: inst / cycles; where: scheduler=warp; spread: quartiles",
	"bars":          "kind: bars; x: graph; y: cycles; series: scheduler; baseline: scheduler=thread",
	"relative":      "kind: bars; x: scheduler, graph; y: cycles; baseline: l2.latency=100; ratio: relative; reduce: max; width: 24; height: 12",
	"heat":          "kind: heat; x: l2.latency; y: scheduler; value: cycles; where: graph=roads",
	"histogram":     "kind: histogram; x: cycles; series: scheduler",
	"histogram-log": "kind: histogram; x: kernel_seconds; logx: true",
	"correlation":   "kind: correlation; y: kernel_seconds; a: scheduler=thread; b: scheduler=warp; series: graph",
	"one":           "kind: lines; x: l2.latency; y: cycles; where: scheduler=warp, graph=roads, l2.latency=100",
}

func TestPictures(t *testing.T) {
	st := made(t)
	for name, text := range pictures {
		p, err := drawn(t.Context(), st, text)
		require.NoError(t, err, name)
		var svg, again bytes.Buffer
		require.NoError(t, p.Write(&svg, "svg"))
		require.NoError(t, p.Write(&again, "svg"))
		require.Equal(t, svg.String(), again.String())
		for d := xml.NewDecoder(bytes.NewReader(svg.Bytes())); ; {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, name)
		}
		golden.Check(t, "testdata/"+name+".svg", svg.String())
	}
}

// TestFormats decodes what is written, twice the same bytes.
func TestFormats(t *testing.T) {
	st := made(t)
	p, err := drawn(t.Context(), st, pictures["bars"])
	require.NoError(t, err)
	var png1, png2, pdf1, pdf2 bytes.Buffer
	require.NoError(t, p.Write(&png1, "png"))
	require.NoError(t, p.Write(&png2, "png"))
	require.Equal(t, png1.Bytes(), png2.Bytes())
	img, err := png.Decode(&png1)
	require.NoError(t, err)
	assert.InDelta(t, 16/2.54*200, img.Bounds().Dx(), 2)
	colors := map[string]bool{}
	for x := range img.Bounds().Dx() {
		r, g, b, _ := img.At(x, img.Bounds().Dy()/2).RGBA()
		colors[fmt.Sprintf("%02x%02x%02x", r>>8, g>>8, b>>8)] = true
	}
	assert.True(t, colors["0072b2"] && colors["ffffff"], "a row of the picture crosses bars of the first series: %v", colors)

	require.NoError(t, p.Write(&pdf1, "pdf"))
	require.NoError(t, p.Write(&pdf2, "pdf"))
	require.Equal(t, pdf1.Bytes(), pdf2.Bytes())
	text := pdf1.String()
	assert.True(t, strings.HasPrefix(text, "%PDF-1."))
	assert.True(t, strings.HasSuffix(strings.TrimSpace(text), "%%EOF"))
	var at int
	_, err = fmt.Sscanf(text[strings.LastIndex(text, "startxref"):], "startxref\n%d", &at)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(text[at:], "xref"), "startxref points to the table of objects")
	assert.Contains(t, text, "/FontFile2", "fonts are embedded")

	assert.EqualError(t, p.Write(io.Discard, "bmp"), `plot: unknown format "bmp"; there are png, svg, pdf`)
}

// TestSays checks the notes: what values were made of, and what was left out.
func TestSays(t *testing.T) {
	st := made(t)
	for text, want := range map[string][]string{
		pictures["lines"]:    {"Each value is the median of 3 runs that differ in graph; bands are from the least to the greatest.", "Left out: 1 run that did not end well."},
		pictures["facets"]:   {"Left out: 1 run that did not end well."},
		pictures["category"]: {"Each value is the median of 4 runs that differ in l2.latency; bands are from the first to the third quartile.", "Left out: 1 run that did not end well."},
		pictures["bars"]:     {"Each value is the geometric mean of 4 runs that differ in l2.latency; whiskers are from the least to the greatest.", "Left out: 1 run that did not end well."},
		"kind: bars; x: scheduler; y: cycles; where: graph!=roads; baseline: graph=grid:width=64": {"Each value is the geometric mean of 4 runs that differ in l2.latency; whiskers are from the least to the greatest."},
		"kind: lines; x: l2.latency; y: cycles; where: status!=x; reduce: sum":                    {"Each value is the sum of 9 runs that differ in graph, scheduler.", "Left out: 1 run that does not have cycles."},
	} {
		p, err := drawn(t.Context(), st, text)
		require.NoError(t, err, text)
		assert.Equal(t, want, p.Notes, text)
	}
}

// TestStudy draws the runs of a specification alone, in its order, with the units of its settings.
func TestStudy(t *testing.T) {
	st := made(t)
	var points []spec.Point
	for _, latency := range []string{"400", "100"} {
		points = append(points, spec.Point{Settings: []spec.Setting{{Name: "l2.latency", Value: latency}, {Name: "param.block", Value: "64"}}})
	}
	study := plot.StudyOf(points)
	plots, err := plot.Parse([]spec.Section{section("kind: bars; x: l2.latency; y: cycles; where: scheduler=warp")})
	require.NoError(t, err)
	plots[0].Study, plots[0].UnitOf = study, func(name string) string { return map[string]string{"l2.latency": "cycle"}[name] }
	p, err := plot.Draw(t.Context(), st, plots[0])
	require.NoError(t, err)
	assert.Equal(t, []string{"Each value is the median of 3 runs that differ in graph; whiskers are from the least to the greatest."}, p.Notes)
	var svg bytes.Buffer
	require.NoError(t, p.Write(&svg, "svg"))
	assert.Contains(t, svg.String(), ">l2.latency (cycle)<")
	assert.Contains(t, svg.String(), ">400<")
	assert.NotContains(t, svg.String(), ">200<")

	plots[0].Where = []string{"l2.latency=200"}
	_, err = plot.Draw(t.Context(), st, plots[0])
	assert.EqualError(t, err, "study.yaml:1:1: plots: no run of the specification with status ok is selected by l2.latency=200")
	plots[0].Study = plot.StudyOf([]spec.Point{{Settings: []spec.Setting{{Name: "l2.latency", Value: "5"}}}})
	_, err = plot.Draw(t.Context(), st, plots[0])
	assert.EqualError(t, err, "study.yaml:1:1: plots: no run of the specification with status ok is selected by l2.latency=200")
}

func TestRefuses(t *testing.T) {
	st := made(t)
	for text, want := range map[string]string{
		"kind: line": "study.yaml:2:1: plots: kind: unknown \"line\"; did you mean lines?",
		"kind: pie":  "study.yaml:2:1: plots: kind: unknown \"pie\"; there are lines, bars, heat, histogram, correlation, time",
		"kind: heat; x: l2.latency; y: scheduler":                             "study.yaml:1:1: plots: kind: heat needs value, such as value: cycles",
		"kind: heat; x: id; y: scheduler; value: cycles; where: l2.latency>0": "",
		"kind: histogram; y: cycles":                                          "study.yaml:3:1: plots: y does not go with kind: histogram\nstudy.yaml:1:1: plots: kind: histogram needs x, such as x: cycles",
		"kind: histogram; x: cycles, inst":                                    "study.yaml:3:1: plots: x: a histogram shows one metric",
		"kind: histogram; x: status":                                          "study.yaml:1:1: plots: no run with status ok and status is selected",
		"kind: histogram; x: zero; logx: true":                                "study.yaml:4:1: plots: logx: a value of zero is −1, and a logarithmic axis has positive values alone",
		"kind: correlation; y: cycles; a: scheduler=warp":                     "study.yaml:1:1: plots: kind: correlation needs b, such as b: device=sim:h200",
		"kind: correlation; y: cycles; a: scheduler=warp; b: l2.latency=100":  "",
		"kind: correlation; y: cycles; a: graph=roads; b: scheduler=none":     "study.yaml:1:1: plots: no runs of a and b belong together: 4 and 0 points differ in more than graph, scheduler",
		"kind: correlation; y: zero; a: scheduler=warp; b: scheduler=thread":  "study.yaml:3:1: plots: y: a value of zero is not positive, and the axes are logarithmic",
		"x: a":                    "study.yaml:1:1: plots: kind is missing; there are lines, bars, heat, histogram, correlation, time",
		"kind: lines; y: cycles":  "study.yaml:1:1: plots: kind: lines needs x, such as x: l2.latency",
		"kind: bars; x: graph":    "study.yaml:1:1: plots: kind: bars needs y, such as y: cycles",
		"kind: lines; serie: a":   "study.yaml:3:1: plots: unknown key \"serie\"; did you mean series?",
		"kind: lines; kind: bars": "study.yaml:3:1: plots: kind has more than one value",
		"kind: lines; x: l2.latency; y: cycles; logy: yes":                                 "study.yaml:5:1: plots: logy: \"yes\" is not true or false",
		"kind: lines; x: l2.latency; y: cycles; width: nan":                                "study.yaml:5:1: plots: width: \"nan\" is not a size from 4 to 100 cm",
		"kind: lines; x: l2.latency; y: cycles; width: inf":                                "study.yaml:5:1: plots: width: \"inf\" is not a size from 4 to 100 cm",
		"kind: lines; x: l2.latency; y: cycles; height: 1e9":                               "study.yaml:5:1: plots: height: \"1e9\" is not a size from 4 to 100 cm",
		"kind: lines; x: l2.latency; y: cycles; title: " + strings.Repeat("m", 100_000):    "study.yaml:5:1: plots: title: 100000 characters; at most 1000",
		"kind: lines; x: l2.latency; y: cycles; width: 1":                                  "study.yaml:5:1: plots: width: \"1\" is not a size from 4 to 100 cm",
		"kind: lines; x: l2.latency; y: cycles; file: ../x":                                "study.yaml:5:1: plots: file: \"../x\"; use letters, digits, -, _ and .",
		"kind: bars; x: graph; y: cycles; logx: true":                                      "study.yaml:5:1: plots: logx does not go with kind: bars",
		"kind: bars; x: graph; y: cycles; ratio: relative":                                 "study.yaml:1:1: plots: ratio needs a baseline, such as baseline: scheduler=thread",
		"kind: bars; x: graph; y: cycles; baseline: thread":                                "study.yaml:5:1: plots: baseline: \"thread\" is not NAME=VALUE, such as scheduler=thread",
		"kind: bars; x: graph; y: cycles; baseline: scheduler=wrap":                        "study.yaml:5:1: plots: baseline: no selected run has scheduler=wrap",
		"kind: bars; x: graph; y: cycles; where: scheduler=warp; baseline: scheduler=warp": "study.yaml:6:1: plots: baseline: all selected runs have scheduler=warp; there is nothing to compare with them",
		"kind: bars; x: graph; y: cycels":                                                  "study.yaml:4:1: plots: there is no column, setting or metric \"cycels\"; did you mean cycles?",
		"kind: bars; x: graph; y: inst / cycels":                                           "study.yaml:4:1: plots: there is no column, setting or metric \"cycels\"; did you mean cycles?",
		"kind: bars; x: graph; y: cycles; where: algoritm=bfs":                             "study.yaml:5:1: plots: there is no column, setting or metric \"algoritm\"; did you mean algorithm?",
		"kind: bars; x: graph; y: cycles; where: algorithm=sssp":                           "study.yaml:1:1: plots: no run with status ok is selected by algorithm=sssp",
		"kind: bars; x: graph; y: cycles; where: algorithm = bfs and scheduler = warp":     "study.yaml:5:1: plots: where: condition \"algorithm = bfs and scheduler = warp\" is two conditions; give them one by one",
		"kind: correlation; y: cycles; a: scheduler; b: scheduler=warp":                    "study.yaml:4:1: plots: a: condition \"scheduler\" is not NAME=VALUE; the operators are = != < <= > >= ~",
		"kind: bars; x: graph; y: cycles / ":                                               "study.yaml:1:1: plots: \"cycles / \" is not a quotient of two, such as cycles / arcs",
		"kind: bars; x: graph; y: cycles/inst":                                             "study.yaml:4:1: plots: there is no column, setting or metric \"cycles/inst\"; a quotient is written with spaces: cycles / inst",
		"kind: bars; x: graph; y: status":                                                  "study.yaml:1:1: plots: none of the 36 runs that are selected has a number called status",
		"kind: bars; x: graph; y: cycles, inst":                                            "study.yaml:1:1: plots: cycles is in cycle and inst in inst; one axis has one unit",
		"kind: lines; x: l2.latency; y: zero; logy: true":                                  "study.yaml:5:1: plots: logy: a value of zero is −1, and a logarithmic axis has positive values alone",
		"kind: lines; x: graph; y: cycles; logx: true":                                     "study.yaml:5:1: plots: logx: \"grid:width=64\" of graph is not a number",
		"kind: lines; x: l2.latency; y: zero; reduce: geomean":                             "study.yaml:5:1: plots: reduce: geomean is of positive numbers, and a value at 100 is −1",
		"kind: lines; x: l2.latency; y: cycles; series: id":                                "study.yaml:5:1: plots: series: id has 36 values, and a picture can show 28; select some with where",
		"kind: bars; x: point, id; y: cycles; where: l2.latency>0; where: scheduler~c":     "",
		"kind: lines; x: l2.latency; y: cycles; baseline: scheduler=warp; spread: range":   "",
	} {
		_, err := drawn(t.Context(), st, text)
		if want == "" {
			assert.NoError(t, err, text)
			continue
		}
		assert.EqualError(t, err, want, text)
	}
	_, err := plot.Parse([]spec.Section{section("kind: bars; x: graph; y: cycles"), section("kind: bars; x: graph; y: cycles; logy: true")})
	assert.EqualError(t, err, "study.yaml:1:1: plots: bars-cycles-graph is the file of two plots, also of that at study.yaml:1:1; give one of them another name with file:")
}

// TestHostile draws names and values that are odd: all formats remain readable.
func TestHostile(t *testing.T) {
	st, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "odd.db"))
	require.NoError(t, err)
	defer st.Close()
	for i, name := range []string{"<script>alert(1)</script>", "a\x00b\x1b[31m\n", strings.Repeat("very-long-", 50), "графы 図 \u202e 😀", "\xff\xfe"} {
		add(t, st, name, name, map[string]string{"n": fmt.Sprint(i)}, store.OK, store.Metric{Name: "cycles", Unit: "cycle", Value: 5}, store.Metric{Name: "huge", Value: []float64{1e-300, math.MaxFloat64, 1, 2, 3}[i]})
	}
	for _, text := range []string{
		"kind: lines; x: n; y: cycles; series: scheduler; facet: graph; title: <b> & 図",
		"kind: bars; x: graph; y: huge; series: scheduler",
		"kind: lines; x: n; y: huge; logy: true",
	} {
		p, err := drawn(t.Context(), st, text)
		require.NoError(t, err)
		for _, format := range plot.Formats {
			var b bytes.Buffer
			require.NoError(t, p.Write(&b, format), text)
			if format == "svg" {
				assert.NotContains(t, b.String(), "<script")
				assert.NoError(t, xml.Unmarshal(b.Bytes(), new(struct{})))
			}
		}
	}
}

// TestCorrelate draws pairs that are in no store: title, labels, units and a legend with the color of each series.
func TestCorrelate(t *testing.T) {
	p := plot.Correlate(plot.Description{Title: "three runs", XLabel: "measured", YLabel: "simulated", XUnit: "s", Unit: "s", Series: []string{"a", "b < c"}},
		[]plot.Pair{{A: 1e-6, B: 1e-6}, {A: 1e-6, B: 1e-5, Series: 1}, {A: 1e-5, B: 1e-7}})
	var svg bytes.Buffer
	require.NoError(t, p.Write(&svg, "svg"))
	for _, want := range []string{">three runs<", ">measured<", ">simulated<", ">a<", ">b &lt; c<", ">1 µs<", "fill:#0072B2", "fill:#E69F00"} {
		assert.Contains(t, svg.String(), want)
	}
}
