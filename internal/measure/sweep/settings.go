package sweep

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/launch"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/sim/config"
)

// settings are what a point says.
type settings struct {
	algorithm, scheduler string
	graph                graphs.Named
	named                *spec.Graph // the graph's entry in the specification; nil if it has none
	source               run.Source
	device               string
	options              devices.Options
	params               map[string]string
	verify               bool
	cpu                  bool            // measure the times of this machine's processor, too
	trace                int             // samples over time that are kept with the run; 0 for none
	kernel               *kernelSettings // of a launch; nil for a run of an algorithm
}

// kernelSettings are what a point that launches a kernel says.
type kernelSettings struct {
	name              string
	grid, block       string
	shared, registers uint64
	launches          uint64
	cluster           uint64 // blocks of one, 0 for none
	cooperative       bool
	args, bind        []launch.Assignment
	compareWith       string  // the device whose buffers must be the same, "" for none
	tolerance         float64 // for floats in that comparison

	sharedOf string // the expression of arguments that shared is the value of, "" if a number was written
}

// setter takes over the value of a setting.
type setter struct {
	name, meaning string
	set           func(s *settings, value string) error
}

// setters are the settings that are not parameters.
var setters = []setter{
	{"algorithm", "one of \"weft list algorithms\", or ./dir.Type", func(s *settings, v string) error { s.algorithm = v; return nil }},
	{option.Scheduler.Key, "one of \"weft list schedulers\", or auto", func(s *settings, v string) error { s.scheduler = v; return nil }},
	{option.Graph.Key, "file, generator or demo", func(s *settings, v string) error { s.graph.Spec = v; return nil }},
	{option.Symmetrize.Key, "true: add the missing opposite of every arc", toBool(func(s *settings) *bool { return &s.graph.Symmetrize })},
	{option.DropIsolated.Key, "true: drop vertices without arcs", toBool(func(s *settings) *bool { return &s.graph.DropIsolated })},
	{option.Permute.Key, "seed of a random order of the vertices", toUint(func(s *settings) *uint64 { return &s.graph.Permute })},
	{option.Power.Key, "most arcs of paths for which arcs are added", func(s *settings, v string) (err error) {
		if s.graph.Power, err = strconv.Atoi(v); err != nil || !option.Power.Limits.Has(s.graph.Power) {
			return fmt.Errorf("%q is not a whole number %s", v, option.Power.Limits)
		}
		return s.graph.Check()
	}},
	{option.GraphFormat.Key, "format of the graph's file", func(s *settings, v string) error { s.graph.Format = v; return s.graph.Check() }},
	{option.Weights.Key, "file, hash or unit", func(s *settings, v string) error { s.graph.Weights = v; return s.graph.Check() }},
	{option.Source.Key, "start vertex, or max-degree", func(s *settings, v string) (err error) { s.source, err = run.ParseSource(v); return err }},
	{option.Device.Key, "one of \"weft list devices\"", func(s *settings, v string) error { s.device = v; return nil }},
	{option.GPUs.Key, "GPUs of a group", func(s *settings, v string) (err error) {
		if s.options.GPUs, err = strconv.Atoi(v); err != nil || !option.GPUs.Limits.Has(s.options.GPUs) {
			return fmt.Errorf("%q is not a whole number %s", v, option.GPUs.Limits)
		}
		return nil
	}},
	{option.Seed.Key, "of policies, jitter and random arguments", toUint(func(s *settings) *uint64 { return &s.options.Seed })},
	{option.Budget.Key, "limit of simulated cycles", toUint(func(s *settings) *uint64 { return &s.options.Budget })},
	{option.Sample.Key, "error of the time of kernels for which only a part of the launches and blocks is simulated, such as 2%", func(s *settings, v string) (err error) {
		s.options.Sample, err = devices.ParseSample(v)
		return err
	}},
	{option.NoVerify.Key, "false: do not compare the answer with the CPU's", toBool(func(s *settings) *bool { return &s.verify })},
	{option.CPU.Key, "true: measure how long this machine's processor takes for the same problem", toBool(func(s *settings) *bool { return &s.cpu })},
	{option.Trace.Key, "keep what happens over time, in at most so many samples, such as 500", setTrace},
	{"kernel", "a kernel to launch, instead of an algorithm: ./dir.Kernel, or one of \"weft list kernels\"", func(s *settings, v string) error { s.launch().name = v; return nil }},
	{option.Grid.Key, "of the kernel: blocks, such as 64 or 64x32", toExtents(func(s *settings) *string { return &s.launch().grid })},
	{option.Block.Key, "of the kernel: threads per block, such as 256 or 16x16", toExtents(func(s *settings) *string { return &s.launch().block })},
	{option.Shared.Key, "of the kernel: bytes of dynamic shared memory per block, or an expression of its arguments, such as 4*len(bins)", setShared},
	{option.Registers.Key, "of the kernel: registers per thread, for occupancy", toUint(func(s *settings) *uint64 { return &s.launch().registers })},
	{option.Repeat.Key, "of the kernel: launches one after the other on the same buffers", toUint(func(s *settings) *uint64 { return &s.launch().launches })},
	{option.Cluster.Key, "of the kernel: blocks of a cluster along x", toUint(func(s *settings) *uint64 { return &s.launch().cluster })},
	{option.Cooperative.Key, "of the kernel: true: all blocks must be resident", toBool(func(s *settings) *bool { return &s.launch().cooperative })},
	{option.CompareWith.Key, "of the kernel: a device that launches it as well; a point whose buffers differ is wrong; such as func", func(s *settings, v string) error { s.launch().compareWith = v; return nil }},
	{option.Tolerance.Key, "of the kernel: for floats in compare-with: with 1e-5, 1.00001 equals 1", setTolerance},
}

