package config

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/internal/base/infile"
	"github.com/weft-gpu/weft/internal/base/yamlfile"
)

//go:embed presets links
var embedded embed.FS

// folder returns the embedded presets; they are read once.
var folder = sync.OnceValue(func() presetFolder {
	sub, err := fs.Sub(embedded, "presets")
	if err != nil {
		panic(err) // the name above is one of the embedded folders
	}
	return readFolder(sub)
})

// presetFolder is a folder of presets, by name. The layer of a file that cannot be read contains the error.
type presetFolder map[string]*layer

// readFolder reads every file NAME.yaml of a folder.
func readFolder(from fs.FS) presetFolder {
	all := presetFolder{}
	names, err := fs.Glob(from, "*.yaml")
	if err != nil {
		panic(err) // the pattern is malformed
	}
	for _, file := range names {
		name, at := strings.TrimSuffix(file, ".yaml"), path.Join("presets", file)
		data, err := fs.ReadFile(from, file)
		if err != nil {
			all[name] = &layer{name: name, preset: true, err: Errors{{Place{File: at}, err.Error()}}}
			continue
		}
		all[name] = readLayer(name, at, true, data)
	}
	return all
}

// machines returns the presets that are machines, the newest first.
func (all presetFolder) machines() (names []string) {
	for name, p := range all {
		if !p.family {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(all[b].year, all[a].year), cmp.Compare(a, b))
	})
	return names
}

// Presets returns the names that Load accepts besides files: the files of the folder presets, except those that are
// only a base of others, the newest machine first.
func Presets() []string { return folder().machines() }

// Title returns what the preset models, or "" for an unknown name.
func Title(preset string) string {
	g, err := Load(preset)
	if err != nil {
		return ""
	}
	return g.Title
}

// Load reads a machine: a preset by name ("h200"; see Presets), or a user's file (IsFile distinguishes them). Each
// call returns a new copy. All mistakes in a file are reported together, as Errors.
//
// A file names another machine as its base, a preset or a file, and lists the parameters that differ; each value may
// have a unit:
//
//	title: an H200 with half its SMs and twice the bandwidth
//	base: h200
//	values:
//	  sm.count: 66
//	  dram.bandwidth: 9.6 TB/s
func Load(name string) (*GPU, error) {
	if IsFile(name) {
		return folder().loadFile(name)
	}
	if g, ok := built.Load(name); ok {
		c := *g.(*GPU)
		return &c, nil
	}
	g, err := folder().load(name)
	if err == nil {
		c := *g
		built.Store(name, &c)
	}
	return g, err
}

// built are the presets that have been read and checked, by name.
var built sync.Map // of *GPU

// IsFile reports whether Load interprets a name as a file: names that contain a slash, and names that end in .yaml or
// .yml.
func IsFile(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml":
		return true
	}
	return strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator)
}

func (all presetFolder) load(preset string) (*GPU, error) {
	if names := all.machines(); !slices.Contains(names, preset) {
		return nil, fmt.Errorf("unknown machine %q; there are %s", preset, strings.Join(names, ", "))
	}
	return all.build(all[preset])
}

func (all presetFolder) loadFile(file string) (*GPU, error) {
	l, err := readFile(file)
	if err != nil {
		return nil, fmt.Errorf("machine %s: %w", file, err)
	}
	return all.build(l)
}

// maxBytes is the maximum length of a machine's file; a file with every parameter has 25 kB. The YAML parser takes
// seconds for texts that are a few times longer.
const maxBytes = 64 << 10

// readFile reads a user's file. The error does not contain the file name.
func readFile(file string) (*layer, error) {
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &infile.KindError{Kind: "no regular file"}
	}
	text, err := infile.ReadAll(context.Background(), file, maxBytes)
	if err != nil {
		return nil, err
	}
	return readLayer(file, file, false, text), nil
}

