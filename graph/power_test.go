package graph

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// distances returns the least number of arcs of a path from u to v, up to a power, by products of whole matrices of bits; 0 where there
// is none, and for a vertex and itself, unless it has a loop.
func distances(g *CSR, power int) [][]uint32 {
	n := g.Vertices()
	arc, walks, least := make([][]bool, n), make([][]bool, n), make([][]uint32, n)
	for u := range n {
		arc[u], walks[u], least[u] = make([]bool, n), make([]bool, n), make([]uint32, n)
		walks[u][u] = true
		for _, v := range g.Neighbors(uint32(u)) {
			arc[u][v] = true
		}
	}
	for k := 1; k <= power; k++ {
		next := make([][]bool, n)
		for u := range n {
			next[u] = make([]bool, n)
			for x := range n {
				for v := range n {
					next[u][v] = next[u][v] || walks[u][x] && arc[x][v]
				}
			}
			for v := range n {
				if next[u][v] && least[u][v] == 0 && (u != v || k == 1) {
					least[u][v] = uint32(k)
				}
			}
		}
		walks = next
	}
	return least
}

// matrix returns the weights of a graph, 0 where there is no arc.
func matrix(g *CSR) [][]uint32 {
	m := make([][]uint32, g.Vertices())
	for u := range m {
		m[u] = make([]uint32, len(m))
		for i, v := range g.Neighbors(uint32(u)) {
			m[u][v] = g.Weights(uint32(u))[i]
		}
	}
	return m
}

// TestPower compares powers with products of matrices of bits, on graphs of all shapes, directed and not, with loops and without arcs.
func TestPower(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var graphs []*CSR
	add := func(name string, n int, edges []Edge, opt LoadOptions) {
		g, _, err := FromEdges(t.Context(), name, n, edges, opt)
		require.NoError(t, err)
		graphs = append(graphs, g)
	}
	add("none", 0, nil, LoadOptions{})
	add("lone", 1, nil, LoadOptions{})
	add("loop", 1, []Edge{{}}, LoadOptions{KeepSelfLoops: true})
	add("path", 9, []Edge{{0, 1, 0}, {1, 2, 0}, {2, 3, 0}, {3, 4, 0}, {4, 5, 0}, {5, 6, 0}, {6, 7, 0}}, LoadOptions{})
	add("cycle", 5, []Edge{{0, 1, 0}, {1, 2, 0}, {2, 3, 0}, {3, 4, 0}, {4, 0, 0}}, LoadOptions{})
	add("pair", 2, []Edge{{0, 1, 0}, {1, 0, 0}}, LoadOptions{})
	for i := range 30 {
		n := 2 + r.IntN(80)
		var edges []Edge
		for range r.IntN(3 * n) {
			edges = append(edges, Edge{r.Uint32N(uint32(n)), r.Uint32N(uint32(n)), 0})
		}
		add(fmt.Sprintf("random %d", i), n, edges, LoadOptions{Symmetrize: i%3 == 0, KeepSelfLoops: i%2 == 0})
	}
	for _, spec := range []string{"rmat:scale=7,degree=4,seed=2", "rmat:scale=7,degree=3,seed=2,directed=true", "grid:width=10,keep=0.8,seed=1", "uniform:n=90,degree=2", "smallworld:n=130,degree=4,seed=1"} {
		graphs = append(graphs, open(t, spec))
	}
	for _, g := range graphs {
		for power := 2; power <= MaxPower; power++ {
			p, err := g.raised(t.Context(), power, nil)
			require.NoError(t, err)
			require.NoError(t, p.Validate())
			require.Equal(t, g.Symmetric, p.Symmetric)
			require.Equal(t, distances(g, power), matrix(p), "%s, power %d", g.Name, power)
		}
	}
}

