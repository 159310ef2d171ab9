package graph

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
)

// onCores calls f with several numbers of threads, and returns what it returned, which must always
// be the same.
func onCores(t *testing.T, f func() string) string {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first string
	for _, threads := range []int{1, 2, 3, 7} {
		runtime.GOMAXPROCS(threads)
		got := f()
		if threads == 1 {
			first = got
		}
		require.Equal(t, first, got, "%d threads", threads)
	}
	return first
}

// outcome describes a graph or error in a line.
func outcome(t *testing.T, g *CSR, notes Notes, err error) string {
	if err != nil {
		require.Nil(t, g)
		return err.Error()
	}
	require.NoError(t, g.Validate())
	return fmt.Sprintf("vertices=%d arcs=%d symmetric=%v %s %s", g.Vertices(), g.Arcs(), g.Symmetric, g.Hash()[:16], strings.Join(texts(notes), "; "))
}

// TestGeneratorsOnCores has graphs of many pieces. The golden file was written by the generators that
// drew everything in one goroutine.
func TestGeneratorsOnCores(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct {
		spec string
		opt  LoadOptions
	}{
		{"rmat:scale=15,degree=16,seed=3", LoadOptions{}},
		{"rmat:scale=14,degree=20,directed=true", LoadOptions{KeepSelfLoops: true}},
		{"rmat:scale=14,degree=20,shuffle=false,seed=8", LoadOptions{KeepSelfLoops: true, Weights: WeightsHash}},
		{"rmat:scale=17,degree=1,a=0.9,b=0.05,c=0.05", LoadOptions{DropIsolated: true}},
		{"rmat:scale=15,degree=8,directed=true", LoadOptions{Symmetrize: true, DropIsolated: true, Weights: WeightsHash, Permute: 5}},
		{"uniform:n=65537,degree=9,seed=5", LoadOptions{}},
		{"uniform:n=300,degree=299,seed=5", LoadOptions{}},
		{"uniform:n=3000,degree=100,seed=2", LoadOptions{Symmetrize: true, Permute: 7}},
		{"uniform:n=70000,degree=3", LoadOptions{Permute: 1 << 40, Weights: WeightsUnit}},
		{"uniform:n=20500,degree=120,seed=2", LoadOptions{}},
		{"grid:width=1,height=90000,keep=0.5", LoadOptions{}},
		{"grid:width=90000,height=1,keep=0.5", LoadOptions{}},
		{"grid:width=777,height=111,keep=0.3,seed=4", LoadOptions{DropIsolated: true, Weights: WeightsHash}},
		{"smallworld:n=50000,degree=8,rewire=0.1", LoadOptions{}},
		{"smallworld:n=50000,degree=8,rewire=0,seed=2", LoadOptions{}},
		{"smallworld:n=50000,degree=8,rewire=1,seed=3", LoadOptions{Permute: 3}},
		{"smallworld:n=30001,degree=10,rewire=0.97,seed=4", LoadOptions{}},
	} {
		line := onCores(t, func() string {
			g, notes, err := Open(t.Context(), c.spec, c.opt)
			return outcome(t, g, notes, err)
		})
		fmt.Fprintf(&b, "%s %+v: %s\n", c.spec, []any{c.opt.Symmetrize, c.opt.DropIsolated, c.opt.Permute, c.opt.KeepSelfLoops, c.opt.Weights}, line)
	}
	golden.Check(t, "testdata/cores-generators.golden", b.String())
}

