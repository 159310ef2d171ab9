package graph

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// generator makes a graph from the values of its keys.
type generator struct {
	name    string
	what    string
	example string
	keys    []key
	make    func(ctx context.Context, v values, b *builder) (plan, error)
}

// key is a parameter of a generator.
type key struct {
	name string
	// def is the default value. If it is empty, the key is required.
	def  string
	what string
	kind keyKind
	// min and max are the bounds of a number.
	min, max float64
}

type keyKind int

const (
	whole keyKind = iota
	real
	boolean
)

// values are the checked values of a specification.
type values struct {
	whole map[string]uint64
	real  map[string]float64
	yes   map[string]bool
}

var (
	seedKey   = key{"seed", "1", "seed of the random numbers", whole, 0, math.MaxInt64}
	maxN      = float64(MaxVertices)
	maxDegree = float64(1 << 20)
)

// generators are in the order in which they are documented.
var generators = []*generator{
	{"rmat", "recursive matrix (Graph500's Kronecker graph): a few vertices have very large degree", "rmat:scale=20,degree=16,seed=1", []key{
		{"scale", "", "2^scale vertices", whole, 0, 31},
		{"degree", "16", "arcs per vertex, before duplicates are merged; Graph500's edge factor 16 is degree=32", whole, 0, maxDegree},
		{"a", "0.57", "probability of the quadrant low-low", real, 0, 1},
		{"b", "0.19", "probability of the quadrant low-high", real, 0, 1},
		{"c", "0.19", "probability of the quadrant high-low; the rest is high-high", real, 0, 1},
		{"directed", "false", "store each edge as one arc only", boolean, 0, 0},
		{"shuffle", "true", "renumber vertices at random, so that numbers do not reveal degrees", boolean, 0, 0},
		seedKey,
	}, makeRMAT},
	{"uniform", "each vertex has arcs to the same number of distinct random vertices (directed)", "uniform:n=100000,degree=16,seed=1", []key{
		{"n", "", "vertices", whole, 0, maxN},
		{"degree", "16", "arcs that leave each vertex", whole, 0, maxDegree},
		seedKey,
	}, makeUniform},
	{"grid", "two-dimensional grid, like a road network: small degrees, very large diameter", "grid:width=512,keep=0.7,seed=1", []key{
		{"width", "", "vertices per row", whole, 1, maxN},
		{"height", "width", "rows", whole, 1, maxN},
		{"keep", "1", "probability that an edge between neighbors exists", real, 0, 1},
		seedKey,
	}, makeGrid},
	{"smallworld", "ring lattice with rewired edges (Watts and Strogatz): similar degrees, small diameter", "smallworld:n=100000,degree=8,rewire=0.1,seed=1", []key{
		{"n", "", "vertices", whole, 0, maxN},
		{"degree", "8", "neighbors of a vertex in the ring, an even number", whole, 0, maxDegree},
		{"rewire", "0.1", "probability that an edge is rewired to a random vertex", real, 0, 1},
		seedKey,
	}, makeSmallWorld},
}

// Generators describes the generators, one per line: an example of the specification that
// Open takes, the graph that it makes, and its keys.
func Generators() []string {
	var s []string
	for _, g := range generators {
		s = append(s, fmt.Sprintf("%s: %s; keys: %s", g.example, g.what, g.help()))
	}
	return s
}

func generatorHelp() string {
	var s []string
	for _, g := range generators {
		s = append(s, g.example)
	}
	return "generators: " + strings.Join(s, " ")
}

func generatorNamed(name string) *generator {
	for _, g := range generators {
		if g.name == name {
			return g
		}
	}
	return nil
}

// help lists the keys: "scale (2^scale vertices), degree=16 (...)".
func (g *generator) help() string {
	var s []string
	for _, k := range g.keys {
		name := k.name
		if k.def != "" {
			name += "=" + k.def
		}
		s = append(s, fmt.Sprintf("%s (%s)", name, k.what))
	}
	return strings.Join(s, ", ")
}