// TestPowerByHand checks what the options do, in files with weights, in numbers that are not those of memory, and beside other options.
func TestPowerByHand(t *testing.T) {
	const file = "p sp 5 4\na 1 2 9\na 2 3 9\na 3 4 9\na 4 1 9\n"
	g, notes := mustRead(t, "a.gr", file, LoadOptions{Power: 2})
	require.Equal(t, "a power 2", g.Name)
	require.Equal(t, [][]uint32{{1, 2}, {2, 3}, {0, 3}, {0, 1}, {}}, rows(g))
	require.Equal(t, []uint32{1, 2, 1, 2, 2, 1, 1, 2}, g.Weight)
	require.False(t, g.Symmetric)
	require.Equal(t, []string{
		"the file's weights (arc lengths) are ignored, as requested",
		"directed: arcs are kept as in the file",
		"vertex ids start at 0 in memory: 1 to 5 in the file are 0 to 4",
		"4 arcs added for paths of up to 2 arcs; the weight of an arc is the number of arcs of its path",
	}, texts(notes))
	require.EqualValues(t, 4, notes.Count(NotePower))

	g, notes = mustRead(t, "a.gr", file, LoadOptions{Power: 2, Symmetrize: true, DropIsolated: true})
	require.True(t, g.Symmetric)
	require.Equal(t, [][]uint32{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}}, rows(g), "paths are those of the symmetric graph")
	require.Equal(t, []uint32{1, 2, 1, 1, 1, 2, 2, 1, 1, 1, 2, 1}, g.Weight)
	require.Contains(t, texts(notes), "4 arcs added for paths of up to 2 arcs; the weight of an arc is the number of arcs of its path")

	plain, _ := mustRead(t, "a.gr", file, LoadOptions{})
	one, _ := mustRead(t, "a.gr", file, LoadOptions{Power: 1})
	require.Equal(t, plain, one, "the first power is the matrix")
	one, _ = mustRead(t, "a.gr", file, LoadOptions{Power: 1, Weights: WeightsUnit})
	require.Equal(t, []uint32{1, 1, 1, 1}, one.Weight)

	permuted, notes := mustRead(t, "a.gr", file, LoadOptions{Power: 3, Permute: 5})
	require.Equal(t, "a power 3 permuted by 5", permuted.Name)
	inOrder, _ := mustRead(t, "a.gr", file, LoadOptions{Power: 3})
	require.Equal(t, byID(inOrder), byID(permuted))
	require.Equal(t, NotePermuted, notes[len(notes)-1].Kind)

	bad, notes := mustRead(t, "a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 1.5\n", LoadOptions{Power: 2})
	require.NoError(t, bad.BadWeights, "nobody needs the weights of the file")
	require.Equal(t, []uint32{1, 2, 1}, bad.Weight)
	require.Contains(t, texts(notes), "1 arc added for paths of up to 2 arcs; the weight of an arc is the number of arcs of its path")

	loops, _, err := FromEdges(t.Context(), "loops", 3, []Edge{{0, 0, 0}, {0, 1, 0}, {1, 2, 0}, {2, 1, 0}}, LoadOptions{Power: 2, KeepSelfLoops: true})
	require.NoError(t, err)
	require.Equal(t, [][]uint32{{0, 1, 2}, {2}, {1}}, rows(loops), "a loop stays, and a path back to its begin adds none")
	require.Equal(t, []uint32{1, 1, 2, 1, 1}, loops.Weight)
}

func TestPowerFails(t *testing.T) {
	for _, c := range []struct {
		opt  LoadOptions
		want string
	}{
		{LoadOptions{Power: 5}, "power 5: arcs can be added for paths of at most 1 to 4 arcs"},
		{LoadOptions{Power: -1}, "power -1: arcs can be added for paths of at most 1 to 4 arcs"},
		{LoadOptions{Power: 2, Weights: WeightsUnit}, "power 2: the weight of an arc is the number of arcs of its path, and other weights are requested"},
		{LoadOptions{Power: 3, Weights: WeightsFile}, "power 3: the weight of an arc is the number of arcs of its path, and other weights are requested"},
		{LoadOptions{Power: 2, Weights: WeightsNone}, "power 2: the weight of an arc is the number of arcs of its path, and other weights are requested"},
	} {
		_, _, err := Open(t.Context(), "grid:width=3", c.opt)
		require.EqualError(t, err, c.want)
		_, _, err = read("a.txt", "0 1\n", c.opt)
		require.EqualError(t, err, c.want)
		_, _, err = Demo(t.Context(), c.opt)
		require.EqualError(t, err, c.want)
		_, _, err = FromEdges(t.Context(), "mine", 2, []Edge{{0, 1, 0}}, c.opt)
		require.EqualError(t, err, "graph mine: "+c.want)
	}
	g, _, err := Open(t.Context(), "grid:width=3", LoadOptions{Power: 2})
	require.NoError(t, err)
	_, err = g.FileOrder(t.Context())
	require.EqualError(t, err, "graph grid:width=3 power 2 has no order of edges: its arcs are paths of up to 2 arcs, which the file does not have")
}

