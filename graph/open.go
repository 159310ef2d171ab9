package graph

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Open returns the graph that spec names: the specification of a generator, such as
// "rmat:scale=20,degree=16,seed=1" (see [Generators]), "demo" for the built-in graph, or
// the path of a file (see [Formats]). If the path of a file looks like a specification,
// write it with a slash, such as ./demo.
//
// Errors in a file have type [*FileError]. When ctx is done, Open returns ctx's error.
func Open(ctx context.Context, spec string, opt LoadOptions) (*CSR, Notes, error) {
	g, notes, err := load(ctx, spec, opt)
	if file, _ := IsFile(spec); err == nil && (!file || regular(spec)) {
		opt.Progress, opt.Multiplied = nil, nil
		g.from = &origin{spec, opt}
	}
	return g, notes, err
}

// regular reports whether a file can be read twice, which a pipe cannot.
func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// load is Open without a way to read the graph again.
func load(ctx context.Context, spec string, opt LoadOptions) (*CSR, Notes, error) {
	if spec == "" {
		return nil, nil, errors.New("no graph given: name a file, a generator or \"demo\"; " + generatorHelp())
	}
	if spec == DemoName {
		return Demo(ctx, opt)
	}
	kind, args, colon := strings.Cut(spec, ":")
	if gen := generatorNamed(kind); gen != nil {
		if !colon {
			return nil, nil, fmt.Errorf("generator %s needs values, such as %s", kind, gen.example)
		}
		return generate(ctx, gen, spec, args, opt)
	}
	g, notes, err := readFile(ctx, spec, opt)
	if err != nil && errors.Is(err, fs.ErrNotExist) {
		if colon && !strings.ContainsAny(kind, `/\`) {
			return nil, nil, fmt.Errorf("%w, and no generator %q; %s", err, kind, generatorHelp())
		}
		return nil, nil, fmt.Errorf("%w; a graph is a file, a generator or \"demo\"; %s", err, generatorHelp())
	}
	return g, notes, err
}

// IsFile reports whether spec names a file, and not a generator or the demo. It returns an error
// for a generator with wrong keys, and for a file that cannot be found.
func IsFile(spec string) (bool, error) {
	if spec == DemoName {
		return false, nil
	}
	kind, args, colon := strings.Cut(spec, ":")
	if gen := generatorNamed(kind); gen != nil {
		if !colon {
			return false, fmt.Errorf("generator %s needs values, such as %s", kind, gen.example)
		}
		_, err := gen.parse(args)
		return false, err
	}
	_, err := os.Stat(spec)
	return true, err
}

// finish completes a graph in the way that is common to all readers and generators: it
// makes the graph symmetric, drops isolated vertices, assigns weights, adds arcs for paths and
// permutes the vertices, according to the options.
func finish(ctx context.Context, g *CSR, opt LoadOptions, notes *Notes) (_ *CSR, err error) {
	if opt.listing != nil {
		opt.listing.of = g
	}
	if opt.Symmetrize && !g.Symmetric {
		before := g.Arcs()
		if g, err = g.Symmetrize(ctx); err != nil {
			return nil, err
		}
		added := uint64(g.Arcs() - before)
		notes.add(NoteSymmetrized, added, "made symmetric: %s added", plural(added, "opposite arc", "opposite arcs"))
	}
	if opt.DropIsolated {
		var dropped uint64
		if g, dropped, err = g.withoutIsolated(ctx); err != nil {
			return nil, err
		}
		notes.add(NoteIsolated, dropped, "%s dropped, %d left", plural(dropped, "isolated vertex", "isolated vertices"), g.Vertices())
	}
	switch {
	case opt.Weights == WeightsUnit:
		if g, err = g.withUnitWeights(ctx); err != nil {
			return nil, err
		}
		notes.add(NoteWeightsUnit, uint64(g.Arcs()), "every arc has weight 1, as requested")
	case opt.Weights == WeightsHash || opt.Weights == WeightsAlways && g.Weight == nil:
		if g, _, err = g.WithWeights(ctx); err != nil {
			return nil, err
		}
		notes.add(NoteWeightsHash, uint64(g.Arcs()), "weights are assigned: %s", HashRule)
	}
	if opt.Power > 1 {
		before := g.Arcs()
		if g, err = g.raised(ctx, opt.Power, opt.Multiplied); err != nil {
			return nil, err
		}
		added := uint64(g.Arcs() - before)
		notes.add(NotePower, added, "%s added for paths of up to %d arcs; the weight of an arc is the number of arcs of its path", plural(added, "arc", "arcs"), opt.Power)
	}
	if opt.Permute != 0 {
		if g, err = g.Shuffled(ctx, opt.Permute); err != nil {
			return nil, err
		}
		notes.add(NotePermuted, uint64(g.Vertices()), "vertices are in random order in memory (seed %d)", opt.Permute)
	}
	return g, ctx.Err()
}

// noteDirection adds the note that says how the edges of a file were stored as arcs.
func noteDirection(notes *Notes, g *CSR, undirected bool, edges uint64) {
	switch {
	case undirected:
		notes.add(NoteUndirected, edges, "undirected: each of %s is stored as two arcs", plural(edges, "edge", "edges"))
	case g.Symmetric:
		notes.add(NoteDirected, edges, "arcs are kept as in the file; each has its opposite, so the graph is symmetric")
	default:
		notes.add(NoteDirected, edges, "directed: arcs are kept as in the file")
	}
}
