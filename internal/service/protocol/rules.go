package protocol

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
)

// Protocol is the rules of a benchmark.
type Protocol struct {
	Name  string
	Cites string // its specification
	// trials is how often each of Weft's algorithms runs.
	trials map[string]int
	// fixed are parameters that the rules set, by algorithm and name.
	fixed map[string]map[string]string
	// undirected means that the graph must be symmetric, and checked that every answer must be compared.
	undirected, checked bool
	// differs says where a run differs from the specification, by algorithm; "" is for all.
	differs map[string][]string
}

// The differences that several algorithms share.
const (
	noTree   = "the answer is the level of each vertex, not its parent"
	oneTrial = "1 trial instead of %d: all trials are the same on a device without clock noise"
)

// ranks are the parameters with which GAP runs PageRank: d = 0.85, until the ranks, whose sum is 1, change by less than 1e-4 in
// sum. Weft's ranks have a mean of at most 1, and stop when none changes by more than epsilon, which is no weaker.
var ranks = map[string]string{"damping": "0.85", "epsilon": "0.0001"}

var protocols = []Protocol{
	{
		Name: "gap", Cites: "GAP Benchmark Suite, arXiv:1508.03619",
		trials: map[string]int{"bfs": 64, "parents": 64, "sssp": 64, "pagerank": 16, "pagerank-pull": 16, "cc": 16, "tc": 3, "bc": 16},
		fixed:  map[string]map[string]string{"pagerank": ranks, "pagerank-pull": ranks},
		differs: map[string][]string{
			"bfs":           {noTree},
			"bc":            {"a trial has one start vertex instead of four, and values are not divided by the largest one"},
			"pagerank":      {"the iterations end when no rank changes by more than 1e-4 of the mean, which is no weaker than a sum of changes below 1e-4"},
			"pagerank-pull": {"the iterations end when no rank changes by more than 1e-4 of the mean, which is no weaker than a sum of changes below 1e-4"},
		},
	},
	{
		Name: "graph500", Cites: "Graph 500 Benchmarks 1 and 2, specification 2.0",
		trials:     map[string]int{"bfs": 64, "parents": 64, "sssp": 64},
		undirected: true, checked: true,
		differs: map[string][]string{
			"":     {"each answer is compared with the CPU's, instead of by the rules for trees", "edges are counted as they are stored, without duplicates, which the reader merges"},
			"bfs":  {noTree},
			"sssp": {"weights are whole numbers"},
		},
	},
}

// Names returns the names of the protocols.
func Names() (names []string) {
	for i := range protocols {
		names = append(names, protocols[i].Name)
	}
	return names
}

// Named returns the protocol of a name; nil for "". The error is a *usage.Error.
func Named(name string) (*Protocol, error) {
	if name == "" {
		return nil, nil
	}
	for i := range protocols {
		if protocols[i].Name == name {
			return &protocols[i], nil
		}
	}
	return nil, usage.Unknown("protocol", name, Names(), "")
}

// Trials returns how often an algorithm runs. The error is a *usage.Error.
func (p *Protocol) Trials(algorithm string) (int, error) {
	if n, ok := p.trials[algorithm]; ok {
		return n, nil
	}
	return 0, usage.Errorf(fmt.Sprintf("it has rules for %s", strings.Join(slices.Sorted(maps.Keys(p.trials)), ", ")),
		"%s: %s has no rules for %s", option.Protocol, p.Name, algorithm)
}

// Set returns the parameters of a run of an algorithm: the given ones, and those that the rules set. The error is a
// *usage.Error.
func (p *Protocol) Set(algorithm string, given map[string]string) (map[string]string, error) {
	all := maps.Clone(given)
	if all == nil {
		all = map[string]string{}
	}
	fixed := p.fixed[algorithm]
	for _, name := range slices.Sorted(maps.Keys(fixed)) {
		for _, spelling := range []string{name, algorithm + "." + name} {
			if x, ok := given[spelling]; ok && x != fixed[name] {
				return nil, usage.Errorf("leave it out", "%s: %s runs %s with %s=%s", option.Param, p.Name, algorithm, name, fixed[name])
			}
			delete(all, spelling)
		}
		all[name] = fixed[name]
	}
	return all, nil
}

// differences says where a run of an algorithm differs from the specification.
func (p *Protocol) differences(algorithm string) []string {
	return slices.Concat(p.differs[algorithm], p.differs[""])
}