// TestPowersOnCores checks that arcs and their order do not depend on the number of goroutines, on graphs of many pieces with hubs, and how many arcs there
// are: on a grid, as many as there are pairs with such a sum of the differences of their coordinates.
func TestPowersOnCores(t *testing.T) {
	pairs := func(power int) (n int) {
		for x := -power; x <= power; x++ {
			for y := -power; y <= power; y++ {
				if sum := max(x, -x) + max(y, -y); sum > 0 && sum <= power {
					n += (40 - max(x, -x)) * (40 - max(y, -y))
				}
			}
		}
		return n
	}
	for _, c := range []struct {
		spec         string
		power        int
		before, arcs int
	}{
		{DemoName, 2, 103689, 1844982},
		{"grid:width=40,keep=1", 2, pairs(1), pairs(2)},
		{"grid:width=40,keep=1", 4, pairs(1), pairs(4)},
		{"rmat:scale=12,degree=8,seed=1", 2, 28694, 1145048},
	} {
		plain := open(t, c.spec)
		require.Equal(t, c.before, plain.Arcs(), c.spec)
		got := onCores(t, func() string {
			g, notes, err := Open(t.Context(), c.spec, LoadOptions{Power: c.power})
			require.NoError(t, err)
			assert.Equal(t, c.arcs, g.Arcs(), "%s, power %d", c.spec, c.power)
			require.EqualValues(t, g.Arcs()-plain.Arcs(), notes.Count(NotePower))
			return outcome(t, g, notes, err)
		})
		require.NotEmpty(t, got)
	}
}

// TestPowerNeedsMemory checks that the arcs are counted before there are any, and no longer than until they are too many.
func TestPowerNeedsMemory(t *testing.T) {
	star := &CSR{Name: "star", Symmetric: true, Row: []uint64{0}} // in whose second power all vertices are neighbors
	const n = 20_000
	for v := range uint32(n - 1) {
		star.Col = append(star.Col, v+1)
	}
	star.Row = append(star.Row, n-1)
	for range n - 1 {
		star.Col = append(star.Col, 0)
		star.Row = append(star.Row, uint64(len(star.Col)))
	}
	require.NoError(t, star.Validate())
	limitMemory(t, 200<<20)
	rows := int64(0)
	_, err := star.raised(t.Context(), 2, func(done, _ int64) { rows = done })
	var e *memory.Error
	require.ErrorAs(t, err, &e)
	require.Greater(t, e.Needed, e.Available)
	require.Regexp(t, `^a graph with arcs for paths of up to 2 arcs, more than \d+ arcs in all, needs [\d.]+ MiB of memory, and [\d.]+ MiB are available$`, err.Error())
	require.Less(t, rows, int64(n), "it ends before all are counted")
	runtime.KeepAlive(star)

	wide := &CSR{Name: "wide", Row: make([]uint64, 30<<20+1)}
	limitMemory(t, 64<<20)
	_, err = wide.raised(t.Context(), 2, nil)
	require.ErrorAs(t, err, &e)
	require.Regexp(t, `^multiplying the matrix of a graph of 31457280 vertices needs [\d.]+ [MG]iB of memory, and [\d.]+ MiB are available$`, err.Error())
}

// TestPowerSaysHowFarItIs checks the progress of both passes.
func TestPowerSaysHowFarItIs(t *testing.T) {
	var last, all int64
	calls := 0
	_, _, err := Open(t.Context(), "rmat:scale=10,degree=8", LoadOptions{Power: 2, Multiplied: func(done, total int64) {
		assert.GreaterOrEqual(t, done, last)
		last, all = done, total
		calls++
	}})
	require.NoError(t, err)
	assert.Equal(t, []int64{2048, 2048}, []int64{last, all})
	assert.Greater(t, calls, 2)
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err = Read(ctx, "a.txt", strings.NewReader("0 1\n1 2\n"), 0, LoadOptions{Power: 2, Multiplied: func(int64, int64) { cancel() }})
	require.EqualError(t, err, "a.txt: reading was stopped: context canceled")
}
