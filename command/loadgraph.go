package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/memory"
	"github.com/weft-gpu/weft/internal/progressbar"
	"github.com/weft-gpu/weft/internal/usage"
)

// graphFlags say which graph, and how it is loaded.
type graphFlags struct {
	spec       string
	symmetrize bool
	format     string
	weights    string // "", or one of weightModes
}

// weightModes are what --weights takes.
var weightModes = map[string]graph.WeightMode{"file": graph.WeightsFile, "hash": graph.WeightsHash, "unit": graph.WeightsUnit}

// weightsHint says what to do with a file whose weights cannot be used.
const weightsHint = "--weights hash assigns weights from 1 to 64, --weights unit gives each arc the weight 1"

func (g *graphFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&g.symmetrize, "symmetrize", false, "add the opposite of every arc that lacks it")
	cmd.Flags().StringVar(&g.format, "format", "", "format of the file, when content and name do not tell: mtx, snap, dimacs, metis")
	cmd.Flags().StringVar(&g.weights, "weights", "", "file, hash or unit: whose weights arcs get (default file where a file has weights, else hash)")
}

// args are the flags that name the same graph again.
func (g *graphFlags) args() []string {
	list := []string{"--graph", g.spec}
	if g.symmetrize {
		list = append(list, "--symmetrize")
	}
	if g.format != "" {
		list = append(list, "--format", g.format)
	}
	if g.weights != "" {
		list = append(list, "--weights", g.weights)
	}
	return list
}

// check refuses a format or weights that there are not, before anything is read.
func (g *graphFlags) check() error {
	var names []string
	for _, f := range graph.Formats() {
		name, _, _ := strings.Cut(f, ":")
		names = append(names, name)
	}
	if g.format != "" && !slices.Contains(names, g.format) {
		return usage.Unknown("format", g.format, names, "")
	}
	if _, known := weightModes[g.weights]; g.weights != "" && !known {
		return usage.Unknown("--weights value", g.weights, slices.Sorted(maps.Keys(weightModes)), "")
	}
	return nil
}

// openGraph reads or generates a graph; tests of the command line put something
// quicker in its place.
var openGraph = graph.Open

// load reads or generates the graph, with a bar on a terminal.
func (a *app) load(ctx context.Context, f graphFlags) (*graph.CSR, graph.Notes, error) {
	p := progressbar.New(a.stderr, "reading "+f.spec)
	defer p.Finish()
	g, notes, err := openGraph(ctx, f.spec, graph.LoadOptions{
		Symmetrize: f.symmetrize,
		Weights:    weightModes[f.weights],
		Format:     f.format,
		Progress:   func(done, total int64) { p.Update(done, total, "") },
	})
	if err != nil {
		return nil, nil, graphError(f.spec, err)
	}
	return g, notes, nil
}

// graphHint says what a graph is.
const graphHint = "a graph is a file, a generator such as rmat:scale=16,degree=16,seed=1, or demo\n\"weft graph --help\" explains them"

// graphError tells a malformed specification, which is a mistake in the
// command line, from a file that cannot be read, which is not.
func graphError(spec string, err error) error {
	var file *graph.FileError
	var tooLarge *memory.Error
	kind, _, colon := strings.Cut(spec, ":")
	switch {
	case hasEnded(err):
		return err
	case !errors.As(err, &file) && errors.As(err, &tooLarge):
		return err // it may fit another machine
	case !errors.As(err, &file):
		return usage.Errorf(graphHint, "--graph: %v", err)
	case errors.Is(err, graph.ErrWeights):
		return usage.WithHint(fmt.Errorf("graph %w", err), weightsHint)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("graph %w", err)
	case colon && !strings.ContainsAny(kind, `/\`):
		return usage.Errorf(usage.Meant(kind, generatorNames())+graphHint, "--graph: there is no generator %q, and no file %s", kind, spec)
	}
	return usage.WithHint(fmt.Errorf("graph %w", file), usage.Meant(spec, neighbours(spec))+graphHint)
}

func generatorNames() (names []string) {
	for _, g := range graph.Generators() {
		name, _, _ := strings.Cut(g, ":")
		names = append(names, name)
	}
	return names
}

// neighbours are the names that a file's name may be a slip of: the demo graph,
// the generators, and the files of its folder.
func neighbours(file string) []string {
	names := []string{graph.DemoName}
	dir, _ := filepath.Split(file)
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		entries = nil // no folder, no neighbours
	}
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, dir+e.Name())
		}
	}
	return append(names, generatorNames()...)
}