// parse parses "key=value,key=value".
func (g *generator) parse(args string) (values, error) {
	given := map[string]string{}
	for part := range strings.SplitSeq(args, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		known := slices.ContainsFunc(g.keys, func(k key) bool { return k.name == name })
		switch {
		case !ok:
			return values{}, fmt.Errorf("generator %s: expected key=value, found %q; keys: %s", g.name, part, g.help())
		case !known:
			return values{}, fmt.Errorf("generator %s: no key %q; keys: %s", g.name, name, g.help())
		}
		if _, twice := given[name]; twice {
			return values{}, fmt.Errorf("generator %s: key %s is given twice", g.name, name)
		}
		given[name] = value
	}
	v := values{map[string]uint64{}, map[string]float64{}, map[string]bool{}}
	for _, k := range g.keys {
		text, ok := given[k.name]
		if !ok {
			if k.def == "" {
				return values{}, fmt.Errorf("generator %s: key %s is missing; keys: %s", g.name, k.name, g.help())
			}
			if text, ok = given[k.def]; !ok { // the default is a constant, or the value of another key
				text = k.def
			}
		}
		if err := v.set(k, text); err != nil {
			return values{}, fmt.Errorf("generator %s: %w", g.name, err)
		}
	}
	return v, nil
}

// set checks and stores the value of a key.
func (v values) set(k key, text string) error {
	switch k.kind {
	case whole:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil || float64(n) < k.min || float64(n) > k.max {
			return fmt.Errorf("%s=%s: expected a whole number from %.0f to %.0f (%s)", k.name, shown(text), k.min, k.max, k.what)
		}
		v.whole[k.name] = n
	case real:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || !(f >= k.min && f <= k.max) {
			return fmt.Errorf("%s=%s: expected a number from %g to %g (%s)", k.name, shown(text), k.min, k.max, k.what)
		}
		v.real[k.name] = f
	case boolean:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%s=%s: expected true or false (%s)", k.name, shown(text), k.what)
		}
		v.yes[k.name] = b
	}
	return nil
}

// generate makes the graph of a specification.
func generate(ctx context.Context, gen *generator, spec, args string, opt LoadOptions) (*CSR, Notes, error) {
	v, err := gen.parse(args)
	if err != nil {
		return nil, nil, err
	}
	if opt, err = opt.checked(); err != nil {
		return nil, nil, err
	}
	b := &builder{keepLoops: opt.KeepSelfLoops}
	if opt.Weights == WeightsFile {
		return nil, nil, fmt.Errorf("generator %s makes no weights, but the weights of a file are requested", gen.name)
	}
	p, err := gen.make(ctx, v, b)
	if err != nil {
		return nil, nil, fmt.Errorf("generator %s: %w", gen.name, err)
	}
	var notes Notes
	edges, loops := b.edges()
	if !b.keepLoops {
		edges += loops
	}
	notes.add(NoteGenerated, edges, "generated: %s (%s)", spec, plural(edges, "edge", "edges"))
	g, err := b.build(ctx, p, opt, &notes)
	if err != nil {
		return nil, nil, fmt.Errorf("generator %s: %w", gen.name, err)
	}
	if p.undirected {
		notes.add(NoteUndirected, edges, "undirected: each edge is stored as two arcs")
	} else {
		notes.add(NoteDirected, edges, "directed: each edge is one arc")
	}
	if g, err = finish(ctx, g, opt, &notes); err != nil {
		return nil, nil, err
	}
	g.Name = opt.named(spec)
	return g, notes, nil
}

// room returns an error if memory does not suffice for the graph of a generator: the edges, one
// number per vertex, and the space to sort them.
func room(vertices uint64, edges float64, arcsPerEdge int) error {
	arcs := edges * float64(arcsPerEdge)
	need := memory.Sum(memory.Bytes[uint64](uint64(edges)), memory.Bytes[uint32](vertices), sortBytes(int(vertices), int(arcs), false))
	return memory.Need(need, "a graph of %d vertices and %.0f arcs", vertices, arcs)
}