// percent writes a bound as users do.
func percent(bound float64) string { return strconv.FormatFloat(bound*100, 'g', 6, 64) + "%" }

// launch returns the settings of the kernel, which it makes if there are none.
func (s *settings) launch() *kernelSettings {
	if s.kernel == nil {
		s.kernel = &kernelSettings{launches: 1}
	}
	return s.kernel
}

// setShared takes a number or an expression, whose value planner.launched computes.
func setShared(s *settings, v string) error {
	k := s.launch()
	var err error
	if k.shared, err = strconv.ParseUint(v, 10, 64); err == nil {
		return nil
	}
	k.sharedOf = v
	if err := launch.CheckInteger(v); err != nil {
		return fmt.Errorf("%q is neither a number of bytes nor an expression of arguments, such as 4*len(bins): %w", v, err)
	}
	return nil
}

// compareWith is the setting of the device with which a launch is compared.
const compareWith = "compare-with"

func setTolerance(s *settings, v string) error {
	t, err := strconv.ParseFloat(v, 64)
	if err != nil || launch.CheckTolerance(t) != nil {
		return fmt.Errorf("%q is not a number of at least 0, such as 1e-5", v)
	}
	s.launch().tolerance = t
	return nil
}

func toExtents(field func(*settings) *string) func(*settings, string) error {
	return func(s *settings, v string) error {
		_, err := launch.Extents(v)
		*field(s) = v
		return err
	}
}

// The settings arg.NAME and bind.NAME are arguments and constants of a kernel.
var argPrefix, bindPrefix = option.Arg.Key, option.Bind.Key

// defaultSeed is that of "weft run".
const defaultSeed = 1

// paramPrefix begins the settings that are parameters of the algorithm or the scheduler.
var paramPrefix = option.Param.Key

func toBool(field func(*settings) *bool) func(*settings, string) error {
	return func(s *settings, v string) (err error) {
		if *field(s), err = strconv.ParseBool(v); err != nil {
			return fmt.Errorf("%q is neither true nor false", v)
		}
		return nil
	}
}

func toUint(field func(*settings) *uint64) func(*settings, string) error {
	return func(s *settings, v string) (err error) {
		if *field(s), err = strconv.ParseUint(v, 10, 64); err != nil {
			return fmt.Errorf("%q is not a whole number from 0 to %d", v, ^uint64(0))
		}
		return nil
	}
}