// chain returns a layer followed by its base, the base of that, and so on.
func (all presetFolder) chain(l *layer) (list []*layer, err error) {
	var names []string
	for {
		next, what := all.baseOf(l)
		if l.err != nil {
			var all Errors
			if what != "" && errors.As(l.err, &all) {
				return nil, append(slices.Clone(all), FileError{l.baseAt, what}).sorted()
			}
			return nil, l.err
		}
		list, names = append(list, l), append(names, l.name)
		switch {
		case what != "":
			return nil, Errors{{l.baseAt, what}}
		case next == nil:
			return list, nil
		case slices.ContainsFunc(list, next.same):
			return nil, Errors{{l.baseAt, fmt.Sprintf("base: %s is its own base: %s", yamlfile.Quoted(l.base), strings.Join(append(names, next.name), ", "))}}
		}
		l = next
	}
}

// baseOf returns the base of a layer, nil if it has none, or what is wrong with it.
func (all presetFolder) baseOf(l *layer) (base *layer, wrong string) {
	if l.base == "" {
		return nil, ""
	}
	if !l.preset && IsFile(l.base) {
		file := l.base
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(l.name), file)
		}
		base, err := readFile(file)
		if err != nil {
			return nil, fmt.Sprintf("base: %s: %v", yamlfile.Quoted(file), err)
		}
		return base, ""
	}
	if base = all[l.base]; base == nil {
		hint := "there are " + strings.Join(all.names(), ", ")
		if !l.preset {
			hint += ", and files (./my.yaml)"
		}
		return nil, fmt.Sprintf("base: unknown machine %s; %s", yamlfile.Quoted(l.base), hint)
	}
	return base, ""
}

// names returns all presets, including those that are not machines.
func (all presetFolder) names() (names []string) {
	names = all.machines()
	var families []string
	for name, p := range all {
		if p.family {
			families = append(families, name)
		}
	}
	slices.Sort(families)
	return append(names, families...)
}

// same reports whether two layers are the same file.
func (l *layer) same(other *layer) bool {
	if l.preset || other.preset {
		return l.preset == other.preset && l.name == other.name
	}
	a, err := os.Stat(l.name)
	if err != nil {
		return l.name == other.name
	}
	b, err := os.Stat(other.name)
	return err == nil && os.SameFile(a, b)
}

// build makes a machine from a layer and its bases.
func (all presetFolder) build(top *layer) (*GPU, error) {
	layers, err := all.chain(top)
	if err != nil {
		return nil, err
	}
	whole := Place{File: layers[0].file()}
	if top.family {
		return nil, Errors{{whole, "family: true marks values that several machines share, not a machine; use it as the base of another file"}}
	}
	g := &GPU{Name: top.name, origins: map[string]origin{}}
	for _, l := range withLinks(layers) {
		if !l.preset {
			g.files = append(g.files, l.name)
		}
		switch {
		case g.Title != "" || l.title == "":
		case l == top:
			g.Title = l.title
		default:
			g.Title = "based on " + l.title
		}
		for path, e := range l.values {
			if _, over := g.origins[path]; over {
				continue
			}
			o := origin{text: e.text, source: e.source, fitted: e.fitted, differs: e.differs, from: l.name}
			if !l.preset {
				o.at = e.at
			}
			g.origins[path] = o
			if err := g.assign(path, e.text); err != nil {
				return nil, Errors{{e.at, err.Error()}}
			}
		}
	}
	var missing []string
	for _, p := range table() {
		if _, ok := g.origins[p.Path]; !ok {
			missing = append(missing, p.Path)
		}
	}
	if n := len(missing); n > 0 {
		const few = 3
		text := strings.Join(missing[:min(n, few)], ", ")
		if n > few {
			text += fmt.Sprintf(" and %d more", n-few)
		}
		return nil, Errors{{whole, "no value for " + text + "; name a base, such as base: h200"}}
	}
	return g, g.Validate()
}

// file returns the name of the layer's file for messages.
func (l *layer) file() string {
	if l.preset {
		return path.Join("presets", l.name+".yaml")
	}
	return l.name
}

// LineBytes and SectorBytes are the sizes of a cache line and of its sectors, which are the same on every machine
// since Kepler.
const (
	LineBytes   = 128
	SectorBytes = 32
)
