package catalog_test

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/testing/difftest"
	"github.com/weft-gpu/weft/sim/config"
)

// These tests are the one matrix of algorithms, schemes, devices and graphs. Each of its parts finds what no other does:
//
//   - func, on graphs of all kinds and sizes: wrong answers of a pair, and accesses out of bounds. The largest graph takes longer than all others
//     together, and has a third of the pairs: every scheme and every algorithm.
//   - func with the read-only build: loads that only GPUs take from another cache.
//   - sim:tiny, on small graphs and a real one: pairs that need what warps of one machine do by turns.
//   - sim:h200, on one graph: pairs that need few SMs, lanes in lockstep, or one L2. Where blocks stay and wait for work (simdx, atos), 132 SMs take
//     minutes in which they wait, and what goes wrong there is the scheme's: these have every fourth algorithm on all SMs, and the others on 20.
//   - all other machines, each with a share of the pairs: machines on which a scheme or an algorithm fails. What a machine
//     has beside the two above (its generation's divergence, atomics and caches) is not a matter of one pair.
//
// With WEFT_EXHAUSTIVE=1 every pair is on the largest graph and on all SMs (make exhaustive).

// short are parameters with which algorithms that converge slowly end after fewer iterations.
var short = map[string]map[string]string{"circuit": {"epsilon": "0.01"}, "heat": {"epsilon": "0.01"}, "nn": {"epsilon": "0.01"}}

// verify runs an entry on g and requires the answer of the reference.
func verify(t *testing.T, dev device.Device, e catalog.Entry, g *graph.CSR, source uint32) *catalog.Result {
	t.Helper()
	return verifyWith(t, dev, e, g, source, short[e.Algorithm.Name])
}

func verifyWith(t *testing.T, dev device.Device, e catalog.Entry, g *graph.CSR, source uint32, params map[string]string) *catalog.Result {
	t.Helper()
	res, err := catalog.Run(context.Background(), dev, catalog.Request{
		Algorithm: e.Algorithm.Name, Scheduler: e.Scheduler.Name, Graph: g, Source: source, Verify: true, Params: params})
	require.NoError(t, err)
	require.True(t, res.Checked)
	require.NoError(t, res.Mismatch)
	require.True(t, res.Verified)
	if g.Arcs() > 0 {
		require.Positive(t, res.Launches())
	}
	return res
}

// matrix runs every entry on every graph from the vertex with the largest degree.
func matrix(t *testing.T, device string, graphs []*graph.CSR) {
	for _, e := range catalog.Entries() {
		t.Run(e.Name(), func(t *testing.T) {
			for _, g := range graphs {
				t.Run(filepath.Base(g.Name), func(t *testing.T) {
					source, _ := g.MaxDegreeVertex()
					verify(t, openDevice(t, device), e, g, source)
				})
			}
		})
	}
}

// tiny returns graphs that a cycle-level simulation processes in moments.
func tiny(t *testing.T) []*graph.CSR {
	return []*graph.CSR{
		graphOf(t, "rmat:scale=6,degree=6,seed=3"),
		graphOf(t, "grid:width=7,keep=0.8,seed=2"),
		{Name: "one vertex", Row: []uint64{0, 0}, Symmetric: true},
	}
}

func TestHeavyMatrixOnFunc(t *testing.T) {
	matrix(t, "func", append(tiny(t),
		graphOf(t, "rmat:scale=10,degree=12,seed=1"),
		graphOf(t, "uniform:n=900,degree=5,seed=9"),
		graphOf(t, "grid:width=30,keep=0.7,seed=8"),
		graphOf(t, "smallworld:n=700,degree=6,seed=6"),
		graphOf(t, testdata+"karate.mtx.gz"),
		graphOf(t, testdata+"chesapeake.mtx.gz"),
	))
	entries := catalog.Entries()
	if !exhaustive() {
		entries = third(entries)
	}
	largest := graphOf(t, testdata+"wiki-Vote.txt.gz")
	source, _ := largest.MaxDegreeVertex()
	for _, e := range entries {
		t.Run(e.Name()+"/largest", func(t *testing.T) { verify(t, openDevice(t, "func"), e, largest, source) })
	}
}

// third returns about a third of the entries, with every scheme and every algorithm.
func third(entries []catalog.Entry) (part []catalog.Entry) {
	seen := map[string]bool{}
	for i, e := range entries {
		scheme, algorithm := "scheme "+e.Scheduler.Name, "algorithm "+e.Algorithm.Name
		if i%4 == 0 || !seen[scheme] || !seen[algorithm] {
			part = append(part, e)
			seen[scheme], seen[algorithm] = true, true
		}
	}
	return part
}

// TestThird checks that a third of the entries has what it says.
func TestThird(t *testing.T) {
	names := func(entries []catalog.Entry) map[string]bool {
		has := map[string]bool{}
		for _, e := range entries {
			has["scheme "+e.Scheduler.Name], has["algorithm "+e.Algorithm.Name] = true, true
		}
		return has
	}
	all := catalog.Entries()
	part := third(all)
	require.Equal(t, names(all), names(part))
	require.LessOrEqual(t, len(part), len(all)*2/5)
}

