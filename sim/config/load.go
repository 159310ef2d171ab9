package config

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed presets
var embedded embed.FS

// folder is the embedded files, read once.
var folder = sync.OnceValue(func() presetFolder {
	sub, err := fs.Sub(embedded, "presets")
	if err != nil {
		panic(err) // the name above is one of the embedded
	}
	return readFolder(sub)
})

// presetFolder is a folder of presets, by name. A file that cannot be read has
// its error in it.
type presetFolder map[string]presetFile

type presetFile struct {
	file
	err error
}

// readFolder reads every file NAME.yaml of a folder.
func readFolder(from fs.FS) presetFolder {
	all := presetFolder{}
	names, err := fs.Glob(from, "*.yaml")
	if err != nil {
		panic(err) // the pattern is malformed
	}
	for _, name := range names {
		var p presetFile
		data, err := fs.ReadFile(from, name)
		if err == nil {
			err = yaml.UnmarshalWithOptions(data, &p.file, yaml.Strict())
		}
		p.err = err
		all[strings.TrimSuffix(name, ".yaml")] = p
	}
	return all
}

// machines are the presets that are machines, the newest first.
func (all presetFolder) machines() (names []string) {
	for name, p := range all {
		if !p.Family {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(all[b].Year, all[a].Year), cmp.Compare(a, b))
	})
	return names
}

// Presets are the names that Load takes: the files of the folder presets, but
// for those that others only stand over, the newest machine first.
func Presets() []string { return folder().machines() }

// Title is what the preset models; "" for an unknown name.
func Title(preset string) string {
	_, title, _ := folder().resolve(preset)
	return title
}

type entry struct {
	Value  any    `yaml:"value"`
	Unit   string `yaml:"unit"`
	Source string `yaml:"source"`
}

func (e entry) text() string {
	if f, ok := e.Value.(float64); ok {
		return number(f)
	}
	return fmt.Sprint(e.Value)
}

// file is a preset as it is written.
type file struct {
	Title  string           `yaml:"title"`
	Year   int              `yaml:"year"`   // in which the machine came out; 0 for none
	Family bool             `yaml:"family"` // no machine, but what several share
	Over   string           `yaml:"over"`
	Values map[string]entry `yaml:"values"`
}

// resolve reads a preset and those it stands over.
func (all presetFolder) resolve(name string) (vals map[string]entry, title string, err error) {
	vals = map[string]entry{}
	for at, steps := name, 0; at != ""; steps++ {
		f, ok := all[at]
		switch {
		case !ok:
			return nil, "", fmt.Errorf("preset %s: there is no file %s.yaml", name, at)
		case f.err != nil:
			return nil, "", fmt.Errorf("preset %s: %w", at, f.err)
		case steps == len(all):
			return nil, "", fmt.Errorf("preset %s: it stands over itself", name)
		}
		if title == "" {
			title = f.Title
		}
		for path, e := range f.Values {
			if _, over := vals[path]; !over {
				vals[path] = e
			}
		}
		at = f.Over
	}
	return vals, title, nil
}

// Load reads a preset, one of Presets. Each call gives a copy of its own.
func Load(preset string) (*GPU, error) {
	if g, ok := built.Load(preset); ok {
		c := *g.(*GPU)
		return &c, nil
	}
	g, err := folder().load(preset)
	if err == nil {
		c := *g
		built.Store(preset, &c)
	}
	return g, err
}

// built are the presets that were read and checked, by name.
var built sync.Map // of *GPU

func (all presetFolder) load(preset string) (*GPU, error) {
	if names := all.machines(); !slices.Contains(names, preset) {
		return nil, fmt.Errorf("unknown machine %q; there are %s", preset, strings.Join(names, ", "))
	}
	vals, title, err := all.resolve(preset)
	if err != nil {
		return nil, err
	}
	g := &GPU{Preset: preset, Title: title}
	for path, e := range vals {
		p, err := lookup(path)
		if err != nil {
			return nil, fmt.Errorf("preset %s: %w", preset, err)
		}
		if e.Unit != p.Unit || e.Source == "" {
			return nil, fmt.Errorf("preset %s: %s has unit %q and source %q, want unit %q and a source", preset, path, e.Unit, e.Source, p.Unit)
		}
		if err := g.Set(path, e.text()); err != nil {
			return nil, fmt.Errorf("preset %s: %w", preset, err)
		}
	}
	for _, p := range table() {
		if _, ok := vals[p.Path]; !ok {
			return nil, fmt.Errorf("preset %s: no value for %s", preset, p.Path)
		}
	}
	return g, g.Validate()
}

