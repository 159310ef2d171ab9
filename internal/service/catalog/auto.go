package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/scheduler"
)

// Auto is the name that stands for a choice among Weft's schemes by algorithm and graph, where a scheme is named.
const Auto = choice.Name

// Named returns what is known of an algorithm with a scheme before there is a graph: the same as Lookup, except that for
// Auto the entry has no scheme yet.
func (c *Catalog) Named(algorithm, sched string) (Entry, error) {
	if sched != Auto {
		return c.Lookup(algorithm, sched)
	}
	a, err := c.algorithm(algorithm)
	if err != nil {
		return Entry{}, err
	}
	t, err := c.typeOf(a)
	return Entry{Algorithm: a, Type: t}, err
}

// Resolve returns the entry for a run on a graph and so many GPUs: the same as Lookup, except that for Auto it chooses the scheme. It never
// chooses one that the program has added to Weft's.
func (c *Catalog) Resolve(ctx context.Context, algorithm, sched string, g *graph.CSR, gpus int) (Entry, error) {
	e, err := c.Named(algorithm, sched)
	if err != nil || sched != Auto {
		return e, err
	}
	facts, err := choice.Facts(ctx, g, e.Type.Symmetric)
	if err != nil {
		return Entry{}, err
	}
	chosen, err := c.Choose(e.Algorithm, facts, gpus)
	if err != nil {
		return Entry{}, err
	}
	e, err = c.entry(e.Algorithm, chosen.Scheme)
	e.Chosen = chosen
	return e, err
}

// Choose returns the scheme that Auto stands for, for an algorithm on a graph of the given shape and so many GPUs.
func (c *Catalog) Choose(a Algorithm, facts graph.Shape, gpus int) (*choice.Choice, error) {
	t, err := c.typeOf(a)
	if err != nil {
		return nil, err
	}
	own := make([]scheduler.Scheme, len(schemes))
	for i, s := range schemes {
		own[i] = s()
	}
	t.Name = a.Name // as the user wrote it, for the error
	return choice.Choose(t, facts, gpus, own)
}

// ChooseGPUs returns how many of most GPUs a run of an algorithm on a graph uses, if each has so many bytes of memory, 0 for any number.
// The entry is that of Named.
func (c *Catalog) ChooseGPUs(ctx context.Context, e Entry, g *graph.CSR, most int, memory uint64) (choice.GPUs, error) {
	facts, err := choice.Facts(ctx, g, e.Type.Symmetric)
	if err != nil {
		return choice.GPUs{}, err
	}
	chosen := choice.ChooseGPUs(e.Type, facts, !g.Symmetric && !e.Type.Symmetric, most, memory)
	if chosen.Count > 1 {
		if _, err := c.Choose(e.Algorithm, facts, chosen.Count); err != nil {
			chosen.Count, chosen.Reason, chosen.Evidence = 1, "no scheme of Weft's runs "+e.Algorithm.Name+" on several", "none"
		}
	}
	return chosen, nil
}

// CompareAuto compares what Auto chooses with the records of a GPU.
func (c *Catalog) CompareAuto(from *results.Records, gpu string) (*choice.Comparison, error) {
	records, err := choice.Records(from, gpu)
	if err != nil {
		return nil, err
	}
	return choice.Compare(records, func(algorithm string, g results.Graph) (*choice.Choice, error) {
		a, err := c.algorithm(algorithm)
		if err != nil {
			return nil, err
		}
		t, err := c.typeOf(a)
		if err != nil {
			return nil, err
		}
		return c.Choose(a, choice.ShapeOf(g, t.Symmetric), 1)
	})
}

// because adds to an error about parameters that the scheme was not named by the user.
func (e Entry) because(err error) error {
	if err == nil || e.Chosen == nil {
		return err
	}
	why := fmt.Sprintf("%s chose %s for this graph", Auto, e.Scheduler.Name)
	var unknown *UnknownError
	if errors.As(err, &unknown) {
		u := *unknown
		u.Hint = why
		return &u
	}
	return fmt.Errorf("%w (%s)", err, why)
}

// CompareAuto calls Catalog.CompareAuto of the program's catalog.
func CompareAuto(from *results.Records, gpu string) (*choice.Comparison, error) {
	c, err := shared()
	if err != nil {
		return nil, err
	}
	return c.CompareAuto(from, gpu)
}

// ChooseGPUs calls Catalog.ChooseGPUs of the program's catalog.
func ChooseGPUs(ctx context.Context, e Entry, g *graph.CSR, most int, memory uint64) (choice.GPUs, error) {
	c, err := shared()
	if err != nil {
		return choice.GPUs{}, err
	}
	return c.ChooseGPUs(ctx, e, g, most, memory)
}

// Named calls Catalog.Named of the program's catalog.
func Named(algorithm, sched string) (Entry, error) {
	c, err := shared()
	if err != nil {
		return Entry{}, err
	}
	return c.Named(algorithm, sched)
}

// Fits calls Catalog.Fits of the program's catalog.
func Fits(e Entry, dev string, gpus int) error {
	c, err := shared()
	if err != nil {
		return err
	}
	return c.Fits(e, dev, gpus)
}

// Resolve calls Catalog.Resolve of the program's catalog.
func Resolve(ctx context.Context, algorithm, sched string, g *graph.CSR, gpus int) (Entry, error) {
	c, err := shared()
	if err != nil {
		return Entry{}, err
	}
	return c.Resolve(ctx, algorithm, sched, g, gpus)
}
