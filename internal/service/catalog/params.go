package catalog

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// Parameters are the checked parameters of a pair.
type Parameters struct {
	// Algorithm and Scheduler have the value of each parameter by name, in the form in which users write it.
	Algorithm, Scheduler map[string]string

	given   map[string]string // of the algorithm, as set by the user
	scalars map[string]reflect.Value
	values  scheduler.Values
}

// on returns the parameters for a run on g, whose defaults may depend on the graph.
func (p Parameters) on(e Entry, g *graph.CSR) (Parameters, error) {
	if h := e.Algorithm.Host; h == nil || h.Defaults == nil {
		return p, nil
	}
	p.Algorithm = maps.Clone(p.Algorithm)
	for name, text := range e.Algorithm.Host.Defaults(g, e.Scheduler) {
		if _, set := p.given[name]; !set {
			p.Algorithm[name] = text
		}
	}
	var err error
	p.scalars, err = e.scalars(p.Algorithm)
	return p, err
}

// scalars parses parameters of the algorithm and checks them.
func (e Entry) scalars(texts map[string]string) (map[string]reflect.Value, error) {
	scalars, err := e.Type.Scalars(texts)
	if err != nil {
		return nil, err
	}
	if h := e.Algorithm.Host; h != nil && h.Params != nil {
		if err := h.Params(scalars); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Algorithm.Name, err)
		}
	}
	return scalars, nil
}

// Parameters parses parameters of the algorithm and of the scheme: the given ones, and defaults for the others. A name
// may be prefixed by its owner ("warp.block", "pagerank.damping"), and must be if both have a parameter of that name.
// If Auto chose the scheme, its parameters are those of the choice where none is given. The error says which parameter is
// wrong, and why.
func (e Entry) Parameters(given map[string]string) (Parameters, error) {
	if e.Chosen != nil {
		given = e.Chosen.Merge(given)
	}
	p, err := e.parameters(given)
	return p, e.because(err)
}

// ParametersOn is Parameters for a run on so many GPUs, which not all parameters of a scheme are for.
func (e Entry) ParametersOn(gpus int, given map[string]string) (Parameters, error) {
	p, err := e.Parameters(given)
	if err == nil && gpus > 1 {
		err = e.because(e.Scheduler.AcceptsGroup(e.Type, p.values))
	}
	return p, err
}

func (e Entry) parameters(given map[string]string) (Parameters, error) {
	var p Parameters
	own, err := e.assign(given)
	if err != nil {
		return p, err
	}
	p.given = own[0]
	if p.scalars, err = e.scalars(own[0]); err != nil {
		return p, err
	}
	p.Algorithm = map[string]string{}
	for name, v := range p.scalars {
		p.Algorithm[name] = fmt.Sprint(v)
	}
	maps.Copy(p.Algorithm, own[0])
	if p.values, err = e.Scheduler.Values(own[1]); err != nil {
		return p, err
	}
	p.Scheduler = p.values.Texts()
	return p, takes(e.Algorithm, e.Type, e.Scheduler, p.values)
}

// assign assigns parameters to the algorithm and to the scheme, by name.
func (e Entry) assign(given map[string]string) (own [2]map[string]string, err error) {
	owners := [2]string{e.Algorithm.Name, e.Scheduler.Name}
	names := [2][]string{e.Type.Params(), e.Scheduler.ParamNames()}
	own = [2]map[string]string{{}, {}}
	for _, full := range slices.Sorted(maps.Keys(given)) {
		name, at := full, -1
		if dot := strings.LastIndex(full, "."); dot >= 0 {
			name, at = full[dot+1:], slices.Index(owners[:], full[:dot])
			if at < 0 {
				return own, fmt.Errorf("parameter %q: %q is neither the algorithm, %s, nor the scheduler, %s", full, full[:dot], owners[0], owners[1])
			}
			if len(names[at]) == 0 {
				return own, fmt.Errorf("parameter %q: %s has no parameters", full, owners[at])
			}
			if !slices.Contains(names[at], name) {
				return own, &UnknownError{What: "parameter of " + owners[at], Name: name, Have: names[at]}
			}
		} else {
			for i := range owners {
				if slices.Contains(names[i], name) {
					if at >= 0 {
						return own, fmt.Errorf("parameter %q: the algorithm and the scheduler both have one; write %s.%s or %s.%s", name, owners[0], name, owners[1], name)
					}
					at = i
				}
			}
			if at < 0 {
				return own, &UnknownError{What: "parameter of " + owners[0] + " by " + owners[1], Name: name, Have: slices.Sorted(slices.Values(slices.Concat(names[0], names[1])))}
			}
		}
		if _, twice := own[at][name]; twice {
			return own, fmt.Errorf("parameter %q of %s is given twice", name, owners[at])
		}
		own[at][name] = given[full]
	}
	return own, nil
}