// Validate checks what the range of each parameter alone cannot: how they fit
// together.
func (g *GPU) Validate() error {
	var errs []string
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Sprintf(format, args...))
		}
	}
	power := func(v int) bool { return v > 0 && v&(v-1) == 0 }
	s, l1, l2, d := &g.SM, &g.L1, &g.L2, &g.DRAM
	for _, p := range table() {
		v, _ := g.Get(p.Path)
		c := *g
		if err := c.Set(p.Path, v); err != nil {
			errs = append(errs, err.Error())
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("machine %s: %s", g.Preset, strings.Join(errs, "; "))
	}
	check(s.Warps%s.SubCores == 0, "sm.warps (%d) is not a multiple of sm.subcores (%d)", s.Warps, s.SubCores)
	check(s.Warps/s.SubCores <= 64, "sm.warps (%d) over sm.subcores (%d) is more than 64", s.Warps, s.SubCores)
	check(s.Threads <= 32*s.Warps, "sm.threads (%d) is more than 32 for each of sm.warps (%d)", s.Threads, s.Warps)
	check(s.BlockThreads <= s.Threads, "sm.block_threads (%d) is more than sm.threads (%d)", s.BlockThreads, s.Threads)
	check(s.Registers%s.SubCores == 0, "sm.registers (%d) is not a multiple of sm.subcores (%d)", s.Registers, s.SubCores)
	check(s.SharedBlock+s.SharedReserve <= s.SharedBytes || s.SharedBytes == 0, "sm.shared_block (%d) and sm.shared_reserve (%d) are more than sm.shared_bytes (%d)", s.SharedBlock, s.SharedReserve, s.SharedBytes)
	check(!l1.Unified || l1.Bytes > s.SharedBytes, "l1.bytes (%d) is unified and not more than sm.shared_bytes (%d)", l1.Bytes, s.SharedBytes)
	check(l1.Bytes >= l1.Ways*LineBytes, "l1.bytes (%d) holds less than one set of l1.ways (%d) lines", l1.Bytes, l1.Ways)
	check(l2.Bytes >= l2.Slices*l2.Ways*LineBytes, "l2.bytes (%d) holds less than one set of l2.ways (%d) lines in each of l2.slices (%d)", l2.Bytes, l2.Ways, l2.Slices)
	check(power(l2.Interleave), "l2.interleave (%d) is not a power of two", l2.Interleave)
	check(power(g.Shared.Locks) || g.Shared.Locks == 0, "shared.locks (%d) is not a power of two", g.Shared.Locks)
	check(!g.Barrier.ByWarp || s.Divergence == "stack", "barrier.by_warp counts whole warps, which goes with sm.divergence stack only")
	check(l2.Partitions == 1 || l2.Slices%2 == 0, "l2.slices (%d) is not even, with l2.partitions 2", l2.Slices)
	check(power(l2.Page) && l2.Page >= l2.Interleave, "l2.page (%d) is not a power of two that holds l2.interleave (%d)", l2.Page, l2.Interleave)
	check(l2.Spread/2 < l2.Latency, "l2.spread (%d) is not less than twice l2.latency (%d)", l2.Spread, l2.Latency)
	check(l2.Far <= l2.Latency-l2.Spread/2+g.Xbar.Reply, "l2.far (%d) is more than l2.latency less half of l2.spread, and xbar.reply (%d)", l2.Far, l2.Latency-l2.Spread/2+g.Xbar.Reply)
	check(power(g.Shared.Banks), "shared.banks (%d) is not a power of two", g.Shared.Banks)
	check(power(d.RowBytes), "dram.row_bytes (%d) is not a power of two", d.RowBytes)
	check(power(d.Burst) && d.Burst <= LineBytes, "dram.burst (%d) is not 32, 64 or 128", d.Burst)
	check(power(s.RegisterUnit), "sm.register_unit (%d) is not a power of two", s.RegisterUnit)
	errs = append(errs, g.tooFast()...)
	if len(errs) > 0 {
		return fmt.Errorf("machine %s: %s", g.Preset, strings.Join(errs, "; "))
	}
	return nil
}

// LineBytes and SectorBytes are the sizes of a cache line and of its sectors,
// the same on every machine since Kepler.
const (
	LineBytes   = 128
	SectorBytes = 32
)
