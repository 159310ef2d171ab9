package headlines

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/sim/config"
)

const root = "../../.."

// stale is what to do about a figure that is not the current one.
const stale = `"make figures" rewrites it; "make simulated" simulates anew what was recorded, which takes longer`

// TestDocuments checks every marked figure of the documents, and that none of the figures that a reader meets first is
// left out. "make figures" rewrites the documents.
func TestDocuments(t *testing.T) {
	figures, err := Figures(root)
	require.NoError(t, err)
	found, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	files := append(found, filepath.Join(root, "README.md"), filepath.Join(root, "RATIONALE.md"))
	readmes, err := filepath.Glob(filepath.Join(root, "results", "*", "README.md"))
	require.NoError(t, err)
	more, err := filepath.Glob(filepath.Join(root, "results", "*", "*", "README.md"))
	require.NoError(t, err)
	places := map[string][]string{}
	for _, file := range slices.Concat(files, readmes, more) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		now, used, err := Rewrite(string(text), figures)
		require.NoError(t, err, file)
		places[filepath.ToSlash(file)] = used
		if golden.Updating() && now != string(text) {
			require.NoError(t, os.WriteFile(file, []byte(now), 0o644))
		} else {
			assert.Equal(t, string(text), now, "%s: %s", file, stale)
		}
	}
	for _, name := range []string{"times.points", "times.recorded", "times.mean", "times.worst", "times.published.mean", "times.bias", "orders.same", "orders.all", "validation.h200.mean", "validation.h200.launch.mean", "validation.h100.mean"} {
		assert.Contains(t, places[root+"/README.md"], name, "README.md tells it")
	}
	points, _, err := Points(root)
	require.NoError(t, err)
	var svg strings.Builder
	require.NoError(t, Picture(Simulated(points)).Write(&svg, "svg"))
	golden.Check(t, root+"/docs/images/simulated-measured.svg", svg.String())
}

// TestMachine checks that the simulated times are of the machine as it is now, and that no scheme of a published system
// is missing among them.
func TestMachine(t *testing.T) {
	points, simulated, err := Points(root)
	require.NoError(t, err)
	h200, err := config.Load("h200")
	require.NoError(t, err)
	assert.Equal(t, h200.Hash(), simulated.Machine, stale)
	schemes := map[string]int{}
	for _, p := range Simulated(points) {
		schemes[p.Scheduler]++
	}
	for _, name := range PublishedSchemes {
		assert.Positive(t, schemes[name], name)
	}
	// Of an algorithm on a graph, all recorded schemes are simulated or none, so that nobody can leave out those that fit
	// badly.
	all := map[string][2]int{}
	for _, p := range points {
		if p.Params != "" {
			continue // a study of one scheme's parameters
		}
		n := all[p.Algorithm+" on "+p.Graph]
		if n[1]++; p.Simulated > 0 {
			n[0]++
		}
		all[p.Algorithm+" on "+p.Graph] = n
	}
	for what, n := range all {
		assert.True(t, n[0] == 0 || n[0] == n[1], "%s: %d of %d points are simulated", what, n[0], n[1])
	}
}

// TestKnown checks the errors of counters that the program has built in: they are those of results/simulated.
func TestKnown(t *testing.T) {
	known, err := Known(root)
	require.NoError(t, err)
	text, err := json.MarshalIndent(known, "", " ")
	require.NoError(t, err)
	golden.Check(t, root+"/internal/core/counter/recorded.json", string(text)+"\n")
	if !golden.Updating() {
		assert.Equal(t, counter.AllKnown(), known, stale)
	}
}

func TestErrors(t *testing.T) {
	point := func(scheduler string, simulated float64, recorded ...float64) *Point {
		return &Point{Algorithm: "bfs", Scheduler: scheduler, Graph: "g", Simulated: simulated, Recorded: recorded}
	}
	// Ratios 2, 0.5 and 1.2: errors 100%, 50% and 20%; their product is 1.2.
	points := []*Point{point("warp", 4, 2), point("atos", 2, 4), point("block", 12, 9, 10, 11)}
	e := errorsOf(points)
	assert.Equal(t, 3, e.N)
	assert.InDelta(t, 1.7/3, e.Mean, 1e-12)
	assert.InDelta(t, 0.5, e.Median, 1e-12)
	assert.InDelta(t, 1.06266, e.Bias, 1e-5)
	assert.Equal(t, []float64{0.5, 2}, []float64{e.Least, e.Most})
	assert.Equal(t, "bfs by atos on g", e.worst())
	// The GPU orders warp (2), atos (4), block (10); the simulation atos (2), warp (4), block (12).
	assert.Equal(t, compare.Order{Agree: 2, Disagree: 1}, orders(points))
	r := repeated(points)
	assert.Equal(t, 1, r.N)
	assert.InDelta(t, 2.0/9, r.Mean, 1e-12, "only one was recorded several times: 11 against 9")
	assert.True(t, points[1].Published())
	assert.False(t, points[0].Published())
	assert.Equal(t, "5.0% too short", bias(0.95))
	assert.Equal(t, "5.0% too long", bias(1.05))
	assert.Contains(t, table("scheme", points, func(p *Point) string { return p.Scheduler }),
		"|\n| block | 1 | 20.0% | 20.0% | 1.20 | 1.20 | 1.20 |\n| atos | 1 | 50.0% | 50.0% | 0.50 | 0.50 | 0.50 |\n| warp | 1 | 100.0% | 100.0% | 2.00 | 2.00 | 2.00 |\n| all | 3 | 56.7% | 50.0% | 1.06 | 0.50 | 2.00 |\n")
}

func TestRewrite(t *testing.T) {
	figures := map[string]string{"a": "1", "t": "\n\n| x |\n\n"}
	out, used, err := Rewrite("off by <!-- figure a -->9<!-- end -->%\n<!-- figure t -->\nold\n<!-- end -->\n", figures)
	require.NoError(t, err)
	assert.Equal(t, "off by <!-- figure a -->1<!-- end -->%\n<!-- figure t -->\n\n| x |\n\n<!-- end -->\n", out)
	assert.Equal(t, []string{"a", "t"}, used)
	for text, want := range map[string]string{
		"<!-- figure b -->9<!-- end -->": `no figure "b"; there are a, t`,
		"<!-- figure a -->9":             "a figure without its end, or an end without its figure",
		"9<!-- end -->":                  "a figure without its end, or an end without its figure",
		"<!-- figure a -->9 <!-- figure t -->8<!-- end --> so": "figure a does not end before the next one begins",
	} {
		_, _, err := Rewrite(text, figures)
		assert.EqualError(t, err, want)
	}
}
