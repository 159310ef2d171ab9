package graph

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// corpusGraph is what is known about a real graph from other sources: other programs
// counted it, not this package.
type corpusGraph struct {
	file       string
	vertices   int
	edges      uint64 // in the file
	undirected int    // distinct edges, ignoring directions, without self loops
	directed   bool   // the file lists arcs
	weighted   bool
	maxDegree  uint32 // after making the graph symmetric
	maxOut     uint32 // as stored; 0 if not known
	maxIn      uint32
	components uint64 // weakly connected, with at least one edge
	diameter   uint32 // lower bound
	loops      uint64
}

// corpus lists the graphs that come with the project or are in $WEFT_GRAPHS.
var corpus = []corpusGraph{
	{file: "karate.mtx.gz", vertices: 34, edges: 78, undirected: 78, maxDegree: 17, components: 1, diameter: 5},
	{file: "chesapeake.mtx.gz", vertices: 39, edges: 170, undirected: 170, maxDegree: 33, components: 1, diameter: 3},
	{file: "as-caida20071105.mtx.gz", vertices: 26475, edges: 53381, undirected: 53381, maxDegree: 2628, components: 1, diameter: 17},
	{file: "wiki-Vote.txt.gz", vertices: 7115, edges: 103689, undirected: 100762, directed: true, maxDegree: 1065, maxOut: 893, maxIn: 457, components: 24, diameter: 7},
	{file: "luxembourg_osm.mtx.gz", vertices: 114599, edges: 119666, undirected: 119666, maxDegree: 6, components: 1, diameter: 1337},
	{file: "p2p-Gnutella31.txt.gz", vertices: 62586, edges: 147892, undirected: 147892, directed: true, maxDegree: 95, maxOut: 78, maxIn: 68, components: 12, diameter: 11},
	{file: "rgg_n_2_15_s0.graph.gz", vertices: 32768, edges: 160240, undirected: 160240, maxDegree: 24, components: 4, diameter: 191},
	{file: "email-Enron.mtx.gz", vertices: 36692, edges: 183831, undirected: 183831, maxDegree: 1383, components: 1065, diameter: 13},
	{file: "delaunay_n16.mtx.gz", vertices: 65536, edges: 196575, undirected: 196575, maxDegree: 17, components: 1, diameter: 117},
	{file: "ca-AstroPh.mtx.gz", vertices: 17903, edges: 197031, undirected: 196972, maxDegree: 504, components: 1, diameter: 14, loops: 59},
	{file: "cit-HepPh.mtx.gz", vertices: 34546, edges: 421578, undirected: 420877, directed: true, maxDegree: 846, maxOut: 411, maxIn: 846, components: 61, diameter: 14, loops: 44},
	{file: "USA-road-d.NY.gr.gz", vertices: 264346, edges: 730100, undirected: 365050, directed: true, weighted: true, maxDegree: 8, components: 1, diameter: 720},
	{file: "soc-Slashdot0902.txt.gz", vertices: 82168, edges: 948464, undirected: 504230, directed: true, maxDegree: 2552, maxOut: 2510, maxIn: 2552, components: 1, diameter: 13, loops: 78303},
	{file: "coAuthorsDBLP.mtx.gz", vertices: 299067, edges: 977676, undirected: 977676, maxDegree: 336, components: 1, diameter: 24},
	{file: "wave.graph.gz", vertices: 156317, edges: 1059331, undirected: 1059331, maxDegree: 44, components: 1, diameter: 56},
	{file: "ego-twitter.mtx.gz", vertices: 81306, edges: 1342310, undirected: 1342296, maxDegree: 3383, components: 1, diameter: 7, loops: 14},
	{file: "web-NotreDame.txt.gz", vertices: 325729, edges: 1497134, undirected: 1090108, directed: true, maxDegree: 10721, maxOut: 3444, maxIn: 10721, components: 1, diameter: 46, loops: 27455},
	{file: "cnr-2000.mtx.gz", vertices: 325557, edges: 3216152, undirected: 2738969, directed: true, maxDegree: 18236, maxOut: 2715, maxIn: 18234, components: 1, diameter: 34, loops: 87442},
}

// corpusPath returns the path of a graph of the corpus; ok is false if it is neither part
// of the project nor in $WEFT_GRAPHS.
func corpusPath(file string) (path string, ok bool) {
	for _, dir := range []string{"testdata", os.Getenv("WEFT_GRAPHS")} {
		if dir == "" {
			continue
		}
		path = filepath.Join(dir, file)
		if _, err := os.Stat(path); err == nil {
			return path, true
		}
	}
	return "", false
}

// TestCorpus compares each available real graph with what is known about it.
func TestCorpus(t *testing.T) {
	found := 0
	for _, want := range corpus {
		path, ok := corpusPath(want.file)
		if !ok {
			continue
		}
		found++
		t.Run(want.file, func(t *testing.T) {
			g, notes, err := Open(context.Background(), path, LoadOptions{})
			require.NoError(t, err)
			require.NoError(t, g.Validate())
			f := facts(t, g)
			assert.Equal(t, want.vertices, g.Vertices())
			assert.Equal(t, want.weighted, g.Weight != nil)
			assert.Equal(t, want.loops, notes.Count(NoteSelfLoops))
			assert.Zero(t, notes.Count(NoteDuplicates))
			assert.Zero(t, f.SelfLoops)
			_, mismatch := notes.Find(NoteHeaderMismatch)
			assert.False(t, mismatch)
			if want.directed {
				assert.Equal(t, want.edges, notes.Count(NoteDirected))
				assert.EqualValues(t, want.edges-want.loops, g.Arcs())
			} else {
				assert.Equal(t, want.edges, notes.Count(NoteUndirected))
				assert.EqualValues(t, 2*(want.edges-want.loops), g.Arcs())
			}
			if want.maxOut > 0 {
				assert.Equal(t, want.maxOut, f.MaxDegree)
				assert.Equal(t, want.maxIn, f.MaxInDegree)
			}

			s := symmetrized(t, g)
			require.NoError(t, s.Validate())
			f = facts(t, s)
			assert.Equal(t, 2*want.undirected, s.Arcs())
			assert.Equal(t, want.maxDegree, f.MaxDegree)
			assert.Equal(t, want.components, f.EdgeComponents)
			assert.GreaterOrEqual(t, f.Diameter, want.diameter)
			if want.weighted {
				assert.EqualValues(t, 1, f.MinWeight)
				assert.EqualValues(t, 36946, f.MaxWeight)
			}
		})
	}
	assert.GreaterOrEqual(t, found, 6, "the graphs of testdata")
}
