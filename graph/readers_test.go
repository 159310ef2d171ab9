package graph

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReaders(t *testing.T) {
	tests := []struct {
		name   string
		file   string
		text   string
		opt    LoadOptions
		rows   [][]uint32
		weight []uint32
		notes  []string
	}{
		{
			name: "matrix market, pattern, symmetric", file: "a.mtx",
			text:  "%%MatrixMarket matrix coordinate pattern symmetric\n% a comment\n\n3 3 3\n2 1\n3 1\n% another\n3 2\n",
			rows:  [][]uint32{{1, 2}, {0, 2}, {0, 1}},
			notes: []string{"undirected: each of 3 edges is stored as two arcs", "vertex ids start at 0 in memory: 1 to 3 in the file are 0 to 2"},
		},
		{
			name: "matrix market, pattern, general", file: "a.mtx",
			text:  "%%matrixmarket MATRIX Coordinate PATTERN General\r\n3 3 2\r\n1 3\r\n 1\t2 \r\n",
			rows:  [][]uint32{{1, 2}, {}, {}},
			notes: []string{"directed: arcs are kept as in the file", "vertex ids start at 0 in memory: 1 to 3 in the file are 0 to 2"},
		},
		{
			name: "matrix market, integer, repeats and loops", file: "a.mtx",
			text: "%%MatrixMarket matrix coordinate integer general\n3 3 6\n3 1 9\n1 2 5\n1 2 4\n2 2 1\n1 2 6\n2 3 0\n",
			rows: [][]uint32{{1}, {2}, {0}}, weight: []uint32{4, 0, 9},
			notes: []string{"1 self loop dropped", "weights come from the file (matrix values)",
				"2 duplicate edges merged (the smallest weight is kept)", "directed: arcs are kept as in the file",
				"vertex ids start at 0 in memory: 1 to 3 in the file are 0 to 2"},
		},
		{
			name: "matrix market, symmetric, both triangles and loops kept", file: "a.mtx", opt: LoadOptions{KeepSelfLoops: true},
			text: "%%MatrixMarket matrix coordinate integer symmetric\n2 2 4\n1 1 7\n2 1 5\n1 2 3\n1 1 6\n",
			rows: [][]uint32{{0, 1}, {0}}, weight: []uint32{6, 3, 3},
			notes: []string{"2 self loops kept", "weights come from the file (matrix values)",
				"2 duplicate edges merged (the smallest weight is kept)", "undirected: each of 4 edges is stored as two arcs",
				"vertex ids start at 0 in memory: 1 to 2 in the file are 0 to 1"},
		},
		{
			name: "matrix market, real values that are whole numbers", file: "a.mtx",
			text: "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 2.0\n3 1 1.5e1\n3 2 4294967295\n",
			rows: [][]uint32{{1, 2}, {0, 2}, {0, 1}}, weight: []uint32{2, 15, 2, math.MaxUint32, 15, math.MaxUint32},
			notes: []string{"weights come from the file (matrix values)", "undirected: each of 3 edges is stored as two arcs",
				"vertex ids start at 0 in memory: 1 to 3 in the file are 0 to 2"},
		},
		{
			name: "matrix market, values that are no weights", file: "a.mtx",
			text: "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n2 1 -1.5\n",
			rows: [][]uint32{{1}, {0}},
			notes: []string{
				"the file's weights (matrix values) are ignored: 1 value is not a whole number from 0 to 4294967295 (the first is \"-1.5\" in line 4)",
				"arcs are kept as in the file; each has its opposite, so the graph is symmetric",
				"vertex ids start at 0 in memory: 1 to 2 in the file are 0 to 1"},
		},
		{
			name: "matrix market, values that are no weights, weights by hash", file: "a.mtx", opt: LoadOptions{Weights: WeightsHash},
			text: "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1e300\n2 1 4294967296\n",
			rows: [][]uint32{{1}, {0}}, weight: []uint32{HashWeight(0, 1), HashWeight(1, 0)},
			notes: []string{
				"the file's weights (matrix values) are ignored, as requested",
				"arcs are kept as in the file; each has its opposite, so the graph is symmetric",
				"vertex ids start at 0 in memory: 1 to 2 in the file are 0 to 1",
				"weights are assigned: " + HashRule},
		},
		{
			name: "matrix market, values that are no weights, each weight 1", file: "a.mtx", opt: LoadOptions{Weights: WeightsUnit},
			text: "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1e300\n2 1 -1\n",
			rows: [][]uint32{{1}, {0}}, weight: []uint32{1, 1},
			notes: []string{
				"the file's weights (matrix values) are ignored, as requested",
				"arcs are kept as in the file; each has its opposite, so the graph is symmetric",
				"vertex ids start at 0 in memory: 1 to 2 in the file are 0 to 1",
				"every arc has weight 1, as requested"},
		},
		{
			name: "edge list without weights, weights wanted", file: "a.txt", opt: LoadOptions{Weights: WeightsAlways},
			text: "0 1\n", rows: [][]uint32{{1}, {}}, weight: []uint32{HashWeight(0, 1)},
			notes: []string{"directed: arcs are kept as in the file", "weights are assigned: " + HashRule},
		},
		{
			name: "dimacs, the file's weights", file: "a.gr", opt: LoadOptions{Weights: WeightsFile},
			text: "p sp 2 1\na 1 2 +7.50e1\n", rows: [][]uint32{{1}, {}}, weight: []uint32{75},
			notes: []string{"weights come from the file (arc lengths)", "directed: arcs are kept as in the file",
				"vertex ids start at 0 in memory: 1 to 2 in the file are 0 to 1"},
		},
		{
			name: "matrix market without entries", file: "a.mtx", text: "%%MatrixMarket matrix coordinate integer general\n2 2 0\n",
			rows: [][]uint32{{}, {}}, weight: []uint32{},
			notes: []string{"weights come from the file (matrix values)",
				"arcs are kept as in the file; each has its opposite, so the graph is symmetric",
				"vertex ids start at 0 in memory: 1 to 2 in the file are 0 to 1"},
		},
		{
			name: "edge list with gaps", file: "a.txt",
			text: "# Nodes: 4 Edges: 4\n30\t7\n7 4000000000\n% also a comment\n\n30 30\n  5 7",
			rows: [][]uint32{{1}, {3}, {1}, {}},
			notes: []string{"1 self loop dropped",
				"vertices are renumbered without gaps: ids 5 to 4000000000 in the file are 0 to 3 in memory",
				"directed: arcs are kept as in the file"},
		},
		{
			name: "edge list without gaps, loops kept, other counts in the comment", file: "a.txt", opt: LoadOptions{KeepSelfLoops: true},
			text: "# Nodes: 9 Edges: 8\n0 1\n1 1\n0 1\n",
			rows: [][]uint32{{1}, {1}},
			notes: []string{"a comment in the file states 9 vertices and 8 edges, the file has 2 and 3", "1 self loop kept",
				"1 duplicate edge merged", "directed: arcs are kept as in the file"},
		},
		{
			name: "edge list with weights and more columns", file: "a.txt",
			text: "0 1 5 99\n1 2 6\n",
			rows: [][]uint32{{1}, {2}, {}}, weight: []uint32{5, 6},
			notes: []string{"columns after the third are ignored, in 1 line", "weights come from the file (third column)",
				"directed: arcs are kept as in the file"},
		},
		{
			name: "edge list made symmetric", file: "a.txt", opt: LoadOptions{Symmetrize: true},
			text: "0 1 5\n1 0 3\n2 1 6\n3 3 1\n",
			rows: [][]uint32{{1}, {0, 2}, {1}, {}}, weight: []uint32{3, 3, 6, 6},
			notes: []string{"1 self loop dropped", "weights come from the file (third column)",
				"directed: arcs are kept as in the file", "made symmetric: 1 opposite arc added"},
		},
		{
			name: "edge list, weights by hash although it has some", file: "a.txt", opt: LoadOptions{Weights: WeightsHash},
			text: "0 1 5\n",
			rows: [][]uint32{{1}, {}}, weight: []uint32{HashWeight(0, 1)},
			notes: []string{"the file's weights (third column) are ignored, as requested",
				"directed: arcs are kept as in the file", "weights are assigned: " + HashRule},
		},
		{
			name: "edge list, no weights although it has some", file: "a.txt", opt: LoadOptions{Weights: WeightsNone},
			text: "0 1 5\n", rows: [][]uint32{{1}, {}},
			notes: []string{"the file's weights (third column) are ignored, as requested", "directed: arcs are kept as in the file"},
		},
		{
			name: "dimacs", file: "a.gr",
			text: "c a comment\nc\np sp 3 4\na 1 2 5\na 2 1 5\nc another\na 3 1 0\na 3 3 1\n",
			rows: [][]uint32{{1}, {0}, {0}}, weight: []uint32{5, 5, 0},
			notes: []string{"1 self loop dropped", "weights come from the file (arc lengths)",
				"directed: arcs are kept as in the file", "vertex ids start at 0 in memory: 1 to 3 in the file are 0 to 2"},
		},
		{
			name: "metis", file: "a.graph",
			text:  "% a comment\n4 2\n 2 3\n1\n% another\n1 \n\n\n",
			rows:  [][]uint32{{1, 2}, {0}, {0}, {}},
			notes: []string{"undirected: each of 2 edges is stored as two arcs", "vertex ids start at 0 in memory: 1 to 4 in the file are 0 to 3"},
		},
		{
			name: "metis with edge weights", file: "a.graph",
			text: "3 2 1\n3 7 2 5\n1 5\n1 7\n",
			rows: [][]uint32{{1, 2}, {0}, {0}}, weight: []uint32{5, 7, 5, 7},
			notes: []string{"weights come from the file (edge weights)", "undirected: each of 2 edges is stored as two arcs",
				"vertex ids start at 0 in memory: 1 to 3 in the file are 0 to 2"},
		},
		{
			name: "metis with sizes, two vertex weights and edge weights", file: "a.graph",
			text: "2 1 111 2\n9 8 7 2 5\n9 8 7 1 5\n",
			rows: [][]uint32{{1}, {0}}, weight: []uint32{5, 5},
			notes: []string{"weights come from the file (edge weights)", "vertex weights and sizes are ignored (3 per vertex)",
				"undirected: each of 1 edge is stored as two arcs", "vertex ids start at 0 in memory: 1 to 2 in the file are 0 to 1"},
		},
		{
			name: "metis with vertex weights", file: "a.graph",
			text: "2 1 010\n9 2\n9 1\n",
			rows: [][]uint32{{1}, {0}},
			notes: []string{"vertex weights and sizes are ignored (1 per vertex)", "undirected: each of 1 edge is stored as two arcs",
				"vertex ids start at 0 in memory: 1 to 2 in the file are 0 to 1"},
		},
		{
			name: "metis with self loops listed once", file: "a.graph", opt: LoadOptions{KeepSelfLoops: true},
			text: "2 2\n1 2\n1\n",
			rows: [][]uint32{{0, 1}, {0}},
			notes: []string{"1 self loop kept", "undirected: each of 2 edges is stored as two arcs",
				"vertex ids start at 0 in memory: 1 to 2 in the file are 0 to 1"},
		},
		{
			name: "metis without vertices", file: "a.graph", text: "0 0\n", rows: [][]uint32{},
			notes: []string{"undirected: each of 0 edges is stored as two arcs"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g, notes := mustRead(t, test.file, test.text, test.opt)
			assert.Equal(t, test.rows, rows(g))
			assert.Equal(t, test.weight, g.Weight)
			assert.Equal(t, test.notes, texts(notes))
			assert.Equal(t, "a", g.Name)
		})
	}
}