// textOf returns random edges in a format, with comments and empty lines; edit may change a line.
func textOf(format string, weighted bool, edit func(i int, line string) string) string {
	r := rand.New(rand.NewPCG(3, 4))
	const n, edges = 900, 20_000
	var s strings.Builder
	weight := func() string {
		if weighted {
			return fmt.Sprintf(" %d", r.IntN(50))
		}
		return ""
	}
	comment := map[string]string{"mtx": "% a comment", "snap": "# another", "dimacs": "c a comment", "metis": " % a comment"}[format]
	switch format {
	case "mtx":
		fmt.Fprintf(&s, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %d\n", map[bool]string{true: "real", false: "pattern"}[weighted], n, n, edges)
	case "dimacs":
		fmt.Fprintf(&s, "c x\np sp %d %d\n", n, edges)
	case "metis":
		flag := map[bool]string{true: " 1"}[weighted]
		fmt.Fprintf(&s, "%% x\n%d %d%s\n", n, n*20, flag)
		for v := range n { // a ring, each vertex with its 20 neighbors on either side
			var line strings.Builder
			for k := 1; k <= 20; k++ {
				for _, to := range []int{(v + k) % n, (v + n - k) % n} {
					fmt.Fprintf(&line, "%d ", to+1)
					if weighted {
						fmt.Fprintf(&line, "%d ", (v+to)%7)
					}
				}
			}
			s.WriteString(edit(v, line.String()) + "\n")
			if v%50 == 3 {
				s.WriteString(comment + "\n")
			}
		}
		s.WriteString("\n\n")
		return s.String()
	}
	for i := range edges {
		u, v := 1+r.IntN(n), 1+r.IntN(n)
		line := fmt.Sprintf("%d %d%s", u, v, weight())
		switch format {
		case "snap":
			line = fmt.Sprintf("%d\t%d%s", u*u, v*v, weight())
		case "dimacs":
			line = "a " + line
		}
		s.WriteString(edit(i, line) + "\n")
		if i%97 == 0 {
			s.WriteString(comment + "\n\r\n")
		}
	}
	return s.String()
}

// TestReadersOnCores reads texts of many blocks, with and without errors in them. The golden file was
// written by the readers that read everything in one goroutine.
func TestReadersOnCores(t *testing.T) {
	defer func(size int) { lineBuffer = size }(lineBuffer)
	lineBuffer = 1 << 12
	var b strings.Builder
	same := func(_ int, line string) string { return line }
	at := func(changes map[int]string) func(int, string) string {
		return func(i int, line string) string {
			if change, ok := changes[i]; ok {
				return change
			}
			return line
		}
	}
	long := strings.Repeat("x", 1<<20)
	for _, format := range []string{"mtx", "snap", "dimacs", "metis"} {
		for _, c := range []struct {
			name     string
			weighted bool
			edit     func(int, string) string
			opt      LoadOptions
		}{
			{"plain", false, same, LoadOptions{}},
			{"weighted", true, same, LoadOptions{Symmetrize: true}},
			{"loops", true, same, LoadOptions{KeepSelfLoops: true}},
			{"hash", true, same, LoadOptions{Weights: WeightsHash, Permute: 9}},
			{"word", false, at(map[int]string{700: "7 x"}), LoadOptions{}},
			{"two errors", false, at(map[int]string{800: "y 7", 700: "7 x", 850: long + long + long}), LoadOptions{}},
			{"too long", false, at(map[int]string{500: "% " + long + long + long + long, 700: "x"}), LoadOptions{}},
			{"large id", false, at(map[int]string{555: "4294967296 1"}), LoadOptions{}},
			{"one more", false, at(map[int]string{10: "1 2\n3 4\n5 6", 11: "5 6"}), LoadOptions{}},
			{"one more, then a word", false, at(map[int]string{212: "1 2\n3 4", 850: "x"}), LoadOptions{}},
			{"one less", false, at(map[int]string{10: ""}), LoadOptions{}},
			{"values", true, at(map[int]string{300: "1 2 -1.5", 600: "1 2 7.25"}), LoadOptions{}},
			{"values needed", true, at(map[int]string{300: "1 2 -1.5", 600: "1 2 7.25"}), LoadOptions{Weights: WeightsFile}},
			{"columns", true, at(map[int]string{300: "1 2 7 8"}), LoadOptions{}},
			{"asymmetric", false, func(i int, line string) string {
				if i == 400 {
					return strings.Replace(line, "402 ", "700 ", 1)
				}
				return line
			}, LoadOptions{}},
			{"no weight", true, at(map[int]string{300: "1 2"}), LoadOptions{}},
		} {
			if format == "dimacs" {
				if !c.weighted {
					continue
				}
				edit := c.edit
				c.edit = func(i int, line string) string {
					if changed := edit(i, line); changed != line {
						return "a " + changed
					}
					return line
				}
			}
			text := textOf(format, c.weighted, c.edit)
			for _, packed := range []bool{false, true} {
				data := text
				if packed {
					data = string(pack(t, text))
				}
				opt := c.opt
				opt.Format = format
				line := onCores(t, func() string {
					g, notes, err := read("a", data, opt)
					return outcome(t, g, notes, err)
				})
				fmt.Fprintf(&b, "%s, %s, packed %v: %s\n", format, c.name, packed, line)
			}
		}
	}
	golden.Check(t, "testdata/cores-readers.golden", b.String())
}

// TestAhead compares with draws one by one, and with the published jump of xoshiro256** over 2^128
// draws: the exclusive or of the states at which this polynomial has a coefficient.
func TestAhead(t *testing.T) {
	r := newRNG(42, 0)
	one := *r
	for k := range uint64(5000) {
		require.Equal(t, one.s, r.ahead(k).s)
		one.next()
	}
	require.Equal(t, r.ahead(1<<40+12345).s, r.ahead(1<<39).ahead(1<<39).ahead(12345).s)

	jump := [4]uint64{0x180ec6d33cfd0aba, 0xd5a61266f0c9392c, 0xa9582618e03fc9aa, 0x39abdc4529b1661c}
	var want [4]uint64
	step := *r
	for bit := range 256 {
		if jump[bit/64]>>(bit%64)&1 != 0 {
			for i := range want {
				want[i] ^= step.s[i]
			}
		}
		step.next()
	}
	far := leaps()[63]
	for range 128 - 63 {
		far = far.twice()
	}
	require.Equal(t, want, far.of(r.s))
}

// before returns the generator from which so many draws lead to a state: the period is 2^256 - 1, so
// they are the rest of it.
func before(state [4]uint64, draws uint64) *rng {
	far := leaps()[0]
	for bit := range 256 {
		if bit >= 64 || ^draws>>bit&1 != 0 {
			state = far.of(state)
		}
		far = far.twice()
	}
	return &rng{state}
}

// TestRejectedDraws makes graphs with a draw that is rejected, which would take years to find by a
// seed, and compares them with a generator of one goroutine.
func TestRejectedDraws(t *testing.T) {
	const n, degree = 40_000, 6
	for _, position := range []uint64{0, 3, edgesPerPiece - 7, edgesPerPiece + 13, 5*edgesPerPiece + 1, n*degree - 1} {
		start := before([4]uint64{position + 1, 0, 77, 78}, position) // the output is a multiple of the second word
		r := *start
		var want []uint64
		rejected := uint64(0)
		for u := range uint64(n) {
			set := map[uint64]bool{}
			for last := uint64(n - 1 - degree); last < n-1; last++ {
				to, more := r.belowCounted(last + 1)
				rejected += more
				if set[to] {
					to = last
				}
				set[to] = true
				if to >= u {
					to++
				}
				want = append(want, u<<32|to)
			}
		}
		require.EqualValues(t, 1, rejected, "position %d", position)
		onCores(t, func() string {
			b := &builder{}
			require.NoError(t, uniformArcs(t.Context(), start, n, degree, b))
			require.True(t, slices.Equal(want, allEdges(b)), "position %d", position)
			return ""
		})
	}
	for _, position := range []uint64{1, drawsPerPiece - 1, drawsPerPiece + 1, 3*drawsPerPiece + 5} { // each edge takes two draws
		w := rewiring{start: before([4]uint64{5, 0, 77, position}, position), chance: threshold(1), n: n, half: degree / 2, limit: (1<<64 - (n - 1)) % (n - 1)}
		r := *w.start
		var want []uint64
		for u := range uint64(n) {
			for range degree / 2 {
				require.True(t, r.chance(w.chance))
				to := r.below(n - 1)
				if to >= u {
					to++
				}
				want = append(want, u<<32|to)
			}
		}
		require.Equal(t, w.start.ahead(2*uint64(len(want))+1).s, r.s, "one draw more")
		onCores(t, func() string {
			b := &builder{keepLoops: true}
			require.NoError(t, w.edges(t.Context(), b))
			require.True(t, slices.Equal(want, allEdges(b)), "position %d", position)
			return ""
		})
	}
}

// allEdges returns the edges of all parts.
func allEdges(b *builder) (edges []uint64) {
	for _, p := range b.parts {
		edges = append(edges, p.edge...)
	}
	return edges
}

// TestSmallSet compares with a map.
func TestSmallSet(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var s smallSet
	for range 300 {
		size := 1 + r.IntN(200)
		s.clear(uint64(size))
		want := map[uint32]bool{}
		for range size {
			x := uint32(r.IntN(300))
			require.Equal(t, !want[x], s.add(x))
			want[x] = true
		}
	}
}

// TestRowSort compares with a stable sort of pairs.
func TestRowSort(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var s rowSorter
	for round := range 400 {
		type pair struct{ v, w uint32 }
		row := make([]pair, r.IntN(1+round*5))
		most := uint32(1) << r.IntN(32)
		var col, weight []uint32
		for i := range row {
			row[i] = pair{r.Uint32N(most) + 3*most/4, uint32(i)}
			col, weight = append(col, row[i].v), append(weight, row[i].w)
		}
		alone := slices.Clone(col)
		slices.SortStableFunc(row, func(a, b pair) int { return int(int64(a.v) - int64(b.v)) })
		s.sort(col, weight)
		s.sort(alone, nil)
		require.Equal(t, col, alone)
		for i, p := range row {
			require.Equal(t, p, pair{col[i], weight[i]})
		}
	}
}

// TestTransposeKeepsEqualArcs checks that of several equal arcs, which only graphs made by hand have,
// each keeps its weight and place.
func TestTransposeKeepsEqualArcs(t *testing.T) {
	const n, times = 50_000, 5
	g := &CSR{Name: "equal", Row: make([]uint64, n+1)}
	for u := range n {
		for k := range times {
			g.Col, g.Weight = append(g.Col, uint32(n-1-u)), append(g.Weight, uint32(u+k*7919)%100)
		}
		g.Row[u+1] = uint64(len(g.Col))
	}
	onCores(t, func() string {
		in := transposed(t, g)
		for v := range uint32(n) {
			require.Equal(t, g.Weights(n-1-v), in.Weights(v))
			require.Equal(t, n-1-v, in.Neighbors(v)[0])
		}
		return in.Hash()
	})
}

// TestNoAllocationPerArc bounds the number of allocations: some per piece of work.
func TestNoAllocationPerArc(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	text := textOf("snap", true, func(_ int, line string) string { return line })
	text = strings.Repeat(text, 10)
	for name, f := range map[string]func() (*CSR, Notes, error){
		"rmat": func() (*CSR, Notes, error) {
			return Open(context.Background(), "rmat:scale=16,degree=16", LoadOptions{})
		},
		"uniform": func() (*CSR, Notes, error) {
			return Open(context.Background(), "uniform:n=65536,degree=16", LoadOptions{Symmetrize: true})
		},
		"text": func() (*CSR, Notes, error) { return read("a.txt", text, LoadOptions{}) },
	} {
		edges := 0
		allocations := testing.AllocsPerRun(1, func() {
			_, notes, err := f()
			require.NoError(t, err)
			edges = int(notes.Count(NoteDirected) + notes.Count(NoteUndirected))
		})
		assert.Less(t, allocations, float64(edges)/250, name)
	}
}
