//go:build !kernel

package simdx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// New returns the scheme. It accepts every algorithm that can be pushed or pulled.
func New() scheduler.Scheme {
	return scheduler.Scheme{
		Name:       "simdx",
		Doc:        "persistent kernels that push and pull, with lists for threads, warps and blocks, and filters chosen just in time",
		Sources:    []gpu.Package{Sources},
		Params:     params(),
		Quantities: quantities(),

		PhasesInKernel: true,
		WholeRows:      true,
		Takes: func(a scheduler.Type, p scheduler.Values) error {
			_, err := plan(a, p)
			return err
		},
		Kernels: kernels,
		Run:     run,
	}
}

// The words of the parameters.
const (
	auto, push, pull, both     = "auto", "push", "pull", "both"
	jit, online, ballot, batch = "jit", "online", "ballot", "batch"
	atomic, strided, khorasani = "atomic", "strided", "khorasani"
	fuseNone, fuseAll, fuseTwo = "none", "all", "push-pull"
	occupancy, eq1             = "occupancy", "eq1"
	counter, locks             = "counter", "locks"
)

func params() []scheduler.Param {
	word := func(name, value, doc string, words ...string) scheduler.Param {
		return scheduler.Param{Name: name, Type: scheduler.WordParam, Words: words, Default: value, Doc: doc}
	}
	number := func(name, unit, value string, least, most float64, doc string) scheduler.Param {
		return scheduler.Param{Name: name, Type: scheduler.IntParam, Unit: unit, Default: value, Min: least, Max: most, Doc: doc}
	}
	block := scheduler.BlockParam()
	block.Default = "256"
	return []scheduler.Param{
		block,
		word("direction", auto, "push along outgoing arcs or pull along incoming ones; both: push, and pull while the frontier has many arcs, as far as the algorithm can be both; auto: the same, but phases are pushed", auto, push, pull, both),
		{Name: "pull-above", Type: scheduler.FloatParam, Default: "0.3", Max: 1,
			Doc: "part of all arcs; direction=auto and both pull while the frontier has more than that"},
		{Name: "stable", Type: scheduler.FloatParam, Default: "0", Max: 1,
			Doc: "part of all vertices; pulls go on until at least that part does not change, as PageRank does in the paper, where it is the majority; 0: pull-above alone decides"},
		word("filter", jit, "how the next frontier is collected; jit: online until it overflows, then ballot for that iteration; the last four are those that the paper compares with", jit, online, ballot, batch, atomic, strided, khorasani),
		word("fusion", fuseTwo, "kernels; none: a launch for each list and step; push-pull: two persistent ones; all: one", fuseNone, fuseTwo, fuseAll),
		word("barrier", occupancy, "blocks of a persistent kernel; occupancy: as many as are resident; eq1: the paper's formula, with which a launch may hang", occupancy, eq1),
		word("barrier-kind", counter, "the barrier of the grid; counter: one word; locks: two words a block and a monitor block, as in the paper", counter, locks),
		number("blocks", "block", "0", 0, 1<<20, "most blocks of a persistent kernel; 0: as many as barrier says"),
		number("small", "arc", "32", 1, 1<<30, "vertices with fewer arcs are in the small list, for threads"),
		number("large", "arc", "1024", 1, 1<<30, "vertices with at least that many arcs, and at least small, are in the large list, for blocks; the medium list is for warps"),
		number("split", "arc", "4096", 0, 1<<30, "most arcs that a block pushes for a vertex; further ones are shared out to other blocks; 0: no limit. An algorithm with levels, such as bc, has at most 2 arcs a thread here and for large"),
		{Name: "level-lists", Type: scheduler.BoolParam, Default: "true", Doc: "an algorithm with levels, such as bc, keeps a list of each level for the way back; false: each phase looks at all vertices, which is quicker if levels are few and large"},
		number("bin", "vertex", "64", 1, 1024, "vertices in the bin of a thread; one more, and the online filter overflows"),
		number("block-list", "vertex", "1024", 0, 4096, "vertices that the threads of a block keep in shared memory before they use their bins, as far as there is room; 0: none, as in the paper"),
		number("one-block", "vertex", "128", 0, 4096, "largest frontier that one block processes alone, without the barrier of the grid, if it has at most 16 arcs for each of these, and at most what block-list keeps; 0: none, as in the paper"),
		number("history", "iteration", "0", 0, 1<<24, "first iterations of which the persistent kernels record frontier, filter and direction; the result has them as series"),
		scheduler.MaxIterationsParam(),
	}
}

