package graphs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/laps"
	"github.com/weft-gpu/weft/internal/base/memory"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
)

// Named is a graph as the user named it, with the options for loading it.
type Named struct {
	Spec string // a file, a generator with its keys, or graph.DemoName
	Options
}

// Options are how a graph is loaded, as a user writes them: flags, settings of a sweep and keys of a study.
type Options struct {
	Symmetrize   bool   `yaml:"symmetrize"`    // add the missing opposite of every arc
	DropIsolated bool   `yaml:"drop-isolated"` // drop vertices without arcs
	Permute      uint64 `yaml:"permute"`       // seed of a random order of the vertices; 0 for that of the file
	Power        int    `yaml:"power"`         // most arcs of the paths for which arcs are added; 0 or 1 for none
	Format       string `yaml:"format"`        // format of the file; "" to detect it by content and name
	Weights      string `yaml:"weights"`       // "file", "hash" or "unit"; "" for those of the file, if it has weights
}

// weightModes maps the values of --weights.
var weightModes = map[string]graph.WeightMode{"file": graph.WeightsFile, "hash": graph.WeightsHash, "unit": graph.WeightsUnit}

// Facts describes a graph, with the notes of its loader.
type Facts struct {
	graph.Facts
	Notes graph.Notes `json:"notes"`
	// LeftOut says what was not computed, and how to get it.
	LeftOut string `json:"left_out,omitempty"`
}

// searchedMillion is the largest number of arcs, in millions, of a graph whose components FactsOf
// counts.
const searchedMillion = 20

// FactsOf describes a graph that a program was run on. Of a large one it leaves out the
// components and the diameter, since finding these may take longer than the run.
func FactsOf(ctx context.Context, g *graph.CSR, notes graph.Notes) (Facts, error) {
	return factsOf(ctx, g, notes, searchedMillion)
}

func factsOf(ctx context.Context, g *graph.CSR, notes graph.Notes, million int) (Facts, error) {
	if g.Arcs() <= million*1e6 {
		known, err := g.Facts(ctx)
		return Facts{Facts: known, Notes: notes}, err
	}
	known, err := g.LocalFacts(ctx)
	left := fmt.Sprintf("components and diameter: the graph has more than %d million arcs; \"weft graph\" finds them", million)
	return Facts{known, notes, left}, err
}

// WeightsHint says what to do about a file whose weights cannot be used.
var WeightsHint = usage.Say("%s assigns weights from 1 to 64, %s gives each arc the weight 1", option.Weights.With("hash"), option.Weights.With("unit"))

// Args returns the flags that name the same graph.
func (g *Named) Args() []string {
	list := []string{option.Graph.String(), g.Spec}
	if g.Symmetrize {
		list = append(list, option.Symmetrize.String())
	}
	if g.DropIsolated {
		list = append(list, option.DropIsolated.String())
	}
	if g.Permute != 0 {
		list = append(list, option.Permute.String(), strconv.FormatUint(g.Permute, 10))
	}
	if g.Power > 1 {
		list = append(list, option.Power.String(), strconv.Itoa(g.Power))
	}
	if g.Format != "" {
		list = append(list, option.GraphFormat.String(), g.Format)
	}
	if g.Weights != "" {
		list = append(list, option.Weights.String(), g.Weights)
	}
	return list
}

// Check rejects unknown formats and weight modes, and weights beside powers, before anything is read.
func (g *Named) Check() error {
	var names []string
	for _, f := range graph.Formats() {
		name, _, _ := strings.Cut(f, ":")
		names = append(names, name)
	}
	if g.Format != "" && !slices.Contains(names, g.Format) {
		return usage.Unknown("format", g.Format, names, "")
	}
	if _, known := weightModes[g.Weights]; g.Weights != "" && !known {
		return usage.Unknown(usage.Say("%s value", option.Weights), g.Weights, slices.Sorted(maps.Keys(weightModes)), "")
	}
	if g.Power > 1 && g.Weights != "" {
		return usage.Errorf("leave one of them out", "%s and %s exclude each other: the weight of an arc of a power is a number of arcs", option.Power, option.Weights)
	}
	return nil
}

// Open reads or generates a graph. Tests of the command line replace it by
// something faster.
var Open = graph.Open

// Load reads or generates the graph, with a progress bar if stderr is a
// terminal.
func (f Named) Load(ctx context.Context, stderr io.Writer) (*graph.CSR, graph.Notes, error) {
	p := progressbar.New(stderr, "reading "+f.Spec)
	defer p.Finish()
	defer laps.Start(ctx, "reading")()
	g, notes, err := Open(ctx, f.Spec, graph.LoadOptions{
		Symmetrize:   f.Symmetrize,
		DropIsolated: f.DropIsolated,
		Permute:      f.Permute,
		Power:        f.Power,
		Weights:      weightModes[f.Weights],
		Format:       f.Format,
		Progress:     func(done, total int64) { p.Update(done, total, "") },
		Multiplied:   func(done, total int64) { p.Update(done, total, "rows of products") },
	})
	if err != nil {
		return nil, nil, graphError(f.Spec, err)
	}
	return g, notes, nil
}

// graphHint says how to name a graph.
const graphHint = "a graph is a file, a generator such as rmat:scale=16,degree=16,seed=1, or demo\n\"weft graph --help\" explains them"

// graphError distinguishes a malformed specification, which is a usage error,
// from a file that cannot be read, which is not.
func graphError(spec string, err error) error {
	var file *graph.FileError
	var tooLarge *memory.Error
	kind, _, colon := strings.Cut(spec, ":")
	switch {
	case signals.Ended(err):
		return err
	case !errors.As(err, &file) && errors.As(err, &tooLarge):
		return err // it may fit another machine
	case !errors.As(err, &file):
		return usage.Errorf(graphHint, "%s: %v", option.Graph, err)
	case errors.Is(err, graph.ErrWeights):
		return usage.WithHint(fmt.Errorf("graph %w", err), WeightsHint)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("graph %w", err)
	case colon && !strings.ContainsAny(kind, `/\`):
		return usage.Errorf(usage.Meant(kind, GeneratorNames())+graphHint, "%s: there is no generator %q, and no file %s", option.Graph, kind, spec)
	}
	return usage.WithHint(fmt.Errorf("graph %w", file), usage.Meant(spec, neighbours(spec))+graphHint)
}

// GeneratorNames returns what stands before the colon of each generator.
func GeneratorNames() (names []string) {
	for _, g := range graph.Generators() {
		name, _, _ := strings.Cut(g, ":")
		names = append(names, name)
	}
	return names
}

// neighbours returns the names that could have been meant by a file name: the
// demo graph, the generators, and the files in the same folder.
func neighbours(file string) []string {
	names := []string{graph.DemoName}
	dir, _ := filepath.Split(file)
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		entries = nil // no folder, so no neighbours
	}
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, dir+e.Name())
		}
	}
	return append(names, GeneratorNames()...)
}

// Files lists the graph files of a folder.
func Files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if info, e := os.Stat(dir); e == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: %s is a file; name the folder that it is in", option.GraphFolder, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read %s: %w", option.GraphFolder, dir, Cause(err))
	}
	var files []string
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
			continue // a folder, or a pipe that could block
		}
		switch filepath.Ext(strings.TrimSuffix(e.Name(), ".gz")) {
		case ".mtx", ".txt", ".gr", ".graph":
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no graph files in %s: none ends with .mtx, .txt, .gr or .graph, or one of these and .gz", option.GraphFolder, dir)
	}
	return files, nil
}

// Cause returns the reason for a failed file operation, without operation and
// path.
func Cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