// exhaustive reports whether whole products are asked for.
func exhaustive() bool { return os.Getenv("WEFT_EXHAUSTIVE") != "" }

// TestMatrixInTheReadOnlyBuild checks that the read-only build of every kernel, which only GPUs run, gives the same
// answers.
func TestMatrixInTheReadOnlyBuild(t *testing.T) {
	other := 0
	for _, e := range catalog.Entries() {
		t.Run(e.Name(), func(t *testing.T) {
			for _, g := range tiny(t) {
				dev := difftest.NewReadOnlyBuild(openDevice(t, "func"))
				source, _ := g.MaxDegreeVertex()
				verify(t, dev, e, g, source)
				other += dev.Other
			}
		})
	}
	require.Positive(t, other, "no kernel has another program in the read-only build")
}

func TestMatrixOnTiny(t *testing.T) {
	matrix(t, "sim:tiny", append(tiny(t), graphOf(t, testdata+"chesapeake.mtx.gz")))
}

// shorter are parameters for machines on which each iteration takes long: PageRank ends after half as many.
func shorter(algorithm string) map[string]string {
	params := maps.Clone(short[algorithm])
	if algorithm == "pagerank" || algorithm == "pagerank-pull" {
		params = map[string]string{"epsilon": "0.0015"}
	}
	return params
}

// TestHeavyMatrixOnH200 runs every entry on the machine with most SMs, with lanes that progress independently and an L2
// of two halves.
func TestHeavyMatrixOnH200(t *testing.T) {
	g := tiny(t)[0]
	source, _ := g.MaxDegreeVertex()
	seen := map[string]int{}
	for _, e := range catalog.Entries() {
		t.Run(e.Name(), func(t *testing.T) {
			sms := 0 // all
			if scheme := e.Scheduler.Name; !exhaustive() && (scheme == "simdx" || scheme == "atos") {
				if seen[scheme]++; seen[scheme]%4 != 1 {
					sms = 20
				}
			}
			verifyWith(t, openMachine(t, "h200", sms), e, g, source, shorter(e.Algorithm.Name))
		})
	}
	t.Logf("%v", seen)
}

// shares divides entries among n machines, so that each machine has many schemes and many algorithms: an entry goes to the
// machine that has least of its scheme and of its algorithm.
func shares(entries []catalog.Entry, n int) [][]catalog.Entry {
	out := make([][]catalog.Entry, n)
	has := make([]map[string]int, n)
	for i := range has {
		has[i] = map[string]int{}
	}
	for _, e := range entries {
		names := []string{"algorithm " + e.Algorithm.Name, "scheme " + e.Scheduler.Name}
		best := 0
		for i := range has {
			a, b := has[i], has[best]
			if cmp.Or(cmp.Compare(a[names[0]]+a[names[1]], b[names[0]]+b[names[1]]), cmp.Compare(len(out[i]), len(out[best]))) < 0 {
				best = i
			}
		}
		for _, name := range names {
			has[best][name]++
		}
		out[best] = append(out[best], e)
	}
	return out
}

// others are the machines that have a share of the entries.
func others() []string {
	return slices.DeleteFunc(config.Presets(), func(p string) bool { return p == "tiny" || p == "h200" })
}

func TestHeavyMatrixOnOtherMachines(t *testing.T) {
	machines := others()
	graphs := tiny(t)[:2]
	for i, share := range shares(catalog.Entries(), len(machines)) {
		for n, e := range share {
			t.Run(machines[i]+"/"+e.Name(), func(t *testing.T) {
				g := graphs[n%len(graphs)]
				source, _ := g.MaxDegreeVertex()
				if cfg, err := config.Load(machines[i]); e.Algorithm.Name == "bc" && err == nil && cfg.Capability() < 60 { // additions of float64
					_, err := catalog.Run(t.Context(), openDevice(t, "sim:"+machines[i]), catalog.Request{Algorithm: "bc", Scheduler: e.Scheduler.Name, Graph: g, Source: source})
					require.ErrorContains(t, err, "atom.add.f64 needs compute capability 6.0")
					return
				}
				verifyWith(t, openDevice(t, "sim:"+machines[i]), e, g, source, shorter(e.Algorithm.Name))
			})
		}
	}
}

// TestShares checks that the shares are all entries, each once, and that a machine lacks few of the schemes and algorithms
// that have at least as many entries as there are machines.
func TestShares(t *testing.T) {
	machines := others()
	require.Greater(t, len(machines), 6)
	total := 0
	seen, count := map[string]map[int]bool{}, map[string]int{}
	for i, share := range shares(catalog.Entries(), len(machines)) {
		total += len(share)
		for _, e := range share {
			for _, name := range []string{"algorithm " + e.Algorithm.Name, "scheme " + e.Scheduler.Name} {
				if seen[name] == nil {
					seen[name] = map[int]bool{}
				}
				seen[name][i] = true
				count[name]++
			}
		}
	}
	require.Equal(t, len(catalog.Entries()), total)
	for name, on := range seen {
		assert.GreaterOrEqual(t, len(on), min(count[name], len(machines))-2, "%s is on %d machines, and has %d entries", name, len(on), count[name])
	}
}