// The quantities of a step besides those of every scheme with a frontier.
const (
	arcs       = "arcs"
	iterations = "iterations"
	ballots    = "ballots"
	overflows  = "overflows"
	aloneOnes  = "one-block-iterations"
	pulls      = "pulls"
)

func quantities() []scheduler.Quantity {
	return append(scheduler.FrontierQuantities(),
		scheduler.Quantity{Name: arcs, Unit: "arc", Doc: "arcs of the vertices processed"},
		scheduler.Quantity{Name: iterations, Unit: "iteration", Doc: "iterations of the launch; its other quantities are sums over them, except next"},
		scheduler.Quantity{Name: ballots, Unit: "iteration", Doc: "iterations whose next frontier the ballot filter collected"},
		scheduler.Quantity{Name: overflows, Unit: "iteration", Doc: "iterations in which the online filter overflowed"},
		scheduler.Quantity{Name: aloneOnes, Unit: "iteration", Doc: "iterations that one block ran alone"},
		scheduler.Quantity{Name: pulls, Unit: "iteration", Doc: "iterations that pulled"},
	)
}

// filterWords are the values of Run.Filter.
var filterWords = map[string]uint32{jit: JIT, online: Online, ballot: Ballot, batch: Batch, atomic: Atomic, strided: Strided, khorasani: Khorasani}

// baseline reports whether the filter is one of those with persistent kernels of their own.
func (c choice) baseline() bool { return c.filter > Batch }

// choice is what the parameters of a run mean for an algorithm.
type choice struct {
	push, pull bool // the directions that the run may take
	scatter    bool // its pushes are those of all vertices
	filter     uint32
	fusion     string
	both       bool // direction=both
	levels     bool // the kernel keeps a list of each level
}

// plan returns the choice for an algorithm, or an error if the scheme cannot run it so.
func plan(a scheduler.Type, p scheduler.Values) (choice, error) {
	c := choice{fusion: p.Word("fusion"), filter: filterWords[p.Word("filter")]}
	if c.filter == Batch && c.fusion != fuseNone {
		return c, errors.New("filter=batch is the baseline without fusion: set fusion=none")
	}
	pushable, pullable := a.Pushes(), a.Pulls()
	if pullable == nil && !a.PullsInPhases() {
		pullable = fmt.Errorf("%s cannot be pulled here: it runs in phases, and does not say which vertices give in a phase (Gives)", a.Name)
	}
	d := p.Word("direction")
	if a.Scatters() && (d == push || d == both) {
		c.scatter, pushable = true, nil
	}
	switch {
	case d == push && pushable != nil:
		return c, pushable
	case d == pull && pullable != nil:
		return c, pullable
	case pushable != nil && pullable != nil:
		return c, pushable
	case c.filter == Batch && (d == pull || c.scatter || pushable != nil):
		return c, fmt.Errorf("filter=batch lists the arcs of the frontier of a push, which %s with direction=%s does not have", a.Name, d)
	}
	c.both = d == both
	c.push = d != pull && pushable == nil
	c.pull = d != push && pullable == nil && !(d == auto && c.push && a.Phased)
	c.levels = a.Levels && p.Bool("level-lists") && c.push && !c.pull && c.fusion != fuseNone && !c.baseline()
	return c, nil
}

// kernels returns the kernels for an algorithm.
func kernels(a scheduler.Type) (list []scheduler.EntryPoint) {
	pushable, pullable := a.Pushes() == nil, a.Pulls() == nil && a.PullsInPhases()
	if pushable {
		list = append(list, entryPoint("Push", "push iterations", a), entryPoint("PushBaseline", "push iterations with a filter of the comparison", a))
	}
	if pushable && !pullable && a.Levels {
		list = slices.Insert(list, 0, entryPoint("Levels", "all phases, with a list of each level", a))
	}
	if pullable {
		list = append(list, entryPoint("Pull", "pull iterations", a))
	}
	if pushable && pullable {
		list = append(list, entryPoint("All", "push and pull iterations", a), entryPoint("AllBaseline", "push and pull iterations with a filter of the comparison", a))
	}
	if a.Scatters() {
		list = append(list, entryPoint("Scatter", "push iterations of all vertices", a), entryPoint("AllScatter", "push and pull iterations of all vertices", a))
	}
	list = append(list, separateKernels(a, pushable, pullable, a.Scatters())...)
	list = append(list, scheduler.PhaseKernels(a)...)
	return append(list, scheduler.SetupKernels(a)...)
}

// entryPoint returns a kernel of this package for an algorithm.
func entryPoint(kernel, what string, a scheduler.Type) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: fmt.Sprintf("simdx.%s[%s, %s]", kernel, a.Name, a.Value), What: what}
}
