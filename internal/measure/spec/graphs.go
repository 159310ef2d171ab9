package spec

import (
	"slices"
	"strconv"

	"github.com/weft-gpu/weft/internal/base/yamlfile"
)

// Graph is a graph to which a specification gives a name: the setting graph of its points may have the name as its value.
type Graph struct {
	Name, Place string
	Settings    []Setting // graph, which is a file, a generator or demo, and how it is loaded
	// Vertices and Arcs are the sizes that the graph must have once it is loaded, so that it is the one that others
	// measured; 0 if any will do.
	Vertices, Arcs int
}

// Graph returns the graph of a name; nil if the specification has none.
func (s *Spec) Graph(name string) *Graph {
	i := slices.IndexFunc(s.Graphs, func(g Graph) bool { return g.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Graphs[i]
}

// graphKeys are the keys of a graph that are settings of points, too.
var graphKeys = []string{"graph", "symmetrize", "drop-isolated", "permute", "power", "format", "weights"}

// graphs reads the graphs that have names.
func (r *reader) graphs(p yamlfile.Pair) {
	pairs, _ := r.Mapping(p.Value, "graphs by name, such as road: {graph: road.gr.gz, symmetrize: true}")
	for _, named := range pairs {
		g := Graph{Name: named.Key, Place: named.At.String()}
		fields, ok := r.Mapping(named.Value, "a graph, such as {graph: road.gr.gz, symmetrize: true}")
		for _, f := range fields {
			value, scalar := r.Scalar(f)
			at := r.At(f.Value)
			switch {
			case !scalar:
			case slices.Contains(graphKeys, f.Key):
				r.checkSetting(f.Key, value, at)
				g.Settings = append(g.Settings, Setting{f.Key, value, at.String()})
			case f.Key == "vertices":
				g.Vertices = r.size(f, value)
			case f.Key == "arcs":
				g.Arcs = r.size(f, value)
			default:
				r.Add(f.At, "unknown key %s; a graph has graph, symmetrize, drop-isolated, permute, power, format, weights, vertices and arcs", yamlfile.Quoted(f.Key))
			}
		}
		if ok && !slices.ContainsFunc(g.Settings, func(s Setting) bool { return s.Name == "graph" }) {
			r.Add(named.At, "graphs: %s needs graph:, a file, a generator or demo", named.Key)
		}
		if r.spec.Graph(g.Name) != nil {
			r.Add(named.At, "graphs: two are called %s", g.Name)
		}
		r.spec.Graphs = append(r.spec.Graphs, g)
	}
}

// size reads the number of vertices or arcs that a graph must have.
func (r *reader) size(f yamlfile.Pair, value string) int {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		r.Add(r.At(f.Value), "%s: %s is not a number of at least 1", f.Key, yamlfile.Quoted(value))
	}
	return n
}
