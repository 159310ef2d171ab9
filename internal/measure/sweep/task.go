package sweep

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/internal/base/infile"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
)

// Task is one run of a point.
type Task struct {
	store.Key
	Point    spec.Point
	Index    int // of the point in the specification
	settings *settings
	params   catalog.Parameters // of the algorithm and the scheduler; none if refused, or if auto chooses
	same     []spec.Point       // other points of the specification that are this one, with a default written out
	device   *devices.Spec
	against  *devices.Spec // compares a launch with this one; nil for none
	machine  string        // hash of the simulated machine
	kernels  string        // hash of the kernels' IR
	graph    string        // what tells the graph from others before it is read; see graphIdentity
	source   bool          // the algorithm starts at one vertex
	refused  error         // why the point cannot run: its algorithm and scheduler do not go together
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// planner computes what identifies points; what several points share, once.
type planner struct {
	catalog  *catalog.Catalog
	version  string
	spec     *spec.Spec
	on       *devices.Spec // the device of all points; nil if each says its own
	graphs   map[string]string
	kernels  map[string]string
	devices  map[string]*devices.Spec
	launches map[string]*prepared
}

// Version identifies the program: the commit, or the hash of the program's file if it was built
// from a working tree with changes.
var Version = sync.OnceValue(func() string {
	if b := buildinfo.This(); b.Commit != "" && !b.Modified {
		return b.Commit
	}
	hash := "unknown"
	if exe, err := os.Executable(); err == nil {
		if sum, err := fileHash(context.Background(), exe); err == nil {
			hash = sum[:16]
		}
	}
	return "program-" + hash
})

// fileHash returns the SHA-256 of a file in hexadecimal digits.
func fileHash(ctx context.Context, name string) (string, error) {
	f, _, err := infile.Open(ctx, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// task returns the first run of a point. An error means that the specification is wrong; a point
// whose parts do not go together is a task that is refused.
func (p *planner) task(ctx context.Context, pt spec.Point) (*Task, error) {
	s, err := settingsOf(pt, p.spec)
	if err != nil {
		return nil, err
	}
	t := &Task{Point: pt, settings: s}
	if t.device, err = p.deviceOf(s); err != nil {
		return nil, in(placeOf(pt, "device"), err)
	}
	_, t.machine = t.device.Machine()
	if err := t.canTrace(); err != nil {
		return nil, err
	}
	if s.kernel != nil {
		return t, p.launched(ctx, t)
	}
	if s.cpu {
		if err := run.CheckCPU(s.algorithm); err != nil {
			return nil, in(placeOf(pt, option.CPU.Key), err)
		}
	}
	if t.graph, err = p.graphIdentity(ctx, s); err != nil {
		return nil, p.inFolder(s.graph.Spec, in(placeOf(pt, "graph"), err))
	}
	params := s.params
	e, err := p.catalog.Named(s.algorithm, s.scheduler)
	t.source = e.Type.Source
	switch {
	case err != nil:
		t.refused = refused(err)
	case e.Scheduler.Name != "": // not auto, which chooses by the graph
		if err := p.catalog.Fits(e, t.device.Name, t.device.GPUs); err != nil {
			t.refused = refused(err)
			break
		}
		all, err := e.ParametersOn(t.device.GPUs, s.params)
		if err != nil {
			t.refused = refused(err)
			break
		}
		t.params = all
		params = map[string]string{}
		for name, v := range all.Algorithm {
			params["algorithm."+name] = v
		}
		for name, v := range all.Scheduler {
			params["scheduler."+name] = v
		}
		if p.on != nil { // this process alone knows the key
			break
		}
		if t.kernels, err = p.kernelHash(ctx, e); err != nil {
			return nil, in(placeOf(pt, "algorithm"), err)
		}
	}
	t.Key.Point = t.identity(map[string]any{
		"version": p.version, "algorithm": s.algorithm, "scheduler": s.scheduler, "parameters": params, "kernels": t.kernels,
		"graph": t.graph, "source": s.source.String(), "device": t.device.Name, "machine": t.machine, "seed": p.seed(t, false), "budget": s.options.Budget, "verify": s.verify,
	})
	return t, nil
}

// seed returns the seed of a task, or 0 if nothing depends on it: neither the machine nor, with
// random, the arguments.
func (p *planner) seed(t *Task, random bool) uint64 {
	if !random && !t.device.Draws() && t.machine != "" {
		return 0
	}
	return t.settings.options.Seed
}

// identity returns the hash of named values that determine the result. A run that keeps a trace, or that also
// measures the processor, is another one than the same without.
func (t *Task) identity(values map[string]any) string {
	if n := t.settings.trace; n != 0 {
		values["trace"] = n
	}
	if bound := t.settings.options.Sample; bound != 0 {
		values["sample"] = bound
	}
	if t.settings.cpu {
		values["cpu"] = true
	}
	text, err := json.Marshal(values) // sorts by name
	if err != nil {
		panic("sweep: a value that JSON does not have: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// in returns an error with its place, in the words of who wrote what is there: flags for a place on the command line, keys
// for one in a file.
func in(place string, err error) error {
	caller := usage.Specification
	if strings.HasPrefix(place, "--") {
		caller = usage.CommandLine
	}
	var mistake *usage.Error
	if !errors.As(err, &mistake) {
		return fmt.Errorf("%s: %w", place, err)
	}
	text := usage.In(err, caller)
	if mistake.Option != nil && strings.HasSuffix(place, mistake.Option.In(caller)) { // which is said already
		text = mistake.What.In(caller)
	}
	return usage.Errorf(mistake.Hint.In(caller), "%s: %s", place, text)
}

// placeOf returns where the specification has a setting, or the point's first one.
func placeOf(p spec.Point, name string) string {
	for _, s := range p.Settings {
		if s.Name == name {
			return s.Place
		}
	}
	return cmp.Or(place(p), "the specification")
}

// deviceOf returns the device of a point.
func (p *planner) deviceOf(s *settings) (*devices.Spec, error) {
	if p.on != nil {
		return p.on, nil
	}
	key := fmt.Sprintf("%q %d %q %d %d %v", s.device, s.options.GPUs, s.options.Set, s.options.Seed, s.options.Budget, s.options.Sample)
	if d := p.devices[key]; d != nil {
		return d, nil
	}
	d, err := devices.New(s.device, s.options)
	if err == nil {
		p.devices[key] = d
	}
	return d, err
}

// graphIdentity tells the graph of a point from others: by its generator, or by the bytes of its file, which need
// not be parsed for that, and by what is done to it when it is loaded.
func (p *planner) graphIdentity(ctx context.Context, s *settings) (string, error) {
	if err := s.graph.Check(); err != nil {
		return "", err
	}
	key := strings.Join(s.graph.Args(), " ")
	if h, ok := p.graphs[key]; ok {
		return h, nil
	}
	h := key
	file, err := graph.IsFile(s.graph.Spec)
	if err != nil {
		return "", err
	}
	if file {
		if err := readableTwice(s.graph.Spec); err != nil {
			return "", err
		}
		sum, err := fileHash(ctx, s.graph.Spec)
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.graph.Spec, err)
		}
		options := s.graph
		options.Spec = sum
		h = strings.Join(options.Args(), " ")
	}
	p.graphs[key] = h
	return h, nil
}

// readableTwice rejects a pipe, a device or a folder: a study reads a graph once to identify its points, and again for each
// group of points.
func readableTwice(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a directory; name a graph file in it", file)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file, and a study reads a graph more than once", file)
	}
	return nil
}

// kernelHash identifies all kernels that the scheme may launch, as they are compiled.
func (p *planner) kernelHash(ctx context.Context, e catalog.Entry) (string, error) {
	if h, ok := p.kernels[e.Name()]; ok {
		return h, nil
	}
	h := sha256.New()
	for _, k := range e.Scheduler.Kernels(e.Type) {
		compiled, err := p.catalog.Compiler().Kernel(ctx, k.Name, k.Bind)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s\n%s\n", k.Name, ir.Compiled(compiled).Func)
	}
	p.kernels[e.Name()] = hex.EncodeToString(h.Sum(nil))[:16]
	return p.kernels[e.Name()], nil
}