// TestFormatIsTold checks that the content decides first, and the name decides what the
// content leaves open.
func TestFormatIsTold(t *testing.T) {
	const (
		mtx    = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"
		dimacs = "c x\np sp 2 1\na 1 2 3\n"
		snap   = "# x\n0 1\n"
		plain  = "2 1\n2\n1\n" // METIS; as an edge list its second line is wrong
		bare   = "0 1\n"
	)
	tests := []struct {
		name, file, text, format string
		arcs                     int
	}{
		{"matrix market named otherwise", "a.graph", mtx, "", 1},
		{"matrix market without a name", "-", mtx, "", 1},
		{"dimacs named otherwise", "a.mtx", dimacs, "", 1},
		{"edge list named otherwise", "a.graph", snap, "", 1},
		{"metis by name", "a.GRAPH", plain, "", 2},
		{"metis by packed name", "a.graph.gz", plain, "", 2},
		{"edge list by name", "a.el", bare, "", 1},
		{"edge list as asked", "a.graph", bare, "snap", 1},
		{"metis as asked", "a", plain, "metis", 2},
		{"byte order mark", "a", "\xef\xbb\xbf" + mtx, "", 1},
		{"comment that fits two, by name", "a.metis", "% x\n" + plain, "", 2},
		{"empty lines first", "a", "\n \n" + dimacs, "", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g, _ := mustRead(t, test.file, test.text, LoadOptions{Format: test.format})
			assert.Equal(t, test.arcs, g.Arcs())
		})
	}
}

// TestFileIDs checks that a vertex can be found by its id in the file, and the reverse.
func TestFileIDs(t *testing.T) {
	compacted, _ := mustRead(t, "a.txt", "30 7\n7 9\n", LoadOptions{})
	fromOne, _ := mustRead(t, "a.gr", "p sp 3 1\na 1 2 1\n", LoadOptions{})
	fromZero, _ := mustRead(t, "a.txt", "0 1\n1 2\n", LoadOptions{})
	for _, test := range []struct {
		g   *CSR
		ids []uint64
	}{
		{compacted, []uint64{7, 9, 30}},
		{fromOne, []uint64{1, 2, 3}},
		{fromZero, []uint64{0, 1, 2}},
	} {
		for v, id := range test.ids {
			assert.Equal(t, id, test.g.FileID(uint32(v)))
			got, ok := test.g.VertexOf(id)
			assert.True(t, ok)
			assert.EqualValues(t, v, got)
		}
		for _, id := range []uint64{8, 31, 4, 1 << 32, 1<<32 + 7, math.MaxUint64} {
			_, ok := test.g.VertexOf(id)
			assert.False(t, ok, "id %d", id)
		}
	}
	_, ok := fromOne.VertexOf(0)
	assert.False(t, ok)
}