// Check is the spec.Check of the settings of points: it knows the names of settings and machine
// parameters, and the values that each can have whatever the others are.
func Check(name, value string) error {
	for _, prefix := range []string{paramPrefix, argPrefix, bindPrefix} {
		if strings.HasPrefix(name, prefix) && len(name) > len(prefix) {
			return nil // what it means depends on the algorithm and the scheduler, or the kernel
		}
	}
	if i := slices.IndexFunc(setters, func(s setter) bool { return s.name == name }); i >= 0 {
		var s settings
		if err := setters[i].set(&s, value); err != nil {
			return withStep(value, in(name, err))
		}
		switch name {
		case "algorithm":
			if !strings.ContainsAny(value, `/\`) {
				_, err := catalog.Named(value, catalog.Auto)
				return refused(err)
			}
		case "scheduler":
			return knownScheduler(value)
		case "device", compareWith:
			_, err := devices.New(value, devices.Options{})
			return err
		}
		return nil
	}
	if strings.Contains(name, ".") {
		machine, err := config.Load("h200")
		if err != nil {
			return err
		}
		return withStep(value, machine.Set(name, value))
	}
	return usage.Unknown("setting", name, names(), "")
}

// isHalfRange matches what would be a range if it had a step.
var isHalfRange = regexp.MustCompile(`^-?[0-9.]+:-?[0-9.]+$`)

// withStep says how a range is written, if an error is about the value of one without a step.
func withStep(value string, err error) error {
	if err == nil || !isHalfRange.MatchString(value) {
		return err
	}
	return fmt.Errorf("%w; a range has a step: %s:10, or %[2]s:*2 for a factor", err, value)
}

// names are the names of settings.
func names() (list []string) {
	for _, s := range setters {
		list = append(list, s.name)
	}
	return list
}

// knownScheduler returns an error if there is no such scheme.
func knownScheduler(name string) error {
	if name == catalog.Auto {
		return nil
	}
	var have []string
	for _, s := range catalog.Schedulers() {
		have = append(have, s.Name)
	}
	if slices.Contains(have, name) {
		return nil
	}
	return usage.Unknown("scheduler", name, have, "weft list schedulers")
}

// refused words an error of the catalog for a user.
func refused(err error) error {
	if err == nil {
		return nil
	}
	return run.Refused(err)
}

// settingsOf reads the settings of a point of a specification. Paths that begin with ./ or ../ are relative to the folder of
// the specification. The error has the place of the setting that is wrong.
func settingsOf(p spec.Point, of *spec.Spec) (*settings, error) {
	s := &settings{scheduler: "warp", device: devices.Default, options: devices.Options{Seed: defaultSeed}, verify: true, params: map[string]string{}}
	s.graph.Spec = graph.DemoName
	s.source, _ = run.ParseSource(run.MaxDegree)
	for _, x := range p.Settings {
		if name, ok := strings.CutPrefix(x.Name, paramPrefix); ok {
			s.params[name] = x.Value
			continue
		}
		if name, ok := strings.CutPrefix(x.Name, argPrefix); ok {
			s.launch().args = append(s.launch().args, launch.Assignment{Name: name, Value: x.Value})
			continue
		}
		if name, ok := strings.CutPrefix(x.Name, bindPrefix); ok {
			s.launch().bind = append(s.launch().bind, launch.Assignment{Name: name, Value: x.Value})
			continue
		}
		if g := of.Graph(x.Value); x.Name == option.Graph.Key && g != nil {
			if err := s.take(g, p, of); err != nil {
				return nil, err
			}
			continue
		}
		i := slices.IndexFunc(setters, func(t setter) bool { return t.name == x.Name })
		if i < 0 {
			if !strings.Contains(x.Name, ".") {
				return nil, in(x.Place, usage.Unknown("setting", x.Name, names(), ""))
			}
			s.options.Set = append(s.options.Set, x.Name+"="+x.Value)
			continue
		}
		if err := setters[i].set(s, pathIn(x.Name, x.Value, of)); err != nil {
			return nil, in(x.Place+": "+x.Name, err)
		}
	}
	at := cmp.Or(place(p), "the point")
	switch k := s.kernel; {
	case k == nil && s.algorithm == "":
		return nil, fmt.Errorf("%s: no algorithm; it needs a setting such as algorithm: bfs, or kernel: ./dir.Kernel", at)
	case k == nil:
	case k.name == "":
		return nil, fmt.Errorf("%s: grid, block and arguments belong to a kernel; it needs a setting such as kernel: ./dir.Kernel", at)
	case s.cpu:
		return nil, fmt.Errorf("%s: cpu goes with an algorithm, of which there is CPU code", placeOf(p, option.CPU.Key))
	case s.options.Sample != 0:
		return nil, fmt.Errorf("%s: sample goes with an algorithm", placeOf(p, option.Sample.Key))
	case s.algorithm != "":
		return nil, fmt.Errorf("%s: both an algorithm and a kernel", at)
	case k.grid == "" && k.block == "":
		return nil, fmt.Errorf("%s: kernel %s needs grid and block, such as grid: 64 and block: 256", at, k.name)
	case k.grid == "":
		return nil, fmt.Errorf("%s: kernel %s needs grid, such as grid: 64", at, k.name)
	case k.block == "":
		return nil, fmt.Errorf("%s: kernel %s needs block, such as block: 256", at, k.name)
	case k.tolerance != 0 && k.compareWith == "":
		return nil, fmt.Errorf("%s: tolerance goes with compare-with, such as compare-with: func", placeOf(p, "tolerance"))
	case k.launches < 1 || k.launches > 1_000_000:
		return nil, fmt.Errorf("%s: launches: %d is not from 1 to 1,000,000", at, k.launches)
	}
	return s, nil
}

// take takes over a graph of the specification, with those of its options that the point does not set.
func (s *settings) take(g *spec.Graph, p spec.Point, of *spec.Spec) error {
	s.named = g
	for _, x := range g.Settings {
		if _, own := p.Get(x.Name); own && x.Name != option.Graph.Key {
			continue
		}
		i := slices.IndexFunc(setters, func(t setter) bool { return t.name == x.Name })
		if err := setters[i].set(s, pathIn(x.Name, x.Value, of)); err != nil { // spec allows no others
			return in(x.Place+": "+x.Name, err)
		}
	}
	return nil
}

// graphName returns the name that the specification gives the graph, or what it is.
func (t *Task) graphName() string {
	if t.settings.named != nil {
		return t.settings.named.Name
	}
	return t.settings.graph.Spec
}

// place returns where the first setting of a point is.
func place(p spec.Point) string {
	if len(p.Settings) == 0 {
		return ""
	}
	return p.Settings[0].Place
}

// pathIn returns a value with a path that is relative to the folder of a specification, or of its graphs.
func pathIn(name, value string, of *spec.Spec) string {
	if name == option.Graph.Key && of.GraphFolder != "" && !strings.ContainsAny(value, `/\:`) && value != graph.DemoName {
		return filepath.Join(of.GraphFolder, value)
	}
	if of.File == "" {
		return value
	}
	return relative(name, value, filepath.Dir(of.File))
}

// relative returns a value with a path that is relative to the folder dir.
func relative(name, value, dir string) string {
	prefix := ""
	if name == "device" || name == compareWith {
		if rest, ok := strings.CutPrefix(value, "sim:"); ok {
			prefix, value = "sim:", rest
		}
	}
	if dir == "" || dir == "." || !strings.HasPrefix(value, "./") && !strings.HasPrefix(value, "../") || name != "graph" && name != "algorithm" && name != "kernel" && name != "device" && name != compareWith {
		return prefix + value
	}
	joined := filepath.ToSlash(filepath.Join(dir, value))
	if !filepath.IsAbs(joined) && !strings.HasPrefix(joined, "../") {
		joined = "./" + joined
	}
	return prefix + joined
}

// command returns the command line that runs the point, or with annotated the one that shows the source of its kernels
// with costs.
func (s *settings) command(annotated bool) string {
	words, verb := []string{"weft"}, "run"
	if annotated {
		verb = "annotate"
	}
	if k := s.kernel; k != nil {
		words = append(words, k.words()...)
	} else {
		words = append(words, verb, s.algorithm, option.Scheduler.String(), s.scheduler)
		words = append(words, s.graph.Args()...)
	}
	words = append(words, option.Device.String(), s.device)
	if s.options.GPUs != 0 {
		words = append(words, option.GPUs.String(), strconv.Itoa(s.options.GPUs))
	}
	for _, set := range s.options.Set {
		words = append(words, option.Set.String(), set)
	}
	for _, name := range sortedKeys(s.params) {
		words = append(words, option.Param.String(), name+"="+s.params[name])
	}
	if text := s.source.String(); text != run.MaxDegree {
		words = append(words, option.Source.String(), text)
	}
	if s.options.Seed != defaultSeed {
		words = append(words, option.Seed.String(), strconv.FormatUint(s.options.Seed, 10))
	}
	if s.options.Budget != 0 {
		words = append(words, option.Budget.String(), strconv.FormatUint(s.options.Budget, 10))
	}
	if s.options.Sample != 0 {
		words = append(words, option.Sample.String(), percent(s.options.Sample))
	}
	if s.cpu {
		words = append(words, option.CPU.String())
	}
	if !s.verify {
		words = append(words, option.NoVerify.String())
	}
	if annotated && s.kernel != nil {
		words = append(words, option.AnnotateLines.String())
	}
	for i, w := range words {
		words[i] = format.Word(w)
	}
	return strings.Join(words, " ")
}

// repeats reports whether running a point again gives other numbers: on devices whose time is measured.
func (s *settings) repeats(d *devices.Spec) bool { return d.Can().Has(device.Silicon) }
